//! Tests that all views of a kernel show the same cycles.

use crate::kernels::predict::FULL_EFFORT;
use crate::kernels::report::{KernelReport, ReportSections};
use crate::{Analysis, Cancel, Config, Host, LaunchFile, LensSubject};

/// Kernels for Hopper with control codes; the GPU is calibrated.
const HOPPER: [&str; 2] = [
    include_str!("../../../../../tests/corpus/sm_90/sgemm.cuobjdump-sass.txt"),
    include_str!("../../../../../tests/corpus/sm_90/features.nvdisasm.txt"),
];

/// A kernel for a GPU that is not calibrated.
const KEPLER: &str = include_str!("../../../../../tests/corpus/sm_120/sgemm.nvdisasm-plr-narrow-c.txt");

/// A kernel with a load, the given lines, and a store of the load's result.
fn kernel(name: &str, middle: &str) -> String {
    format!(
        "        .__elf_type             ET_EXEC\n\
         \t.headerflags    @\"EF_CUDA_SM90 EF_CUDA_PTX_SM(EF_CUDA_SM90)\"\n\n\
         //--------------------- .text.{name}                          --------------------------\n\
         \t.section        .text.{name},\"ax\",@progbits\n\
         .text.{name}:\n\
         [B------:R-:W0:-:S02] S2R R0, SR_CTAID.X ;\n\
         [B------:R-:W1:-:S02] S2R R3, SR_TID.X ;\n\
         [B01----:R-:W-:-:S05] IMAD R0, R0, 0x100, R3 ;\n\
         [B------:R-:W-:-:S06] IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x210] ;\n\
         [B------:R-:W2:-:S02] LDG.E R6, desc[UR4][R2.64] ;\n\
         {middle}\
         [B------:R-:W-:-:S06] IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x218] ;\n\
         [B--2---:R-:W-:-:S01] STG.E desc[UR4][R4.64], R6 ;\n\
         [B------:R-:W-:Y:S05] EXIT ;\n"
    )
}

const GATHER: &str = "[B--2---:R-:W-:-:S06] IMAD.WIDE R8, R6, 0x4, c[0x0][0x210] ;\n\
                      [B------:R-:W2:-:S02] LDG.E R6, desc[UR4][R8.64] ;\n";

fn analysis(text: &str, launches: Option<&str>) -> Analysis {
    let mut host = Host::default();
    if let Some(launches) = launches {
        let file = LaunchFile::parse("launches", launches).expect("it is right");
        host.set_launches(Some(file)).expect("it names no GPU");
    }
    host.configure(Config { gpu: String::new(), ..Config::default() }).expect("any will do");
    host.open("k.sass", 1, text);
    host.snapshot("k.sass", Cancel::default()).expect("it is open")
}

fn launch(function: &str, blocks: u32) -> String {
    format!(
        "[[launch]]\nfunction = \"{function}\"\ngrid = [{blocks}, 1, 1]\nblock = [256, 1, 1]\nparams = [\"ptr\", \"ptr\"]\n\
         registers = 32\n"
    )
}

fn reports(analysis: &Analysis, instructions: bool) -> Vec<KernelReport> {
    let sass = analysis.sass().expect("it is SASS");
    let reports = sass.kernel_reports(None, ReportSections { instructions, predictions: true, lines: false });
    (0..reports.len()).map(|number| reports.report(number).unwrap()).collect()
}

/// Checks that all views agree on the cycles of every kernel. Returns the formatted cycles of each launch.
fn all_views(analysis: &Analysis) -> Vec<String> {
    let (heads, reports) = (reports(analysis, false), reports(analysis, true));
    assert_eq!(heads.len(), reports.len());
    for (head, report) in heads.iter().zip(&reports) {
        assert_eq!(head.cycles, report.cycles, "{}: summary and JSON", head.name);
        assert_eq!((head.low, head.high, &head.not_timed), (report.low, report.high, &report.not_timed));
    }
    let mut heads = heads.iter();
    let mut words = Vec::new();
    let sass = analysis.sass().expect("it is SASS");
    for (index, chunk) in sass.kernels() {
        let at = sass.start(index);
        let name = chunk.name_range().map_or(at, |name| at + name.start as usize);
        let summary = analysis.summary(name).unwrap().expect("a kernel");
        let roofline = analysis.roofline(name).unwrap().expect("a kernel");
        let hover = analysis.hover(name).unwrap().map(|hover| hover.markdown).unwrap_or_default();
        for (number, launch) in summary.launches.iter().enumerate() {
            let of = &launch.name;
            let said = &launch.cycles_in_words;
            let lens = analysis.lens(index, LensSubject::Launch(number)).unwrap().expect("a lens");
            // The lens of a simulated launch is short: its detail explains the two figures.
            let short = said.strip_suffix(" (depends on unknown values)").unwrap_or(said);
            assert!(lens.title.contains(short), "{of}: lens `{}`, panel `{said}`", lens.title);
            assert!(!lens.title.contains("unknown values"), "{of}: lens `{}`", lens.title);
            assert!(lens.detail.contains(said), "{of}: lens' detail `{}`, panel `{said}`", lens.detail);
            assert!(hover.contains(said), "{of}: hover `{hover}`, panel `{said}`");
            if let Some(drawn) = roofline.launches.get(number) {
                assert_eq!(drawn.cycles, launch.cycles, "{of}: roofline and panel");
                assert_eq!(drawn.cycles_in_words, *said, "{of}: roofline and panel");
                assert_eq!((drawn.low, drawn.high), (launch.low, launch.high), "{of}: roofline and panel");
                assert_eq!(drawn.model, launch.cycles_model, "{of}: roofline and panel");
            }
            let head = heads.next().expect("as many as in the report");
            assert!(head.cycles == launch.cycles || launch.quick, "{of}: command line and editor");
            assert!(!head.quick, "{of}: the command line has the full figure");
            assert_eq!(head.cycles_model, launch.cycles_model, "{of}: command line and editor");
            let has_figure = launch.cycles.is_some() || (launch.low.is_some() && launch.to_state.is_none());
            let estimate = if launch.quick && has_figure { "quick estimate" } else { "estimated" };
            in_full(analysis, index, number, head);
            if launch.cycles_model == "paper" && launch.cycles.is_some() {
                assert!(lens.title.contains(" cycles by the ICS'17 model ("), "{of}: {}", lens.title);
            }
            if launch.cycles_model == "pipeline" {
                assert!(lens.detail.contains(estimate) && hover.contains(estimate), "{of}: {}", lens.title);
                assert!(!hover.contains("`paper` model, an upper bound"), "{of}: {hover}");
            }
            for line in hover.lines().filter(|line| line.contains("ottlenecks (0 best")) {
                assert!(line.contains("ICS'17 model"), "{of}: {line}");
            }
            words.push(said.clone());
        }
    }
    words
}

#[test]
fn all_views_of_many_kernels_say_the_same_cycles() {
    for text in HOPPER.into_iter().chain([KEPLER]) {
        let said = all_views(&analysis(text, None));
        assert!(!said.is_empty());
    }
    let stated = "[[launch]]\nfunction = \"sgemm16\"\ngrid = [64, 64, 1]\nblock = [16, 16, 1]\n\
                  const = { \"0x228\" = 1024, \"0x22c\" = 1024, \"0x230\" = 1024, \"0x234\" = 1065353216, \"0x238\" = 0 }\n";
    let said = all_views(&analysis(HOPPER[0], Some(stated)));
    assert!(!said.is_empty());
}

#[test]
fn all_views_say_that_there_is_no_number_and_why() {
    let matrix = "[B------:R-:W-:-:S02] REDAS [R24], R6 ;\n".repeat(64);
    let analysis_of = |middle: &str| analysis(&kernel("k", middle), Some(&launch("k", 20_000)));
    let said = all_views(&analysis_of(&matrix));
    assert_eq!(said, ["cycles unknown (REDAS is not timed)"]);
    let said = all_views(&analysis_of(GATHER));
    assert_eq!(said, ["attach a profile for cycles"]);
    let said = all_views(&analysis_of(""));
    assert!(said[0].starts_with('~'), "{said:?}");
}

/// Simulates a launch in full, as an editor does in the background, and compares its views with the command line's
/// report.
fn in_full(analysis: &Analysis, index: usize, number: usize, head: &KernelReport) {
    let of = &head.name;
    let was_quick = analysis.lens(index, LensSubject::Launch(number)).unwrap().expect("a lens").is_quick;
    let is_new = analysis.simulate(index, LensSubject::Launch(number)).unwrap();
    assert_eq!(is_new, was_quick, "{of}: what is known is not simulated again");
    let lens = analysis.lens(index, LensSubject::Launch(number)).unwrap().expect("a lens");
    assert!(!lens.is_quick && !lens.title.contains("quick estimate"), "{of}: {}", lens.title);
    let sass = analysis.sass().expect("it is SASS");
    let report =
        analysis.summary(sass.name_range(index).start).unwrap().expect("a kernel").launches.remove(number);
    assert_eq!((report.cycles, report.low, report.high), (head.cycles, head.low, head.high), "{of}: in full");
    assert_eq!((&report.cycles_in_words, report.quick), (&head.cycles_in_words, false), "{of}: in full");
    assert!(!analysis.simulate(index, LensSubject::Launch(number)).unwrap(), "{of}: it is known by now");
}

#[test]
fn one_kernel_has_the_same_figure_alone_and_among_others() {
    let of = |count: usize, function: Option<&str>| -> Vec<KernelReport> {
        let text: String = (0..count).map(|number| kernel(&format!("k{number}"), GATHER)).collect();
        let analysis = analysis(&text, None);
        let sass = analysis.sass().expect("it is SASS");
        let wanted = ReportSections { instructions: true, predictions: true, lines: false };
        let reports = sass.kernel_reports(function, wanted);
        (0..reports.len()).map(|number| reports.report(number).unwrap()).collect()
    };
    let alone = of(1, None).remove(0);
    assert!(alone.low.zip(alone.high).is_some_and(|(low, high)| low < high), "{}", alone.cycles_in_words);
    for report in of(37, None) {
        assert_eq!((report.low, report.high, report.quick), (alone.low, alone.high, false));
    }
    for report in of(38, None) {
        assert!(report.is_left_out && report.low.is_none(), "{}", report.cycles_in_words);
    }
    let named = of(38, Some("k5")).remove(0);
    assert_eq!((named.low, named.high), (alone.low, alone.high));
}

#[test]
fn a_prediction_has_no_number_where_there_is_none() {
    let of = |middle: &str| {
        let analysis = analysis(&kernel("k", middle), Some(&launch("k", 20_000)));
        let sass = analysis.sass().expect("it is SASS");
        sass.stated_launches(None).predict(0, FULL_EFFORT / 50).unwrap().expect("it fits")
    };
    let open = of(&"[B------:R-:W-:-:S02] UTMALDG.2D [UR8], [UR4] ;\n".repeat(16));
    assert_eq!((open.cycles, open.microseconds, open.low, open.high), (None, None, None, None));
    assert_eq!(open.limiter.code(), "not timed:UTMALDG");
    assert!(open.stalls.is_empty() && open.rates.dram.is_some_and(|dram| dram.per_second.is_none()));
    let data = of(GATHER);
    assert_eq!(data.cycles, None);
    assert!(data.low.zip(data.high).is_some_and(|(low, high)| low < high), "{data:?}");
    let known = of("");
    assert!(known.cycles.is_some() && known.low.is_none() && known.high.is_none(), "{known:?}");
}

/// Copies 128 MiB in total.
#[test]
fn no_part_is_said_to_be_faster_than_its_memory() {
    let machine = machine::Machine::builtin();
    let text = kernel("k", "");
    for part in &machine.parts {
        let launches = format!("gpu = \"{}\"\n{}", part.id, launch("k", 65_536));
        let analysis = analysis(&text, Some(&launches));
        let sass = analysis.sass().expect("it is SASS");
        let found = sass.stated_launches(None).predict(0, FULL_EFFORT / 50).unwrap().expect("it fits");
        if found.model != "paper" {
            continue;
        }
        let least = 65_536.0 * 256.0 * 8.0 / part.dram_bytes_per_second.value * 1e6;
        let time = found.microseconds.or(found.low.map(|low| low / f64::from(found.clock_mhz)));
        let time = time.unwrap_or_else(|| panic!("{}: no time", part.id));
        assert!(time >= 0.999 * least, "{}: {time} us, DRAM takes {least} us", part.id);
        if time < 1.001 * least {
            assert_eq!(found.limiter.code(), "DRAM", "{}", part.id);
        }
    }
}

#[test]
fn constants_and_conversions_are_no_arithmetic() {
    let of = |middle: &str| {
        let analysis = analysis(&kernel("k", middle), Some(&launch("k", 100)));
        let sass = analysis.sass().expect("it is SASS");
        let prediction = sass.stated_launches(None).predict(0, 10_000).unwrap().expect("it fits");
        prediction.rates.operations.iter().map(|done| done.name).collect::<Vec<_>>()
    };
    assert!(of("[B------:R-:W-:-:S05] HFMA2.MMA R7, -RZ, RZ, 0, 0 ;\n").is_empty());
    assert!(of("[B------:R-:W-:-:S05] HADD2.F32 R7, -RZ, R8.H0_H0 ;\n").is_empty());
    assert!(of("[B------:R-:W-:-:S05] FFMA R7, RZ, R8, R9 ;\n").is_empty());
    assert_eq!(of("[B------:R-:W-:-:S05] HFMA2.MMA R7, R8, R9, R10 ;\n"), ["FP16"]);
    assert_eq!(of("[B------:R-:W-:-:S05] FFMA R7, R8, R9, RZ ;\n"), ["FP32"]);
}

#[test]
fn accesses_that_no_warp_executes_say_so() {
    let skipped = "[B------:R-:W-:-:S13] ISETP.GE.AND P0, PT, R3, 0x400, PT ;\n\
                   [B------:R-:W3:-:S02] @P0 LDG.E R9, desc[UR4][R2.64] ;\n\
                   [B------:R-:W-:-:S05] @!P0 BRA `(.L_x_1) ;\n\
                   [B------:R-:W3:-:S02] LDG.E R9, desc[UR4][R2.64] ;\n\
                   .L_x_1:\n";
    let analysis = analysis(&kernel("k", &format!("{skipped}{GATHER}")), Some(&launch("k", 100)));
    let report = reports(&analysis, true).remove(0);
    let of = |at: usize| report.instructions[at].memory.as_ref().expect("an access");
    // Executed; executed with all lanes inactive; never reached; at an index loaded from memory.
    let found: Vec<_> = [4, 6, 8, 10].map(of).iter().map(|one| (one.known, one.executed)).collect();
    assert_eq!(
        found,
        [(Some(true), Some(1.0)), (Some(true), Some(0.0)), (Some(true), Some(0.0)), (Some(false), Some(1.0))]
    );
    assert_eq!(of(6).sectors, None);
}

#[test]
fn code_that_stated_trips_skip_is_not_called_unreached() {
    let skipped = "[B--2---:R-:W-:-:S13] ISETP.GE.AND P0, PT, R6, 0x4, PT ;\n\
                   [B------:R-:W-:-:S05] @P0 BRA `(.L_x_1) ;\n\
                   .L_x_2:\n\
                   [B------:R-:W3:-:S02] LDG.E R9, desc[UR4][R2.64] ;\n\
                   [B---3--:R-:W-:-:S13] ISETP.GE.AND P1, PT, R9, 0x9, PT ;\n\
                   [B------:R-:W-:-:S05] @P1 BRA `(.L_x_2) ;\n\
                   .L_x_1:\n";
    let text = kernel("k", skipped);
    let load = text.find("LDG.E R9").expect("it is there");
    let before = text[..text.find("@P1 BRA").expect("it is there")].matches(" ;\n").count();
    let launch = format!("{}trips = {{ \"{:#x}\" = 0 }}\n", launch("k", 100), 16 * before);
    let analysis = analysis(&text, Some(&launch));
    let hover = analysis.hover(load).unwrap().expect("it is an instruction").markdown;
    assert!(
        hover.contains("- Assumed not to be reached: `BRA` (instruction 7 of the kernel) skips this access"),
        "{hover}"
    );
}

#[test]
fn a_listing_without_encodings_asks_for_the_same_parameters() {
    let counted = "[B------:R-:W-:-:S13] ISETP.LE.AND P0, PT, R9, c[0x0][0x220], PT ;\n\
                   [B------:R-:W-:-:S05] @!P0 BRA `(.L_x_1) ;\n\
                   .L_x_2:\n\
                   [B------:R-:W-:-:S05] IADD3 R9, R9, 0x1, RZ ;\n\
                   BODY\
                   [B------:R-:W-:-:S13] ISETP.LE.AND P1, PT, R9, c[0x0][0x220], PT ;\n\
                   [B------:R-:W-:-:S05] @P1 BRA `(.L_x_2) ;\n\
                   .L_x_1:\n";
    let zero = "[B------:R-:W-:-:S05] IMAD.MOV.U32 R9, RZ, RZ, 0x1 ;\n";
    let body = "[B------:R-:W-:-:S15] FADD R8, R8, R8 ;\n".repeat(20);
    let text = kernel("k", &format!("{zero}{counted}").replace("BODY", &body));
    let plain: String = text
        .lines()
        .map(|line| line.split_once("] ").map_or(line, |(_, rest)| rest).to_owned() + "\n")
        .collect();
    for text in [text, plain] {
        let analysis = analysis(&text, Some(&launch("k", 100)));
        let report = reports(&analysis, false).remove(0);
        assert_eq!(report.cycles, None, "{text}");
        let missing = report.to_state.unwrap_or_else(|| panic!("{:?}: {text}", report.cycles_in_words));
        assert_eq!(missing.parameters, ["c[0x0][0x220]"], "{text}");
    }
}
