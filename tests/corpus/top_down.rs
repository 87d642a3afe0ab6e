//! The top-down tree of the measured kernels, compared with figures computed from Nsight Compute's pages.

use ide::profiles::{self, Node, Thresholds, Tree};
use machine::Machine;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/hardware/h100/kernels");
    folder.exists().then_some(folder)
}

const MISSING: &str =
    "../shared/hardware/h100/kernels is missing, so no tree is compared with the profiler's pages";

/// The rows of the raw page by title, read without the project's readers.
fn rows(page: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(true).from_reader(page.as_bytes());
    let titles = reader.headers().expect("a head").clone();
    let records = reader.records().map(|record| record.expect("a row"));
    let row = |record: csv::StringRecord| {
        titles.iter().zip(record.iter()).map(|(title, cell)| (title.to_owned(), cell.to_owned())).collect()
    };
    // The first row holds the units.
    records.skip(1).map(row).collect()
}

fn number(row: &BTreeMap<String, String>, name: &str) -> f64 {
    row[name].replace(',', "").parse().unwrap_or_else(|_| panic!("{name} is {}", row[name]))
}

fn assert_near(own: f64, wanted: f64, what: &str) {
    assert!((own - wanted).abs() <= 1e-6 * wanted.abs().max(1.0), "{what}: {own} and {wanted}");
}

/// Asserts that the shares of each node's children add up to 1.
fn assert_shared(node: &Node) {
    if !node.children.is_empty() {
        assert_near(node.children.iter().map(|child| child.share).sum(), 1.0, &node.name);
    }
    node.children.iter().for_each(assert_shared);
}

fn reasons(tree: &Tree) -> Vec<&Node> {
    tree.root.children.iter().flat_map(|category| &category.children).collect()
}

#[test]
fn the_top_reason_and_all_shares_are_those_of_the_pages() {
    let Some(folder) = folder() else { return testkit::left_out(MISSING) };
    let page = std::fs::read_to_string(folder.join("ncu-raw.csv")).expect("the page is there");
    let profile = profiles::read(page.as_bytes()).expect("a page");
    let rows = rows(&page);
    assert_eq!((rows.len(), profile.launches.len()), (28, 28));
    let times = &Machine::builtin().gpu("h100-sxm").expect("a GPU").arch.memory;
    for (row, launch) in rows.iter().zip(&profile.launches) {
        let name = &row["Kernel Name"];
        let tree =
            profiles::tree(launch, None, &Thresholds::default()).expect("a GPU").expect("stall reasons");
        assert_shared(&tree.root);
        let (start, end) = ("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio");
        let stalls: Vec<(&str, f64)> = row
            .keys()
            .filter_map(|title| title.strip_prefix(start)?.strip_suffix(end))
            .filter(|reason| !reason.ends_with("selected"))
            .map(|reason| (reason, number(row, &format!("{start}{reason}{end}"))))
            .collect();
        let total: f64 = stalls.iter().map(|(_, amount)| amount).sum();
        let (top, _) = stalls.iter().max_by(|(_, one), (_, other)| one.total_cmp(other)).expect("stalls");
        let own = reasons(&tree);
        let most = own.iter().max_by(|one, other| one.of_stalls.total_cmp(&other.of_stalls)).expect("stalls");
        assert_eq!(most.name, *top, "{name}");
        for (reason, amount) in stalls.iter().filter(|(_, amount)| *amount > 0.0) {
            let node = own.iter().find(|node| node.name == *reason).unwrap_or_else(|| panic!("{reason}"));
            assert_near(node.of_stalls, amount / total, reason);
        }
        // Equation 1.
        assert_near(
            tree.root.share,
            (4.0 - number(row, "sm__inst_executed.avg.per_cycle_active")) / 4.0,
            name,
        );
        // Table 1 and Equations 2 to 4.
        let Some(memory) = own.iter().find(|node| node.name == "long_scoreboard") else { continue };
        let requests: f64 = ["ld", "st", "atom", "red"]
            .iter()
            .map(|kind| number(row, &format!("l1tex__t_requests_pipe_lsu_mem_global_op_{kind}.sum")))
            .sum();
        let lines = number(row, "memory_l1_tag_requests_global") / requests;
        let miss = |title: &str| (1.0 - number(row, title) / 100.0).clamp(0.0, 1.0);
        let (l1_miss, l2_miss) = (miss("l1tex__t_sector_hit_rate.pct"), miss("lts__t_sector_hit_rate.pct"));
        let l1 = f64::from(times.l1_hit.value) + 2.0 * (lines - 1.0).max(0.0);
        let l2 = l1_miss * f64::from(times.l2_hit.value);
        let dram = l1_miss * l2_miss * f64::from(times.dram.value);
        let share = |level: &str| {
            memory.children.iter().find(|node| node.name == level).map_or(0.0, |node| node.share)
        };
        for (level, cycles) in [("l1", l1), ("l2", l2), ("dram", dram)] {
            assert_near(share(level), cycles / (l1 + l2 + dram), &format!("{level} of {name}"));
        }
    }
}

#[test]
fn a_report_and_its_pages_have_the_same_tree_and_the_report_knows_lines() {
    let Some(folder) = folder() else { return testkit::left_out(MISSING) };
    let read =
        |name: &str| profiles::read(&std::fs::read(folder.join(name)).expect("a file")).expect("a profile");
    let (report, raw, page) =
        (read("report.ncu-rep"), read("report.raw.csv"), read("report.source-cuda-sass.csv"));
    for ((report, raw), page) in report.launches.iter().zip(&raw.launches).zip(&page.launches) {
        let tree =
            |launch| profiles::tree(launch, None, &Thresholds::default()).expect("a GPU").expect("stalls");
        let (own, of_page) = (tree(report), tree(raw));
        for (own, of_page) in reasons(&own).iter().zip(reasons(&of_page)) {
            assert_eq!(own.name, of_page.name);
            assert!((own.of_stalls - of_page.of_stalls).abs() < 1e-4, "{}", own.name);
        }
        let lines = |launch: &profiles::Launch| -> BTreeMap<u64, u32> {
            let own = launch.lines.iter().filter(|line| line.file.ends_with("kernels.cu"));
            own.flat_map(|line| line.offsets.iter().map(|offset| (*offset, line.number))).collect()
        };
        let (own, of_page) = (lines(report), lines(page));
        // The page lists an instruction below each of several lines. The table names one of these lines.
        let same = own.iter().filter(|(offset, line)| of_page.get(offset) == Some(line)).count();
        assert!(own.len() > 20 && same * 10 >= own.len() * 9, "{same} of {}", own.len());
    }
}

#[test]
fn a_report_has_the_instructions_and_the_bank_conflicts_of_its_page() {
    let Some(folder) = folder() else { return testkit::left_out(MISSING) };
    let read =
        |name: &str| profiles::read(&std::fs::read(folder.join(name)).expect("a file")).expect("a profile");
    let (report, page) = (read("report.ncu-rep"), read("report.source-sass.csv"));
    assert_eq!(report.launches.len(), page.launches.len());
    let mut reported = 0;
    for (report, page) in report.launches.iter().zip(&page.launches) {
        assert_eq!(report.instructions.offsets(), page.instructions.offsets(), "{}", report.kernel.demangled);
        assert!(report.instructions.counted_len() < report.instructions.len(), "nothing fills up the code");
        let tree =
            |launch| profiles::tree(launch, None, &Thresholds::default()).expect("a GPU").expect("stalls");
        let (own, of_page) = (tree(report), tree(page));
        let of_page = reasons(&of_page);
        for node in reasons(&own) {
            let Some(other) = of_page.iter().find(|other| other.name == node.name) else { continue };
            let shared = |node: &Node| -> Vec<(&'static str, f64)> {
                let facts = node.facts.iter().filter(|fact| fact.name.ends_with("_conflicts"));
                facts.map(|fact| (fact.name, fact.value)).collect()
            };
            assert_eq!(shared(node), shared(other), "{} of {}", node.name, report.kernel.demangled);
            let parts = |node: &Node| -> Vec<(String, f64)> {
                let parts = node.children.iter().filter(|part| part.name.ends_with("_conflicts"));
                parts.map(|part| (part.name.to_string(), part.share)).collect()
            };
            assert_eq!(parts(node), parts(other), "{} of {}", node.name, report.kernel.demangled);
            reported += parts(node).len();
        }
    }
    assert!(reported > 0, "a kernel has bank conflicts");
}

/// A host with the listing and the measured launches with their instructions, as one profile.
fn measured_host() -> Option<ide::Host> {
    let folder = folder()?;
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let read = |name: &str| profiles::read(text(name).as_bytes()).expect("a profile");
    let (mut raw, source) = (read("ncu-raw.csv"), read("ncu-source.csv"));
    assert_eq!((raw.launches.len(), source.launches.len()), (28, 28));
    for (launch, of_source) in raw.launches.iter_mut().zip(source.launches) {
        assert_eq!(launch.kernel.demangled, of_source.kernel.demangled);
        launch.instructions = of_source.instructions;
    }
    let mut host = ide::Host::default();
    let launches = format!("gpu = \"h100-sxm\"\n{}", text("launches.toml"));
    let launches = ide::LaunchFile::parse("launches.toml", &launches).expect("it is right");
    host.set_launches(Some(launches)).expect("a GPU");
    host.open("kernels.sass", 1, &text("kernels.sass"));
    host.attach_profiles(vec![ide::AttachedProfile { name: "report".to_owned(), profile: raw.into() }]);
    Some(host)
}

/// Kernels and messages of the findings that the model deviates far from the measurement.
fn far_off(host: &ide::Host) -> Vec<String> {
    let analysis = host.snapshot("kernels.sass", ide::Cancel::default()).expect("it is open");
    let found = analysis.model_diagnostics().expect("nothing cancels it");
    let found = found.iter().filter(|finding| finding.code == "model-far-off");
    let words = |finding: &ide::Diagnostic| {
        format!("{}: {}", finding.function.as_deref().unwrap_or_default(), finding.message)
    };
    found.map(words).collect()
}

#[test]
fn the_model_is_far_off_of_no_measured_kernel() {
    let Some(mut host) = measured_host() else { return testkit::left_out(MISSING) };
    let analysis = host.snapshot("kernels.sass", ide::Cancel::default()).expect("it is open");
    let mut compared = 0;
    for place in analysis.lens_places().expect("nothing cancels it") {
        let lens = analysis.lens(place.kernel, place.of).expect("nothing cancels it").expect("a lens");
        match place.of {
            ide::LensSubject::Measured => {
                assert!(lens.detail.contains(" cycles measured; predicted: "), "{}", lens.detail);
                compared += 1;
            }
            ide::LensSubject::Launch(0) => assert!(lens.title.contains("· with profile ·"), "{}", lens.title),
            _ => {}
        }
    }
    assert!(compared >= 20, "{compared} kernels");
    assert_eq!(far_off(&host), Vec::<String>::new());
    let without = ide::Config { predict_with_profile: false, ..ide::Config::default() };
    host.configure(without).expect("any configuration works");
    assert_eq!(far_off(&host), Vec::<String>::new());
}
