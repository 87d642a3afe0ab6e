//! Any Python text: its Triton kernels are read, and all their ranges lie within the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::triton::kernels;

fuzz_target!(|input: &[u8]| {
    let text = format!("import triton\nimport triton.language as tl\n{}", String::from_utf8_lossy(input));
    for kernel in kernels(&text) {
        assert!(text.get(kernel.name_range.clone()).is_some());
        assert!(text.get(kernel.range.clone()).is_some());
        for element in kernel.configurations.iter().flat_map(|own| &own.elements) {
            assert!(text.get(element.with_comma.clone()).is_some());
        }
    }
});
