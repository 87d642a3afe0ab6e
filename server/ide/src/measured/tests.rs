//! Predictions compared with measurements of a profile.

use crate::profiles::{Metric, Profile, Value, read};
use crate::{Analysis, AttachedProfile, Cancel, Config, Host, LaunchFile, LensSubject};
use std::sync::Arc;

/// A listing with a loop whose trip count is in a register.
const CLOCKS: &str = include_str!("../../../lsp/tests/cli/clocks.sass");

/// Profile of two launches of `uncounted`, in which the loop runs 40 and 1,000 times. The first launch is printed
/// twice.
const COUNTED: &str = include_str!("../../../lsp/tests/cli/counted.csv");

const LAUNCH: &str = "[[launch]]\nfunction = \"uncounted\"\ngrid = [132]\nblock = [128]\nregisters = 8\n";

fn host(launches: &str) -> Host {
    let mut host = Host::default();
    let file =
        LaunchFile::parse("launches", &format!("gpu = \"h100-sxm\"\n{launches}")).expect("the file is valid");
    host.set_launches(Some(file)).expect("it names a GPU");
    host.open("clocks.sass", 1, CLOCKS);
    host
}

fn attach(host: &mut Host, profile: Profile) {
    host.attach_profiles(vec![AttachedProfile {
        name: "counted.csv".to_owned(),
        profile: Arc::new(profile),
    }]);
}

/// The profile [`COUNTED`] with a grid and block for each launch, and with the duration `cycles` if it is given.
fn counted(cycles: Option<f64>) -> Profile {
    let mut profile = read(COUNTED.as_bytes()).expect("the page can be parsed");
    for launch in &mut profile.launches {
        (launch.grid, launch.block) = (Some([132, 1, 1]), Some([128, 1, 1]));
        if let Some(cycles) = cycles {
            let metric = Metric { value: Some(Value::Number(cycles)), ..Metric::default() };
            launch.metrics.insert("sm__cycles_elapsed.max".into(), metric);
        }
    }
    profile
}

fn analysis(host: &Host) -> Analysis {
    host.snapshot("clocks.sass", Cancel::default()).expect("it is open")
}

/// Index of the chunk of the kernel with the loop.
fn kernel(analysis: &Analysis) -> usize {
    let sass = analysis.sass().expect("it is SASS");
    let mut kernels = sass.kernels();
    kernels.find(|(_, chunk)| chunk.name() == Some("uncounted")).expect("it is there").0
}

fn title(host: &Host, launch: usize) -> String {
    let analysis = analysis(host);
    analysis.lens(kernel(&analysis), LensSubject::Launch(launch)).unwrap().expect("it has one").title
}

fn far_off(host: &Host) -> Vec<String> {
    let found = analysis(host).model_diagnostics().unwrap().into_iter();
    found.filter(|finding| finding.code == "model-far-off").map(|finding| finding.message).collect()
}

/// Cycles in a title: `~1,234 cycles`.
fn cycles(title: &str) -> f64 {
    let (_, rest) = title.split_once('~').unwrap_or_else(|| panic!("no number: {title}"));
    rest.split_once(" cycles").expect("it has cycles").0.replace(',', "").parse().expect("it is a number")
}

/// A line counts only the samples of its own kernel, because one report may contain launches of unrelated kernels.
#[test]
fn a_line_has_its_share_of_its_own_kernel() {
    let mut profile = read(COUNTED.as_bytes()).expect("the page can be parsed");
    profile.launches.truncate(2);
    profile.launches[1].kernel.demangled = "other(int)".into();
    for (launch, number) in profile.launches.iter_mut().zip([1, 3]) {
        let offsets = launch.instructions.offsets().to_vec();
        launch.lines = vec![
            crate::profiles::Line { file: "k.cu".into(), number, offsets: offsets.clone() },
            // Both have code of this one.
            crate::profiles::Line { file: "k.cu".into(), number: 2, offsets: offsets[..1].to_vec() },
        ];
    }
    let mut host = Host::default();
    let text = "first();\nboth();\nsecond();\n";
    host.open_as("k.cu", 1, crate::Language::Cuda, text);
    attach(&mut host, profile);
    let analysis = host.snapshot("k.cu", Cancel::default()).expect("it is open");
    let heat = analysis.heat(&(0..text.len())).unwrap().expect("lines have samples");
    let of = |line: &str| {
        let place = text.find(line).expect("it is there");
        let own = heat.lines.iter().find(|heat| heat.range.start == place);
        own.unwrap_or_else(|| panic!("{heat:?}")).clone()
    };
    assert!((of("first").share - 1.0).abs() < 1e-9, "{heat:?}");
    assert!((of("second").share - 1.0).abs() < 1e-9, "{heat:?}");
    assert!(of("first").words.contains("100.0 % of the samples of uncounted"), "{heat:?}");
    assert!(of("second").words.contains("100.0 % of the samples of other"), "{heat:?}");
    let hover = analysis.hover(text.find("both").unwrap()).unwrap().expect("it has figures").markdown;
    assert!(hover.contains("The line also has ") && hover.contains("% of the samples of `"), "{hover}");
}

#[test]
fn the_shown_launch_has_the_counts_of_the_profile_until_it_is_taken_off() {
    let mut host = host(&LAUNCH.repeat(2));
    let before = title(&host, 0);
    assert!(before.contains(" for cycles") && !before.contains("with profile"), "{before}");
    attach(&mut host, read(COUNTED.as_bytes()).expect("the page can be parsed"));
    let (first, second) = (title(&host, 0), title(&host, 1));
    assert!(first.contains("· with profile") && !second.contains("with profile"), "{first} {second}");
    let short = cycles(&first);

    host.choose_launch("uncounted()", 1);
    let (first, second) = (title(&host, 0), title(&host, 1));
    assert_eq!(first, before);
    assert!(cycles(&second) > 5.0 * short, "{second}");
    let analysis = analysis(&host);
    let lens = analysis.lens(kernel(&analysis), LensSubject::Launch(1)).unwrap().expect("it has one");
    assert!(
        lens.detail
            .contains("- From the profile: executed, lanes, lines, sectors (launch 2 of 2 in counted.csv)")
    );
    assert!(lens.detail.contains("with profile)"), "{}", lens.detail);

    host.configure(Config { predict_with_profile: false, ..Config::default() }).unwrap();
    assert_eq!(title(&host, 1), before);
    host.configure(Config::default()).unwrap();
    host.attach_profiles(Vec::new());
    assert_eq!(title(&host, 1), before);
}

#[test]
fn an_unstated_launch_has_the_measured_size() {
    let mut host = host("");
    assert!(title(&host, 0).contains("· assumed launch"));
    attach(&mut host, read(COUNTED.as_bytes()).expect("the page can be parsed"));
    assert!(title(&host, 0).contains("· assumed launch"), "counts of an unknown number of warps say nothing");
    attach(&mut host, counted(None));
    let sized = title(&host, 0);
    assert!(sized.contains("· with profile") && cycles(&sized) > 0.0, "{sized}");
}

#[test]
fn samples_and_cycles_change_no_prediction() {
    let mut host = host(LAUNCH);
    attach(&mut host, counted(None));
    let wanted = title(&host, 0);
    let mut profile = counted(Some(1e9));
    for launch in &mut profile.launches {
        launch.metrics.insert("smsp__pcsamp_sample_count".into(), Metric::default());
    }
    attach(&mut host, profile);
    assert_eq!(title(&host, 0), wanted);
}

#[test]
fn what_was_measured_comes_ahead_of_what_is_predicted() {
    let mut host = host(LAUNCH);
    attach(&mut host, counted(Some(1e6)));
    let analysis = analysis(&host);
    let kernel = kernel(&analysis);
    let at = CLOCKS.find("uncounted").expect("the kernel is there");
    let inst = at + CLOCKS[at..].find("BRA").expect("the loop is there");
    let hover = analysis.hover(inst).unwrap().expect("it has figures").markdown;
    let place = |part: &str| hover.find(part).unwrap_or_else(|| panic!("no {part}: {hover}"));
    assert!(place("Measured") < place("- GPU: "), "{hover}");
    assert!(!hover.contains("\n---\n"), "{hover}");
    let places = analysis.lens_places().unwrap();
    let of: Vec<LensSubject> =
        places.iter().filter(|place| place.kernel == kernel).map(|place| place.of).collect();
    assert_eq!(of[0], LensSubject::Measured, "{of:?}");
}

#[test]
fn a_large_deviation_is_reported_only_for_the_same_launch() {
    let mut host = host(LAUNCH);
    attach(&mut host, counted(None));
    let predicted = cycles(&title(&host, 0));
    assert_eq!(far_off(&host), Vec::<String>::new(), "nothing was measured");
    attach(&mut host, counted(Some(1.4 * predicted)));
    assert_eq!(far_off(&host), Vec::<String>::new());
    attach(&mut host, counted(Some(3.0 * predicted)));
    let found = far_off(&host);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains(" % with profile; ") && found[0].contains("a factor of 3.0"), "{found:?}");
    let hover = {
        let analysis = analysis(&host);
        let at = CLOCKS.find("uncounted").expect("the kernel is there");
        analysis.hover(at).unwrap().map(|hover| hover.markdown).unwrap_or_default()
    };
    assert!(hover.contains("- Duration: ") && hover.contains(" cycles measured; predicted: ~"), "{hover}");

    let other =
        LaunchFile::parse("launches", &format!("gpu = \"h100-sxm\"\n{}", LAUNCH.replace("132", "64")));
    host.set_launches(Some(other.unwrap())).unwrap();
    assert_eq!(far_off(&host), Vec::<String>::new(), "of another size");
    let patient = format!("gpu = \"h100-sxm\"\n{LAUNCH}[profile.thresholds]\nmodel_cycles = 4\n");
    host.set_launches(Some(LaunchFile::parse("launches", &patient).unwrap())).unwrap();
    assert_eq!(far_off(&host), Vec::<String>::new(), "a user asks for more");
}
