//! Tests of the supported ways to write lists of configurations, and of texts without configurations.

use super::*;
use proptest::prelude::*;

const HEAD: &str = "import triton\nimport triton.language as tl\n";
const KERNEL: &str = "@triton.jit
def k(a, M, BLOCK_M: tl.constexpr, BLOCK_N: 'tl.constexpr' = 32):
    acc = tl.dot(a, a)
";

fn only(text: &str) -> Kernel {
    let mut all = kernels(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

/// Each configuration as `BLOCK_M=64 warps=4 stages=3`, followed by each gap as `?` and its description.
fn read(text: &str) -> Vec<String> {
    let of = |setting: &Setting| match setting {
        Setting::Number(number) => number.to_string(),
        Setting::Other(text) => text.clone(),
        Setting::Unknown(why) => format!("?{why}"),
    };
    let own = only(text).configurations.expect("it is tuned");
    let words = own.all.iter().map(|own| {
        let mut words: Vec<String> =
            own.values.iter().map(|(name, value)| format!("{name}={}", of(value))).collect();
        words.extend(own.num_warps.iter().map(|value| format!("warps={}", of(value))));
        words.extend(own.num_stages.iter().map(|value| format!("stages={}", of(value))));
        words.join(" ")
    });
    words.chain(own.gaps.iter().map(|gap| format!("? {gap}"))).collect()
}

/// Configurations of a kernel whose `triton.autotune` gets the list `list`, in a text with the statements
/// `statements` before the kernel.
fn of_list(statements: &str, list: &str) -> Vec<String> {
    read(&format!("{HEAD}{statements}\n@triton.autotune(configs={list}, key=['M'])\n{KERNEL}"))
}

#[test]
fn a_kernel_has_its_parameters_and_its_name() {
    let text = format!("{HEAD}{KERNEL}");
    let own = only(&text);
    assert_eq!(&text[own.name_range.clone()], "k");
    assert!(text[own.range.clone()].starts_with("@triton.jit"));
    let parameters: Vec<_> = own.parameters.iter().map(|own| (own.name.as_str(), own.is_constexpr)).collect();
    assert_eq!(parameters, [("a", false), ("M", false), ("BLOCK_M", true), ("BLOCK_N", true)]);
    assert_eq!(own.parameters[3].default, Some(Setting::Number(32)));
    assert_eq!(own.configurations, None);
    assert!(own.has_dot && own.precisions.is_empty());
}

#[test]
fn lists_are_read_where_they_stand() {
    let both = ["BLOCK_M=64 BLOCK_N=32 warps=4 stages=3", "BLOCK_M=128 BLOCK_N=32 warps=8"];
    let list = "[triton.Config({'BLOCK_M': 64, \"BLOCK_N\": 0x20}, num_warps=4, num_stages=3), # small
        triton.Config(kwargs=dict(BLOCK_M=128, BLOCK_N=32), num_warps=2 * 4)]";
    assert_eq!(of_list("", list), both);
    assert_eq!(of_list(&format!("all_configs = {list}"), "all_configs"), both);
    assert_eq!(of_list(&format!("def get():\n    \"\"\"Text.\"\"\"\n    return {list}"), "get()"), both);
    // The form of the tutorials, in which another vendor has a separate list.
    let chosen = format!(
        "def is_cuda():\n    return triton.runtime.driver.active.get_current_target().backend == 'cuda'
def of_cuda():\n    return {list}
def of_hip():\n    return [triton.Config({{'BLOCK_M': 16}})]
def get():\n    if is_cuda():\n        return of_cuda()\n    else:\n        return of_hip()"
    );
    assert_eq!(of_list(&chosen, "get()"), both);
    assert_eq!(of_list("import torch", "[triton.Config({'B': 1 if torch.version.hip else 2})]"), ["B=2"]);
    let imported = "from triton import Config as C, autotune, jit\nimport triton.language as tl
@autotune([C({'B': 1}, 4, 2)], ['M'])\n@jit\ndef k(B: tl.constexpr): pass\n";
    assert_eq!(read(imported), ["B=1 warps=4 stages=2"]);
}

#[test]
fn loops_and_comprehensions_are_followed() {
    let all = ["A=1 warps=4", "A=1 warps=8", "A=2 warps=4", "A=2 warps=8"];
    for list in [
        "[triton.Config({'A': a}, num_warps=w) for a in [1, 2] for w in (4, 8)]",
        "[triton.Config({'A': a}, num_warps=w) for a, w in itertools.product([1, 2], WARPS)]",
        "list(triton.Config({'A': a}, num_warps=2 ** w) for a in range(1, 3) for w in [2, 3])",
        "[triton.Config({'A': a}, num_warps=w) for a in [1, 2, 64] for w in WARPS if a * w < 64]",
        "make(WARPS)",
        "[*make([4, 8], most=1)] + [triton.Config({'A': 2}, num_warps=w) for w in WARPS]",
    ] {
        let make = "import itertools\nWARPS = [4] + [8]
def make(warps, most=2):
    configs = []
    for a in [1, 2, 3]:
        if a > most:
            continue
        for w in warps:
            configs.append(triton.Config({'A': a}, num_warps=w))
    return configs";
        assert_eq!(of_list(make, list), all, "{list}");
    }
    let grown = "configs = [triton.Config({'A': 1}, num_warps=4)]
configs += [triton.Config({'A': 1}, num_warps=8)]
for w in [4, 8]:
    configs.append(triton.Config({'A': 2}, num_warps=w))";
    assert_eq!(of_list(grown, "configs"), all);
}

#[test]
fn what_is_not_literal_is_unknown_and_said() {
    for (statements, list, expected) in [
        ("", "[triton.Config({'A': size()}, num_warps=w)]", &["A=?size() warps=?w"][..]),
        ("", "get_configs(3)", &["? `get_configs(3)`"]),
        ("", "[triton.Config({'A': 1}), *more]", &["A=1", "? `*more`"]),
        ("c = [triton.Config({'A': 1})]", "list(filter(keep, c))", &["A=1", "? `filter(keep, c)`"]),
        ("", "[triton.Config({'A': a}) for a in sizes()]", &["? `sizes()`"]),
        ("", "[triton.Config({'A': a}) for a in [1, 2] if keep(a)]", &["? `if keep(a)`"]),
        (
            "c = [triton.Config({'A': 1})]\nif has_gpu:\n    c.append(x)",
            "c",
            &["A=1", "? `if has_gpu: c.append(x)`"],
        ),
        ("c = [triton.Config({'A': 1})]\nprune(c)", "c", &["A=1", "? `prune(c)`"]),
        ("def get():\n    if x:\n        return []\n    return [triton.Config({})]", "get()", &["? `x`"]),
        ("def get():\n    return get()", "get()", &["? `get()`"]),
        ("", "[triton.Config({'A': None, 'B': 'x', 'C': 1.5, 'D': True})]", &["A=None B=\"x\" C=1.5 D=True"]),
        ("", "[triton.Config(sizes)]", &["=?sizes"]),
        ("", "[triton.Config({'A': 1 // 0, 'B': 1 << 99})]", &["A=?1 // 0 B=?1 << 99"]),
        ("", "3", &["? `3`"]),
    ] {
        assert_eq!(of_list(statements, list), expected, "{statements}\n{list}");
    }
}

#[test]
fn the_precision_is_that_of_the_text() {
    for (argument, expected) in [
        ("", vec![]),
        (", input_precision='ieee'", vec![Precision::Ieee]),
        (", input_precision=\"tf32x3\"", vec![Precision::Tf32x3]),
        (", allow_tf32=False", vec![Precision::Ieee]),
        (", acc, allow_tf32=True", vec![Precision::Tf32]),
        (", input_precision=P", vec![Precision::Unknown("P".to_owned())]),
    ] {
        let text =
            format!("{HEAD}@triton.jit\ndef k(a):\n    for i in x:\n        y = tl.dot(a, a{argument})\n");
        assert_eq!(only(&text).precisions, expected, "{argument}");
    }
}

#[test]
fn positions_are_reported_for_a_literal_list() {
    let text = format!(
        "{HEAD}@triton.autotune(configs=[\n    triton.Config({{'A': 1}}),  # one\n    triton.Config({{'A': 2}})\n    # two\n    ,\n], key=[])\n{KERNEL}"
    );
    let own = only(&text).configurations.expect("it is tuned");
    let places: Vec<_> =
        own.elements.iter().map(|own| (&text[own.range.clone()], &text[own.with_comma.clone()])).collect();
    assert_eq!(
        places,
        [
            ("triton.Config({'A': 1})", "triton.Config({'A': 1}),"),
            ("triton.Config({'A': 2})", "triton.Config({'A': 2})\n    # two\n    ,"),
        ]
    );
    for list in [
        "[triton.Config({})] + [triton.Config({})]",
        "[triton.Config({'A': a}) for a in [1, 2]]",
        "[triton.Config({}), *c]",
    ] {
        let text = format!("{HEAD}@triton.autotune({list})\n{KERNEL}");
        assert_eq!(only(&text).configurations.expect("it is tuned").elements, [], "{list}");
    }
}

#[test]
fn kernels_stand_anywhere() {
    let text = "try:\n    import triton\n    import triton.language as tl\n    C = [triton.Config({'A': 1})]
    @triton.autotune(C, [])\n    @triton.jit(do_not_specialize=['x'])\n    def one(A: tl.constexpr): pass
except ImportError:\n    pass\nclass X:\n    @triton.jit\n    def two(self): pass
@numba.jit\ndef other(): pass\n@jax.jit\ndef another(): pass\n";
    let names: Vec<String> = kernels(text).into_iter().map(|own| own.name).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(kernels(text)[0].configurations.as_ref().expect("it is tuned").all.len(), 1);
    assert_eq!(kernels("import torch\n@jit\ndef k(): pass\n"), []);
    // Names have the values from above the kernel.
    let text = format!("{HEAD}C = [triton.Config({{'A': 1}})]\n@triton.autotune(C)\n{KERNEL}C = []\n");
    assert_eq!(read(&text), ["A=1"]);
}

#[test]
fn work_is_bounded() {
    let many = "[triton.Config({'A': a}) for a in range(100) for b in range(100) for c in range(100)]";
    let own = of_list("", many);
    assert_eq!(own.len(), MAX_CONFIGURATIONS + 1);
    let nested = format!("{HEAD}x = {}1{}\n{KERNEL}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(kernels(&nested).len(), 1);
    let deep = format!("{HEAD}x = {}1\n{KERNEL}", "-".repeat(100_000));
    assert_eq!(kernels(&deep).len(), 1);
}

proptest! {
    #[test]
    fn any_text_can_be_read(start in 0_usize..900, end in 0_usize..900, cut in 0_usize..900, word in "[\\[\\](){}:,='\\n a*]{0,6}") {
        let list = "[triton.Config({'A': a, \"é\": 1}, num_warps=w) for a in [1, 2] for w in (4, 8) if a < w]";
        let whole = format!(
            "{HEAD}def get(x=3):\n    c = []\n    for i in range(x):\n        c.append(triton.Config({{'A': i}}))\n    return c\n\
             @triton.autotune(configs={list} + get(), key=['M'])\n{KERNEL}"
        );
        let at = |byte: usize| whole.floor_char_boundary(byte.min(whole.len()));
        let (start, end) = (at(start.min(end)), at(end.max(start)));
        let mut text = format!("{}{word}{}", &whole[..start], &whole[end..]);
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(cut / 3)));
        for kernel in kernels(&text) {
            prop_assert!(text.get(kernel.name_range.clone()).is_some());
            for element in kernel.configurations.iter().flat_map(|own| &own.elements) {
                prop_assert!(text.get(element.with_comma.clone()).is_some());
            }
        }
    }
}
