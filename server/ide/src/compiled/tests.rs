//! Tests of hints, findings and heat at source lines, computed from attached code.

use crate::{Analysis, Cancel, CompiledFrom, Host, Language, LaunchFile, Severity};
use std::fmt::Write;

const PATH: &str = "/p/k.cu";

/// `y[i] = 2 * x[i] + y[i]`, one statement per line.
const STREAM: &str = "__global__ void k(const float *x, float *y) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  float a = x[i], b = y[i];\n  y[i] = 2 * a + b;\n}\n";

const STREAM_CODE: [(u32, &str); 9] = [
    (2, "[B------:R-:W0:-:S02] S2R R0, SR_CTAID.X"),
    (2, "[B------:R-:W1:-:S02] S2R R3, SR_TID.X"),
    (2, "[B01----:R-:W-:-:S05] IMAD R0, R0, 0x100, R3"),
    (3, "[B------:R-:W-:-:S06] IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x210]"),
    (3, "[B------:R-:W-:-:S06] IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x218]"),
    (3, "[B------:R-:W2:-:S02] LDG.E R6, desc[UR4][R2.64]"),
    (3, "[B------:R-:W3:-:S02] LDG.E R7, desc[UR4][R4.64]"),
    (4, "[B--23--:R-:W-:-:S05] FFMA R6, R6, 2, R7"),
    (4, "[B------:R-:W-:-:S02] STG.E desc[UR4][R4.64], R6"),
];

const EXIT: (u32, &str) = (5, "[B------:R-:W-:Y:S05] EXIT");

/// Analysis of a source whose kernel `_Z1kPKfPf` has this attached code.
fn attached(source: &str, code: &[(u32, &str)], launches: &str) -> Analysis {
    attached_as("_Z1kPKfPf", source, code, launches)
}

fn attached_as(symbol: &str, source: &str, code: &[(u32, &str)], launches: &str) -> Analysis {
    let (host, _) = opened(symbol, source, code, launches);
    host.snapshot(PATH, Cancel::default()).expect("it is open")
}

/// A host with an open source and its attached code, and the listing of this code.
fn opened(symbol: &str, source: &str, code: &[(u32, &str)], launches: &str) -> (Host, String) {
    let mut listing = "        .__elf_type             ET_EXEC\n\
         \t.headerflags    @\"EF_CUDA_SM90 EF_CUDA_PTX_SM(EF_CUDA_SM90)\"\n\n\
         //--------------------- .text._Z1kPKfPf                          --------------------------\n\
         \t.section        .text._Z1kPKfPf,\"ax\",@progbits\n.text._Z1kPKfPf:\n"
        .replace("_Z1kPKfPf", symbol);
    for (line, instruction) in code.iter().chain([&EXIT]) {
        let _ = writeln!(listing, "\t//## File \"{PATH}\", line {line}\n{instruction} ;");
    }
    let mut host = Host::default();
    let file =
        LaunchFile::parse("launches", &format!("gpu = \"h100-sxm\"\n{launches}")).expect("the file is valid");
    host.set_launches(Some(file)).expect("it names a GPU");
    host.open_as(PATH, 1, Language::Cuda, source);
    let from = CompiledFrom { path: PATH.to_owned(), ..CompiledFrom::default() };
    let analysis = host.snapshot(PATH, Cancel::default()).expect("it is open");
    host.attach(PATH, Some(analysis.read_code(&listing, &[], from)));
    (host, listing)
}

const LAUNCH: &str = "[[launch]]\nfunction = \"_Z1kPKfPf\"\ngrid = [65536]\nblock = [256]\nparams = [\"ptr\", \"ptr\"]\nregisters = 32\n";

/// 1-based line and label of each hint.
fn labels(source: &str, analysis: &Analysis) -> Vec<(usize, String)> {
    let hints = analysis.hints(0..source.len()).expect("nothing cancels it");
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    hints.into_iter().map(|hint| (line(hint.offset), hint.label)).collect()
}

fn percent(label: &str) -> f64 {
    let (_, share) = label.split_once(", ").unwrap_or_else(|| panic!("no share: {label}"));
    share
        .strip_suffix(" %")
        .unwrap_or_else(|| panic!("no percentage: {label}"))
        .parse()
        .expect("it is a number")
}

#[test]
fn a_line_has_its_share_of_the_launch_not_of_one_warp() {
    let analysis = attached(STREAM, &STREAM_CODE, LAUNCH);
    let labels = labels(STREAM, &analysis);
    let of = |line: usize| {
        let label = labels.iter().find(|(at, _)| *at == line).unwrap_or_else(|| panic!("{labels:?}"));
        percent(&label.1)
    };
    // Every warp waits for DRAM at the first use of what it loads.
    assert!(of(4) > 75.0 && of(2) < 10.0, "{labels:?}");
    let heat = analysis.heat(&(0..STREAM.len())).expect("nothing cancels it").expect("it has code");
    let hottest =
        heat.lines.iter().max_by(|one, other| one.share.total_cmp(&other.share)).expect("it has lines");
    assert!(STREAM[hottest.range.clone()].starts_with("y[i] ="), "{heat:?}");
    assert!((100.0 * hottest.share - of(4)).abs() < 0.51, "{heat:?} {labels:?}");
}

#[test]
fn an_opening_brace_has_no_hint_and_its_code_is_at_the_signature() {
    let source = STREAM.replace(" {\n", "\n{\n");
    let code: Vec<(u32, &str)> = STREAM_CODE
        .iter()
        .map(
            |&(line, instruction)| {
                if instruction.contains("S2R") { (2, instruction) } else { (line + 1, instruction) }
            },
        )
        .collect();
    let labels = labels(&source, &attached(&source, &code, LAUNCH));
    assert_eq!(labels.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3, 4, 5], "{labels:?}");
    assert!(labels[0].1.starts_with("2 instr"), "{labels:?}");
}

/// A kernel that reads one row per thread in a loop. The compiler unrolled the loop four times.
const ROWS: &str = "__global__ void k(const float *x, float *y) {\n  float a = 0;\n  for (int j = 0; j < 4; ++j) a += x[threadIdx.x * 64 + j];\n  y[threadIdx.x] = a;\n}\n";

const ROWS_CODE: [(u32, &str); 12] = [
    (3, "[B------:R-:W0:-:S02] S2R R0, SR_TID.X"),
    (3, "[B0-----:R-:W-:-:S06] IMAD.WIDE.U32 R2, R0, 0x100, c[0x0][0x210]"),
    (3, "[B------:R-:W1:-:S02] LDG.E R6, desc[UR4][R2.64]"),
    (3, "[B------:R-:W1:-:S02] LDG.E R7, desc[UR4][R2.64+0x4]"),
    (3, "[B------:R-:W1:-:S02] LDG.E R8, desc[UR4][R2.64+0x8]"),
    (3, "[B------:R-:W1:-:S02] LDG.E R9, desc[UR4][R2.64+0xc]"),
    (3, "[B-1----:R-:W-:-:S05] FADD R6, R6, R7"),
    (3, "[B------:R-:W-:-:S05] FADD R6, R6, R8"),
    (3, "[B------:R-:W-:-:S05] FADD R6, R6, R9"),
    (4, "[B------:R-:W-:-:S06] IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x218]"),
    (4, "[B------:R-:W-:-:S02] STG.E desc[UR4][R4.64], R6"),
    (4, "[B------:R-:W-:-:S02] NOP"),
];

#[test]
fn a_line_counts_the_requests_of_all_copies_of_an_access() {
    let analysis = attached(ROWS, &ROWS_CODE, LAUNCH);
    let found = analysis.model_diagnostics().expect("nothing cancels it");
    let messages: Vec<&str> = found
        .iter()
        .filter(|finding| finding.code == "uncoalesced-access")
        .map(|finding| finding.message.as_str())
        .collect();
    let [only] = messages[..] else { panic!("{messages:?}") };
    assert!(only.contains("(4 requests per warp, 112 wasted)"), "{only}");
}

/// A kernel with two conflicting shared-memory accesses on one line.
const TWO: &str = "__global__ void k(const float *x, float *y) {\n  __shared__ float s[256];\n  y[threadIdx.x] = s[threadIdx.x * 4] + s[(threadIdx.x * 8) % 64];\n}\n";

const TWO_CODE: [(u32, &str); 9] = [
    (3, "[B------:R-:W0:-:S02] S2R R0, SR_TID.X"),
    (3, "[B0-----:R-:W-:-:S06] IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x218]"),
    (3, "[B------:R-:W-:-:S05] IMAD.SHL.U32 R2, R0, 0x20, RZ"),
    (3, "[B------:R-:W-:-:S05] LOP3.LUT R2, R2, 0xe0, RZ, 0xc0, !PT"),
    (3, "[B------:R-:W-:-:S05] IMAD.SHL.U32 R3, R0, 0x10, RZ"),
    (3, "[B------:R-:W1:-:S02] LDS R6, [R2+0x400]"),
    (3, "[B------:R-:W1:-:S02] LDS R7, [R3+0x400]"),
    (3, "[B-1----:R-:W-:-:S05] FADD R6, R6, R7"),
    (3, "[B------:R-:W-:-:S02] STG.E desc[UR4][R4.64], R6"),
];

#[test]
fn each_of_two_findings_on_a_line_is_at_its_own_expression() {
    let launch = LAUNCH.replace("65536", "1").replace("256", "32");
    let analysis = attached(TWO, &TWO_CODE, &launch);
    let found = analysis.model_diagnostics().expect("nothing cancels it");
    let conflicts = found.iter().filter(|finding| finding.code == "bank-conflict");
    let at: Vec<(&str, &str)> =
        conflicts.map(|finding| (&TWO[finding.range.clone()], &finding.message[..5])).collect();
    assert_eq!(at, [("s[threadIdx.x * 4]", "4-way"), ("s[(threadIdx.x * 8) % 64]", "2-way")]);
}

/// A kernel whose row pitch is a parameter that no launch states.
const PITCH: &str = "__global__ void k(const float *x, float *y, int pitch) {\n  y[threadIdx.x] = x[threadIdx.x * pitch];\n}\nvoid host(const float *x, float *y, int n) { k<<<n, dim3(16, 16)>>>(x, y, n); }\n";

const PITCH_CODE: [(u32, &str); 6] = [
    (2, "[B------:R-:W0:-:S02] S2R R0, SR_TID.X"),
    (2, "[B0-----:R-:W-:-:S05] IMAD R1, R0, c[0x0][0x220], RZ"),
    (2, "[B------:R-:W-:-:S06] IMAD.WIDE R2, R1, 0x4, c[0x0][0x210]"),
    (2, "[B------:R-:W1:-:S02] LDG.E R6, desc[UR4][R2.64]"),
    (2, "[B------:R-:W-:-:S06] IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x218]"),
    (2, "[B-1----:R-:W-:-:S02] STG.E desc[UR4][R4.64], R6"),
];

#[test]
fn a_finding_of_the_text_stays_where_the_code_does_not_know() {
    let analysis = attached(PITCH, &PITCH_CODE, "");
    let found = analysis.model_diagnostics().expect("nothing cancels it");
    let pitch: Vec<_> = found.iter().filter(|finding| finding.code == "uncoalesced-access").collect();
    let [only] = pitch[..] else { panic!("{found:?}") };
    assert!(only.message.contains("for any `pitch`"), "{only:?}");
    assert_eq!(only.severity, Severity::Info);
}

#[test]
fn a_lens_names_the_arguments_of_its_template() {
    let source = STREAM.replace("__global__", "template <int N> __global__");
    let launch = LAUNCH.replace("_Z1kPKfPf", "k<4>");
    let analysis = attached_as("_Z1kILi4EEvPKfPf", &source, &STREAM_CODE, &launch);
    let lenses = analysis.lenses().expect("it is not cancelled");
    let titles: Vec<&str> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    assert!(titles.iter().any(|title| title.starts_with("<4>: ")), "{titles:?}");
}

#[test]
fn the_listing_of_a_source_has_the_launches_of_its_host_code() {
    let source = format!("{STREAM}void run(float *x, float *y) {{ k<<<4096, 256>>>(x, y); }}\n");
    let (mut host, listing) = opened("_Z1kPKfPf", &source, &STREAM_CODE, "");
    let code = host.code(PATH).expect("it is attached");
    let figures = |host: &Host, id: &str| -> String {
        let analysis = host.snapshot(id, Cancel::default()).expect("it is open");
        let lenses = analysis.lenses().expect("it is not cancelled");
        lenses.into_iter().map(|lens| lens.title).find(|title| title.contains(" cycles")).unwrap_or_default()
    };
    let of_source = figures(&host, PATH);
    assert!(of_source.contains("line 6") && !of_source.contains("assumed launch"), "{of_source}");

    host.open_as("k.sass", 1, Language::Sass, &listing);
    assert!(figures(&host, "k.sass").contains("assumed launch"));
    let listed = host.snapshot(PATH, Cancel::default()).expect("it is open").listed(&code);
    host.set_code("k.sass", listed);
    assert_eq!(figures(&host, "k.sass"), of_source);
}
