//! Summaries of handwritten reports.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]

use super::super::render_text::tests::{hopper, kernel, report};
use super::*;
use expect_test::expect;

const ENDLESS: Screen = Screen { columns: 120, lines: None };

fn heads() -> Vec<KernelReport> {
    let mut long = kernel(
        "_ZN7cutlass4gemm6kernel16GemmUniversalIfNS_4arch4Sm80ENS_6layout8RowMajorELi128ELi128EEEvNT_6ParamsE",
        vec![],
    );
    long.instruction_count = 12_345;
    long.cycles = None;
    long.resources.shared = 2112;
    let mut named = kernel("plain", vec![]);
    named.launch = Some("big".into());
    named.resources.launch_assumed = false;
    named.bottlenecks.mem = None;
    named.bottlenecks.comp = Some(f64::NAN);
    named.bottlenecks.ilp = None;
    vec![hopper(), long, named]
}

fn written(heads: &[KernelReport], screen: Screen) -> String {
    let mut out = Vec::new();
    write(&mut out, &Palette::PLAIN, &report(vec![]), heads, screen).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_line_for_each_kernel() {
    expect![[r#"
        3 kernels of sm_90, timed for H100 SXM5 80 GB by the paper model
        kernel                                            launch  instr.  regs   shared  occ.  limited by      cycles  worst
        sgemm_nn(float const*, f…at const*, float*, int)               4   128    8 KiB  25 %  registers   ~1,234,567  mem  1.00
        _ZN7cutlass4gemm6kernel1…28ELi128EEEvNT_6ParamsE          12,345   128  2,112 B  25 %  registers      unknown  mem  1.00
        plain                                             big          0   128    8 KiB  25 %  registers    1,234,567  ?
        cycles: of the launch; ~ assumed or inferred; worst: largest bottleneck of the ICS'17 model, 0 best, 1 worst
    "#]].assert_eq(&written(&heads(), ENDLESS));
}

#[test]
fn names_give_way_to_numbers() {
    for (columns, kernels) in [(80, 2), (90, 3), (120, 3)] {
        let narrow = written(&heads()[..kernels], Screen { columns, lines: None });
        assert!(narrow.lines().skip(1).take(kernels + 1).all(|line| columns_of(line) <= columns), "{narrow}");
    }
    let tiny = written(&heads(), Screen { columns: 0, lines: None });
    assert!(tiny.contains("1,234,567") && tiny.contains("sgemm…int)"), "{tiny}");
}

#[test]
fn architectures_stand_in_a_column_where_they_differ() {
    let mut heads = heads();
    heads[1].arch = "sm_80".into();
    let text = written(&heads, ENDLESS);
    assert!(text.starts_with("3 kernels, timed for") && text.contains("  sm_80  "), "{text}");
}

#[test]
fn it_fits_the_screen_and_says_what_is_left() {
    let many = vec![hopper(); 300];
    for lines in [5, 24, 100, 303, 304, 305] {
        let text = written(&many, Screen { columns: 120, lines: Some(lines) });
        // The last line of a screen is for the prompt.
        assert!(text.lines().count() < lines.max(6), "{lines}");
        let shown = text.lines().filter(|line| line.contains("1,234,567")).count();
        match 300 - shown {
            0 => assert!(!text.contains("more"), "{lines}"),
            rest => assert!(text.contains(&format!("… and {rest} more: --function NAME")), "{lines}"),
        }
    }
    assert_eq!(written(&many, ENDLESS).lines().count(), 303);
}

#[test]
fn the_middle_goes_first() {
    assert_eq!(shortened("sgemm", 5), "sgemm");
    assert_eq!(shortened("sgemm_nn", 5), "sg…nn");
    assert_eq!(shortened("sgemm_nn", 4), "sg…n");
    assert_eq!(shortened("全角全角全角", 6), "全…角");
    assert_eq!(shortened("ab", 1), "…");
}

#[test]
fn sizes() {
    assert_eq!(["0 B", "2,112 B", "8 KiB"], [0, 2112, 8192].map(bytes).each_ref().map(String::as_str));
}
