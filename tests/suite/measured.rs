//! Advice from measurements, at the lines of a source, and the changes that implement it.

use crate::session::host;
use ide::profiles::{Instances, Line, Metric, Profile, Value, read};
use ide::{Analysis, AttachedProfile, Cancel, Config, Diagnostic, Host, Language, TextEdit};
use std::sync::Arc;

/// The document, which the profile lists under another folder.
const DOCUMENT: &str = "file:///src/kernel.cu";

const TRANSPOSE: &str = "\
__global__ void transpose(const float *in, float *out, int size) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * size + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * size + x] = tile[threadIdx.x][threadIdx.y];
}

void run(const float *in, float *out) {
    transpose<<<dim3(32, 32), dim3(32, 32)>>>(in, out, 1024);
}
";

/// A launch of the kernel in which the load of the tile, on line 9, stalls on the instruction queue of shared
/// memory (`stall_mio`).
fn profile(text: &str, metrics: &[(&str, f64)]) -> Arc<Profile> {
    let page = "\"Kernel Name\",\"transpose\",\n\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"stall_mio\",\"stall_long_sb\",\"stall_short_sb\"\n\
                \"0x7f00\",\"LDG.E R2, [R4.64]\",\"10\",\"64\",\"0\",\"10\",\"0\"\n\
                \"0x7f10\",\"LDS R2, [R4]\",\"90\",\"64\",\"80\",\"0\",\"10\"\n\
                \"0x7f20\",\"EXIT\",\"0\",\"64\",\"0\",\"0\",\"0\"\n";
    let mut profile = read(page.as_bytes()).expect("a page");
    let launch = &mut profile.launches[0];
    // Profilers report each common reason, even if no warp stalled for it.
    let none = ["long_scoreboard", "barrier", "wait", "short_scoreboard", "math_pipe_throttle"]
        .map(|reason| (format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"), 0.0));
    let has_counters = metrics.iter().any(|(name, _)| name.contains("_issue_stalled_"));
    let none = none.iter().filter(|_| has_counters).map(|(name, value)| (&**name, value));
    for (name, value) in none.chain(metrics.iter().map(|(name, value)| (*name, value))) {
        let metric = Metric { value: Some(Value::Number(*value)), ..Metric::default() };
        launch.metrics.insert(name.into(), metric);
    }
    (launch.grid, launch.block) = (Some([32, 32, 1]), Some([32, 32, 1]));
    let line = |number, offset| Line { file: "/src/kernel.cu".into(), number, offsets: vec![offset] };
    launch.lines = vec![line(5, 0), line(9, 16), line(10, 32)];
    launch.sources = Arc::new([("/src/kernel.cu".into(), text.into())].into_iter().collect());
    Arc::new(profile)
}

fn with_profile(measured: &str, text: &str, metrics: &[(&str, f64)]) -> Analysis {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, text);
    host.attach_profiles(vec![AttachedProfile {
        name: "run.ncu-rep".to_owned(),
        profile: profile(measured, metrics),
    }]);
    snapshot(&host)
}

const CONFLICTS: &[(&str, f64)] = &[
    ("smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", 9.0),
    ("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 1.0),
    ("smsp__sass_inst_executed_op_shared_ld.sum", 100.0),
    ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 3100.0),
    ("l1tex__throughput.avg.pct_of_peak_sustained_elapsed", 95.0),
    ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 44.0),
    ("sm__inst_executed.avg.per_cycle_active", 0.4),
];

fn snapshot(host: &Host) -> Analysis {
    host.snapshot(DOCUMENT, Cancel::default()).expect("the document is open")
}

fn measured(analysis: &Analysis, code: &str) -> Option<Diagnostic> {
    let all = analysis.model_diagnostics().expect("nothing cancels it");
    all.into_iter().find(|finding| finding.group == "profile" && finding.code == code)
}

#[test]
fn measured_conflicts_are_reported_at_their_line_with_a_fix() {
    let analysis = with_profile(TRANSPOSE, TRANSPOSE, CONFLICTS);
    let finding = measured(&analysis, "shared-load-conflicts").expect("the conflicts are reported");
    assert_eq!(&TRANSPOSE[finding.range.clone()], "out[y * size + x] = tile[threadIdx.x][threadIdx.y];");
    // Of the 88 % that launches reach, 44 % are left.
    assert!(finding.message.contains("About 2.0x faster (estimated)"), "{}", finding.message);
    assert!(finding.message.ends_with("(measured: run.ncu-rep)"), "{}", finding.message);
    let followed =
        analysis.measured_fixes(finding.code, finding.range).unwrap().expect("the advice is there");
    assert_eq!(
        (followed.kernel.as_str(), followed.claimed.map(|times| (times * 100.0).round())),
        ("transpose", Some(200.0))
    );
    let pad =
        followed.fixes.iter().find(|fix| TextEdit::apply(&fix.edits, TRANSPOSE).contains("tile[32][33]"));
    let title = &pad.expect("a change pads the array").title;
    assert!(title.contains("about 2.0x faster, estimated]"), "{title}");
    assert!(followed.fixes.iter().all(|fix| !fix.title.starts_with("Suppress")), "{:?}", followed.fixes);
}

#[test]
fn a_line_that_has_changed_since_gets_no_advice() {
    let edited =
        TRANSPOSE.replace("= tile[threadIdx.x][threadIdx.y];", "= 2.0f * tile[threadIdx.x][threadIdx.y];");
    let analysis = with_profile(TRANSPOSE, &edited, CONFLICTS);
    assert_eq!(measured(&analysis, "shared-load-conflicts"), None);
    let moved = TRANSPOSE.replace("void run", "\n\nvoid run").replacen(
        "__global__",
        "// One more line.\n__global__",
        1,
    );
    let analysis = with_profile(TRANSPOSE, &moved, CONFLICTS);
    let finding = measured(&analysis, "shared-load-conflicts").expect("the line has only moved");
    assert_eq!(&moved[finding.range], "out[y * size + x] = tile[threadIdx.x][threadIdx.y];");
}

#[test]
fn a_guide_is_switched_off_like_a_rule() {
    let mut host = host();
    let off = serde_json::json!({"rules": {"shared-load-conflicts": "off"}});
    host.configure(Config::from_json(&off).expect("a guide has a level")).expect("no GPU is named");
    host.open_as(DOCUMENT, 1, Language::Cuda, TRANSPOSE);
    let profile = profile(TRANSPOSE, CONFLICTS);
    host.attach_profiles(vec![AttachedProfile { name: "run.ncu-rep".to_owned(), profile }]);
    let analysis = snapshot(&host);
    assert_eq!(measured(&analysis, "shared-load-conflicts"), None);
    assert!(measured(&analysis, "shared-queue-full").is_some());
}

#[test]
fn a_text_that_is_not_known_to_be_the_measured_one_gets_no_advice() {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, TRANSPOSE);
    let mut profile = Profile::clone(&profile(TRANSPOSE, CONFLICTS));
    profile.launches[0].sources = Arc::default();
    host.attach_profiles(vec![AttachedProfile {
        name: "run.ncu-rep".to_owned(),
        profile: Arc::new(profile),
    }]);
    assert_eq!(measured(&snapshot(&host), "shared-load-conflicts"), None);
}

#[test]
fn bounds_leave_registers_for_one_more_block() {
    let metrics = [
        ("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 9.0),
        ("sm__warps_active.avg.per_cycle_active", 8.0),
        ("sm__inst_executed.avg.per_cycle_active", 0.4),
        ("launch__occupancy_limit_registers", 1.0),
        ("launch__occupancy_limit_warps", 2.0),
    ];
    let analysis = with_profile(TRANSPOSE, TRANSPOSE, &metrics);
    let finding = measured(&analysis, "few-warps").expect("few warps are reported");
    let followed =
        analysis.measured_fixes(finding.code, finding.range).unwrap().expect("the advice is there");
    let [bounds, ..] = followed.fixes.as_slice() else { panic!("no change follows it") };
    let edited = TextEdit::apply(&bounds.edits, TRANSPOSE);
    assert!(edited.starts_with("__global__ void __launch_bounds__(1024, 2) transpose("), "{edited}");
    // Half of the stalls, in 0.9 of the issue slots, all of which are due to memory.
    assert_eq!(followed.claimed.map(|times| (times * 100.0).round()), Some(182.0));
}

#[test]
fn constants_of_double_precision_are_changed_together() {
    let text = TRANSPOSE.replace("= tile[threadIdx.x]", "= 2.1 * tile[threadIdx.x]").replace(
        "+ x];
    __sync",
        "+ x] * 0.3;
    __sync",
    );
    let mut profile = Profile::clone(&profile(&text, CONFLICTS));
    let opcodes = [("F2F.F64.F32", 10.0), ("DFMA", 20.0), ("FADD", 70.0)];
    let opcodes = opcodes.map(|(opcode, count)| (opcode.to_owned(), Value::Number(count))).to_vec();
    let all = Metric { instances: Instances::ByName(opcodes), ..Metric::default() };
    let metrics = &mut profile.launches[0].metrics;
    metrics.insert("sass__inst_executed_per_opcode_with_modifier_all".into(), all);
    let waits = Metric { value: Some(Value::Number(90.0)), ..Metric::default() };
    metrics.insert("smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio".into(), waits);
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, &text);
    host.attach_profiles(vec![AttachedProfile {
        name: "run.ncu-rep".to_owned(),
        profile: Arc::new(profile),
    }]);
    let analysis = snapshot(&host);
    let all = analysis.model_diagnostics().expect("nothing cancels it");
    let reported: Vec<_> = all.iter().map(|finding| (finding.code, &text[finding.range.clone()])).collect();
    let finding = measured(&analysis, "double-by-accident");
    let finding = finding.unwrap_or_else(|| panic!("double precision is reported: {reported:?}"));
    let followed =
        analysis.measured_fixes(finding.code, finding.range).unwrap().expect("the advice is there");
    let [both] = followed.fixes.as_slice() else { panic!("not one change: {:?}", followed.fixes) };
    let edited = TextEdit::apply(&both.edits, &text);
    assert!(edited.contains("= 2.1f * tile[threadIdx.x]") && edited.contains("+ x] * 0.3f;"), "{edited}");
    assert!(both.title.contains("(2 places) [from the profile: about 1.3x faster"), "{}", both.title);
}
