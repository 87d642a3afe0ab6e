//! New control codes for complete listings are written, read back, and unchanged when computed again.

use crate::documents::{apply, opened};
use crate::files::our;
use ide::AllowedChanges;

/// The text with new codes for all kernels, and the number of changed codes.
fn scheduled(text: &str) -> (String, usize) {
    let (mut edits, mut changed) = (Vec::new(), 0);
    let sass = opened(text).sass().expect("it is SASS");
    for kernel in sass.schedule(None, AllowedChanges::default()) {
        let kernel = kernel.expect("nothing cancels it").unwrap_or_else(|why| panic!("{why}"));
        changed += kernel.changed;
        edits.extend(kernel.edits);
    }
    (apply(text, &edits), changed)
}

#[test]
fn codes_are_computed_in_every_notation() {
    for name in [
        "sm_90/sgemm.cuobjdump-sass.txt",
        "sm_75/sgemm.cuassembler.dsass",
        "sm_61/sgemm.cuassembler.dsass",
        "sm_35/sgemm.kepleras.sass",
        "sm_120/sgemm.cuda12.8-annotated.nvdisasm-hex-c.txt",
    ] {
        let text = our(name);
        let (once, changed) = scheduled(&text);
        assert!(changed > 0 && once != text, "{name}");
        let (twice, changed) = scheduled(&once);
        assert_eq!(changed, 0, "{name}: the old codes are not read");
        assert!(twice == once, "{name}");
    }
}
