//! Compares reports with the pages that Nsight Compute prints for them. The files are in the shared folder next to
//! the repository.
#![expect(clippy::disallowed_methods, reason = "a test reads files")]
#![expect(clippy::unwrap_used, reason = "a test fails where something is missing")]

use profile::{Launch, Profile, Value};
use std::path::{Path, PathBuf};

fn measured(name: &str) -> Option<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/hardware/h100/kernels");
    let file: &Path = &folder.join(name);
    file.exists().then(|| std::fs::read(file).unwrap())
}

const MISSING: &str = "../shared/hardware/h100/kernels is missing, so no report is compared with its pages";

fn read(name: &str) -> Option<Profile> {
    Some(profile::read(&measured(name)?).unwrap())
}

/// True if a number from a report equals the number printed on a page, to the printed precision. The printed number
/// is in units of `factor` base units.
fn is_printed(own: f64, printed: &str, factor: f64) -> bool {
    let digits = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
    let step = factor * 10_f64.powi(-i32::try_from(digits).unwrap());
    let printed: f64 = printed.replace(',', "").parse().unwrap();
    (own - printed * factor).abs() <= 0.5001 * step
}

/// Returns one row per launch of a raw page, as pairs of column title and printed cell.
fn raw_cells(name: &str) -> Vec<Vec<(String, String)>> {
    let bytes = measured(name).unwrap();
    let mut rows = csv::Reader::from_reader(&bytes[..]);
    let titles: Vec<String> = rows.headers().unwrap().iter().map(str::to_owned).collect();
    let launches = rows.into_records().skip(1).map(|row| {
        let cells = titles.iter().cloned().zip(row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
        cells.collect()
    });
    launches.collect()
}

#[test]
fn launches_are_those_of_the_raw_page() {
    let (Some(report), Some(raw)) = (read("report.ncu-rep"), read("report.raw.csv")) else {
        return testkit::left_out(MISSING);
    };
    assert_eq!(report.launches.len(), 4);
    assert_eq!(report.cut, None);
    assert_eq!(raw.cut, None);
    let printed = raw_cells("report.raw.csv");
    assert_eq!(printed.len(), raw.launches.len());
    for ((report, raw), cells) in report.launches.iter().zip(&raw.launches).zip(&printed) {
        assert_eq!(report.kernel.demangled, raw.kernel.demangled);
        assert!(report.kernel.mangled.as_ref().unwrap().starts_with("_Z"));
        let identity = |launch: &Launch| (launch.grid, launch.block, launch.capability);
        assert_eq!(identity(report), identity(raw));
        assert_eq!(report.capability, Some((9, 0)));
        let (mut compared, mut scaled) = (0, 0);
        for (name, cell) in cells {
            let Some(metric) = raw.metrics.get(&**name) else { continue };
            let own = report.metrics.get(&**name).and_then(|own| own.value.as_ref());
            match (own, &metric.value) {
                (_, None) => {}
                (Some(Value::Text(own)), Some(Value::Text(printed))) => assert_eq!(own, printed, "{name}"),
                (Some(own), Some(base)) => {
                    let (Some(own), Some(base)) = (own.number(), base.number()) else { continue };
                    let shown: f64 = cell.replace(',', "").parse().unwrap();
                    // Ratio of the printed unit to the base unit, as the page's reader determines it.
                    let factor = if shown == 0.0 { 1.0 } else { base / shown };
                    assert!(is_printed(own, cell, factor), "{name}: {own} and {cell}, {:?}", metric.unit);
                    compared += 1;
                    scaled += usize::from(factor > 999.0);
                }
                (None, _) => panic!("{name} is not in the report"),
            }
        }
        assert!(compared > 500 && scaled > 20, "{compared} {scaled}");
        let small = raw.metrics.values().filter_map(|metric| metric.unit.as_deref());
        assert!(small.clone().any(|unit| unit == "ns") && small.clone().any(|unit| unit == "byte/s"));
        assert!(small.clone().all(|unit| !unit.starts_with(['K', 'M', 'G', 'T']) && unit != "us"));
    }
}

#[test]
fn counts_of_instructions_are_those_of_the_source_page() {
    let (Some(report), Some(page)) = (read("report.ncu-rep"), read("report.source-sass.csv")) else {
        return testkit::left_out(MISSING);
    };
    assert_eq!(page.launches.len(), report.launches.len());
    for (report, page) in report.launches.iter().zip(&page.launches) {
        assert_eq!(report.kernel.demangled, page.kernel.demangled);
        let mut compared = 0;
        for metric in page.instructions.metrics() {
            for (at, offset) in page.instructions.offsets().iter().enumerate() {
                let Some(printed) = page.instructions.count(metric, at) else { continue };
                let own = report.instructions.offsets().binary_search(offset).ok();
                let own = own.and_then(|at| report.instructions.count(metric, at)).unwrap_or(0.0);
                let is_same = is_printed(own, &printed.to_string(), 1.0);
                assert!(is_same, "{metric} at {offset}: {own} and {printed}");
                compared += usize::from(printed != 0.0);
            }
        }
        assert!(compared > 300, "{compared}");
        assert!(page.instructions.text(0).unwrap().starts_with("LDC R1"), "{:?}", page.instructions.text(0));
    }
}

#[test]
fn the_source_page_of_all_kernels_is_read_with_each_launch_once() {
    let (Some(source), Some(raw)) = (read("ncu-source.csv"), read("ncu-raw.csv")) else {
        return testkit::left_out(MISSING);
    };
    let kernels = |profile: &Profile| -> Vec<String> {
        profile.launches.iter().map(|launch| launch.kernel.demangled.clone()).collect()
    };
    assert_eq!(kernels(&source), kernels(&raw));
    for (source, raw) in source.launches.iter().zip(&raw.launches) {
        for metric in ["smsp__pcsamp_sample_count", "inst_executed"] {
            let (own, total) = (source.metric(metric), raw.metric(metric));
            if total.is_some() {
                assert_eq!(own, total, "{metric} of {}", source.kernel.demangled);
            }
        }
    }
}

#[test]
fn the_page_by_line_and_instruction_counts_what_the_page_by_instruction_counts() {
    let (Some(lines), Some(page)) = (read("report.source-cuda-sass.csv"), read("report.source-sass.csv"))
    else {
        return testkit::left_out(MISSING);
    };
    assert_eq!(lines.launches.len(), page.launches.len());
    for (lines, page) in lines.launches.iter().zip(&page.launches) {
        assert_eq!(lines.kernel.demangled, page.kernel.demangled);
        assert!(lines.lines.len() > 3 && lines.lines.iter().all(|line| line.file.ends_with("kernels.cu")));
        let of_lines: usize = lines.lines.iter().map(|line| line.offsets.len()).sum();
        assert!(of_lines >= lines.instructions.len());
        let mut compared = 0;
        for (at, offset) in lines.instructions.offsets().iter().enumerate() {
            let own = page.instructions.offsets().binary_search(offset).unwrap();
            assert_eq!(lines.instructions.text(at), page.instructions.text(own));
            for metric in lines.instructions.metrics() {
                assert_eq!(
                    lines.instructions.count(metric, at),
                    page.instructions.count(metric, own),
                    "{metric}"
                );
                compared += 1;
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}

#[test]
fn both_pages_of_details_tell_the_same() {
    let (Some(text), Some(csv)) = (read("report.details.txt"), read("report.details.csv")) else {
        return testkit::left_out(MISSING);
    };
    assert_eq!(text.launches.len(), 4);
    for (text, csv) in text.launches.iter().zip(&csv.launches) {
        assert_eq!(text.kernel, csv.kernel);
        let identity = |launch: &Launch| (launch.grid, launch.block, launch.capability, launch.device);
        assert_eq!(identity(text), identity(csv));
        assert_eq!(text.details, csv.details);
        assert!(text.details.len() > 40, "{}", text.details.len());
    }
}

#[test]
fn a_page_of_the_source_alone_says_what_to_print_instead() {
    let Some(bytes) = measured("report.source-cuda.csv") else { return testkit::left_out(MISSING) };
    assert_eq!(profile::read(&bytes), Err(profile::Error::SourceAlone));
}

#[test]
fn a_truncated_report_keeps_the_part_before_the_cut() {
    let Some(bytes) = measured("report.ncu-rep") else { return testkit::left_out(MISSING) };
    let whole = profile::read(&bytes).unwrap();
    let mut last = 0;
    for length in (0..bytes.len()).step_by(1021) {
        match profile::read(&bytes[..length]) {
            Ok(part) => {
                assert!(
                    part.launches.len() >= last && part.launches[..] == whole.launches[..part.launches.len()]
                );
                assert!(part.cut.is_some() || part.launches.len() == whole.launches.len());
                last = part.launches.len();
            }
            Err(error) => assert!(last == 0 && error.to_string().starts_with("expected"), "{error}"),
        }
    }
    assert!(last >= 3);
}

#[test]
fn a_report_with_flipped_bits_never_panics() {
    let Some(bytes) = measured("report.ncu-rep") else { return testkit::left_out(MISSING) };
    // Flips bytes at random positions; most effective are those where messages begin.
    let mut state = 1_u64;
    for _ in 0..60 {
        let mut bytes = bytes.clone();
        for _ in 0..20 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] ^= 1 << (state & 7);
        }
        let _ = profile::read(&bytes);
    }
}
