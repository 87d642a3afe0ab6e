//! Tests of the built-in programs: each can be encoded, the encodings equal the ones in `words.csv`, which nvdisasm has
//! confirmed, and the machine data adopt the figures of an overlay.

use crate::program::ProgramLine;
use crate::values::Exactness;
use crate::{Device, Suite, chip, cubin, overlay, values};
use machine::{Machine, Source};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use toolchain::{Consent, Disassembler, Limits, Search};

fn suite() -> Suite {
    Suite::for_sm(90).expect("sm_90 is covered")
}

/// All distinct instructions of the programs, except branches, whose words depend on their address.
fn instructions(suite: &Suite) -> BTreeSet<String> {
    let lines = suite.all().flat_map(|(_, program)| suite.lines(program));
    lines.map(|line| line.text).filter(|text| text.ends_with(';') && !text.contains("BRA")).collect()
}

fn word(suite: &Suite, text: &str) -> [u64; 2] {
    let lines = [ProgramLine { number: 1, text: text.to_owned() }];
    let bytes = suite.encodings.assemble(&lines).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
    let half = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    [half(0), half(8)]
}

#[test]
fn every_program_of_every_architecture_is_encoded() {
    for sm in Suite::covered() {
        let suite = Suite::for_sm(sm).unwrap();
        let mut names = HashSet::new();
        for (file, program) in suite.all() {
            let code = suite.code(program);
            let code = code.unwrap_or_else(|wrong| panic!("{file} {}: {wrong:?}", program.name));
            assert!(code.len() >= 28 * 16, "{}", program.name);
            assert!(names.insert(&program.name), "{} stands twice", program.name);
            assert!(!program.summary.is_empty(), "{} says what it is", program.name);
        }
        assert!(suite.questions().all(|(_, question)| question.contains('?')));
    }
}

/// Compares the encodings with `words.csv`, whose encodings nvdisasm disassembled to the same texts. WARPLENS_BLESS=1
/// rewrites that file.
#[test]
fn instructions_have_the_words_that_were_compared() {
    let suite = suite();
    let mut csv = String::from("low,high,text\n");
    for text in instructions(&suite) {
        let [low, high] = word(&suite, &text);
        writeln!(csv, "0x{low:016x},0x{high:016x},\"{text}\"").unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/words.csv");
    #[expect(clippy::disallowed_methods, reason = "a test rewrites what it expects when it is told to")]
    if std::env::var_os("WARPLENS_BLESS").is_some() {
        std::fs::write(path, &csv).unwrap();
        return;
    }
    assert_eq!(csv, include_str!("tests/words.csv"), "WARPLENS_BLESS=1 rewrites it");
}

#[test]
fn the_vendors_disassembler_prints_the_same() {
    let Ok(tool) = Disassembler::find(&Search::from_environment(None)) else {
        testkit::left_out("neither nvdisasm nor cuobjdump is on PATH");
        return;
    };
    let suite = suite();
    let texts: Vec<String> = instructions(&suite).into_iter().collect();
    let cubin = include_bytes!("../../syntax/tests/cubins/sm_90.cubin");
    // The cubin's kernel `tile` has room for 40.
    for some in texts.chunks(40) {
        let code: Vec<u8> =
            some.iter().flat_map(|text| word(&suite, text)).flat_map(u64::to_le_bytes).collect();
        let patched = cubin::in_section(cubin, ".text.tile", &code).unwrap();
        let consent = Consent::by_command_line();
        let listing = tool.listing(consent, &patched, false, Limits::default(), &|| false).unwrap();
        let listing = model::Listing::parse(&listing);
        let chunk = listing.chunks().iter().find(|chunk| chunk.name() == Some("tile")).unwrap();
        for (text, printed) in some.iter().zip(chunk.instructions()) {
            let source = model::Listing::parse(text);
            let source = &source.chunks()[0];
            let ours = source.instructions()[0];
            assert_eq!(tokens(source, &ours), tokens(chunk, printed), "{text}");
            let without_reuse =
                |control: Option<model::Control>| control.map(|c| model::Control { reuse_mask: 0, ..c });
            assert_eq!(without_reuse(ours.control), without_reuse(printed.control), "{text}");
        }
    }
}

fn tokens(chunk: &model::Chunk, instruction: &syntax::sass::Instruction) -> Vec<String> {
    let tokens = chunk.tokens(instruction.tokens);
    tokens.iter().map(|token| chunk.token_text(instruction.line, token).to_owned()).collect()
}

#[test]
fn what_cannot_be_encoded_is_named() {
    let suite = suite();
    for (text, expected) in [
        ("[B------:R-:W-:-:S01] FROB R1, R2 ;", "a form of encodings.toml, not `FROBR1,R2`"),
        ("[B------:R-:W-:-:S01] BRA `(.nowhere) ;", "a form of encodings.toml, not `BRA`(.nowhere)`"),
        ("[B------:R-:W-:-:S01] LDC R1, c[0x0][0x3] ;", "a form of encodings.toml, not `LDCR1,c[0x0][0x3]`"),
        (
            "[B------:R-:W-:-:S01] FFMA R256, RZ, RZ, RZ ;",
            "a form of encodings.toml, not `FFMAR256,RZ,RZ,RZ`",
        ),
        ("FFMA R1, RZ, RZ, RZ ;", "an instruction with a control code, not `FFMA R1, RZ, RZ, RZ ;`"),
    ] {
        let lines = [ProgramLine { number: 7, text: text.to_owned() }];
        let wrong = suite.encodings.assemble(&lines).unwrap_err();
        assert_eq!((wrong.line, wrong.expected.as_str()), (7, expected), "{text}");
    }
}

#[test]
fn a_branch_targets_its_label() {
    let suite = suite();
    let line = |text: &str| ProgramLine { number: 1, text: text.to_owned() };
    let back = [
        line(".top:"),
        line("[B------:R-:W-:-:S01] NOP ;"),
        line("[B------:R-:W-:-:S05] @!P0 BRA `(.top) ;"),
    ];
    let bytes = suite.encodings.assemble(&back).unwrap();
    // From the end of the second instruction back by 32 bytes: -8 units, of which the low byte is a separate field.
    assert_eq!(bytes[16..24], 0xffff_fffc_00f8_8947_u64.to_le_bytes());
    assert_eq!(bytes[24..32], 0x000f_ea00_0383_ffff_u64.to_le_bytes());
}

#[test]
fn formulas_name_programs_of_their_file() {
    let suite = suite();
    for value in &suite.values {
        for (name, _) in value.formula.names() {
            let found = suite.all().find(|(_, program)| program.name == *name);
            assert_eq!(found.map(|(file, _)| file), Some(value.by.as_str()), "{}: {name}", value.text);
        }
    }
}

/// The programs of `programs/launch`, by their names in sources of figures.
fn launch_programs() -> BTreeSet<String> {
    let mut programs = BTreeSet::new();
    for folder in ["launch", "async"] {
        let path = format!("{}/programs/{folder}", env!("CARGO_MANIFEST_DIR"));
        #[expect(clippy::disallowed_methods, reason = "a test sees which programs are there")]
        let entries = std::fs::read_dir(path).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // `async/wgmma.py` writes its program.
        let program = |name: String| {
            let stem = name.strip_suffix(".cu").or_else(|| name.strip_suffix(".py"))?;
            Some(format!("{folder}/{stem}"))
        };
        programs.extend(names.filter_map(program));
    }
    programs
}

/// Each measured figure of the machine's data, such as `l2.latency`, and the program in its source.
fn measured_by() -> Vec<(String, String)> {
    let data: toml::Table = include_str!("../../machine/data/sm_90/pipeline.toml").parse().unwrap();
    let mut figures = Vec::new();
    for (section, content) in data["pipeline"].as_table().unwrap() {
        for (name, figure) in content.as_table().unwrap() {
            let source: Source = figure["source"].as_str().unwrap().parse().unwrap();
            if let Source::Measured { by, .. } = source {
                figures.push((format!("{section}.{name}"), by));
            }
        }
    }
    figures
}

/// Every program that the machine data cite as a source exists.
#[test]
fn figures_of_the_machine_name_files_that_exist() {
    let suite = suite();
    let files: HashSet<&str> = suite.questions().map(|(file, _)| file).collect();
    let programs = launch_programs();
    let figures = measured_by();
    for (figure, by) in &figures {
        assert!(files.contains(by.as_str()) || programs.contains(by), "{figure} is measured by {by}");
    }
    assert!(figures.len() > 90, "{} figures name a program", figures.len());
}

/// Each program of `programs/launch` measures at least one figure, and the folder's README.md has a row for each
/// figure.
#[test]
fn the_page_of_launch_programs_has_every_figure() {
    let page = include_str!("../programs/launch/README.md");
    let figures = measured_by();
    // `chip` measures the user's own GPU. Built-in figures come from the other programs, more exactly, under ncu.
    for program in launch_programs().into_iter().filter(|program| program != "launch/chip") {
        let Some(name) = program.strip_prefix("launch/") else { continue };
        let own: Vec<&str> =
            figures.iter().filter(|(_, by)| *by == program).map(|(figure, _)| figure.as_str()).collect();
        assert!(!own.is_empty(), "{program} gives no figure");
        let link = format!("[{name}]({name}.cu)");
        for figure in own {
            let row = format!("| `{figure}` | {link} |");
            assert!(page.contains(&row), "no row `{row}`");
        }
    }
}

/// Cycles measured on an H100 80GB HBM3 on 2026-11-21, by program: a copy of the `cycles.csv` that `--keep` writes.
fn measured() -> BTreeMap<&'static str, u64> {
    let rows = include_str!("tests/h100.csv").lines().filter_map(|line| line.split_once(','));
    rows.map(|(name, cycles)| (name, cycles.parse().unwrap())).collect()
}

#[test]
fn the_stored_cycles_are_of_programs_that_exist() {
    let suite = suite();
    let names: HashSet<&str> = suite.programs().map(|(_, name, _)| name).collect();
    let cycles = measured();
    let gone: Vec<_> = cycles.keys().filter(|name| !names.contains(**name)).collect();
    assert!(gone.is_empty(), "{gone:?}");
    assert!(cycles.len() > 150, "{}", cycles.len());
}

#[test]
fn an_overlay_of_measured_cycles_is_what_the_machine_has_then() {
    let suite = suite();
    let cycles = measured();
    let (figures, left_out) =
        values::derive(&suite.values, Exactness::Whole, &|name| cycles.get(name).copied());
    // Programs added after the run have no cycles; all other formulas give a figure.
    for left in &left_out {
        assert!(left.why.ends_with("has no cycles"), "{left:?}");
    }
    let device = Device { name: "NVIDIA H100 80GB HBM3".into(), sm: 90 };
    let text = overlay::text(&device, (90, None), "2026-12-24", &figures, &left_out);
    let machine = Machine::builtin();
    let changed = machine.overlay("mine.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (before, after) = (machine.gpu("sm_90").unwrap().arch, changed.gpu("sm_90").unwrap().arch);
    for figure in &figures {
        let (name, was) = found(&before, &figure.place);
        let (_, is) = found(&after, &figure.place);
        assert_eq!(u64::from(is.value), figure.value, "{name}");
        let source = is.source.to_string();
        assert_eq!(source, format!("measured on h100-80gb-hbm3, 2026-12-24, by {}", figure.by), "{name}");
        // The built-in figures are for the same GPU.
        assert_eq!(u64::from(was.value), figure.value, "{name}: {}", figure.formula);
    }
    assert!(figures.len() > 60, "{}", figures.len());
}

fn found<'a>(arch: &'a machine::Arch, place: &'a str) -> (&'a str, machine::Known<u32>) {
    let parts: Vec<&str> = place.split('.').collect();
    let known = match parts[..] {
        ["class", class, "issue"] => arch.class(arch.class_named(class).unwrap()).issue_cycles.clone(),
        ["class", class, "latency"] => arch.class(arch.class_named(class).unwrap()).latency.cycles().clone(),
        ["memory", "shared"] => arch.memory.shared.clone(),
        ["memory", "l1_hit"] => arch.memory.l1_hit.clone(),
        ["memory", "constant_hit"] => arch.memory.constant_hit.clone(),
        ["pipeline", section, name] => arch.pipeline.as_ref().unwrap().figure(section, name).unwrap().clone(),
        _ => panic!("{place}"),
    };
    (place, known)
}

/// The measurements of chip.cu on an H200, by name.
fn chip() -> HashMap<&'static str, u64> {
    let rows = include_str!("tests/h200-chip.csv").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.split_once(',')).map(|(name, number)| (name, number.parse().unwrap())).collect()
}

#[test]
fn a_chip_measured_without_a_profiler_is_near_what_a_profiler_said() {
    let measured = chip();
    let (figures, left_out) =
        values::derive(&chip::formulas(), Exactness::Nearest, &|name| measured.get(name).copied());
    assert!(left_out.is_empty(), "{left_out:?}");
    let device = Device { name: "NVIDIA H200".into(), sm: 90 };
    let text = overlay::text(&device, (90, Some("h200")), "2026-12-24", &figures, &[]);
    let machine = Machine::builtin();
    let changed = machine.overlay("mine.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (before, after) = (machine.gpu("h200").unwrap(), changed.gpu("NVIDIA H200").unwrap());
    assert_eq!(before.part.l2_bytes.value, after.part.l2_bytes.value);
    let mut compared = 0;
    for figure in &figures {
        let Some(place) = figure.place.strip_prefix("part.") else { continue };
        if !place.starts_with("pipeline.") {
            continue;
        }
        let ((_, was), (_, is)) = (found(&before.arch, place), found(&after.arch, place));
        assert_eq!(u64::from(is.value), figure.value, "{place}");
        // Latency under load is fitted to a longer run, and few loads are very late.
        let most = if place.contains(".full") || place.contains(".wait") { 0.27 } else { 0.13 };
        let off = (f64::from(is.value) / f64::from(was.value) - 1.0).abs();
        assert!(
            off < most || figure.place.contains("late_percent"),
            "{place}: {} and {}",
            was.value,
            is.value
        );
        compared += 1;
    }
    assert!(compared > 15, "{compared}");
    // Another part of the architecture keeps its own figures.
    assert_eq!(changed.gpu("h100-sxm").unwrap().arch.pipeline.as_ref().unwrap().dram.near.value, 575);
}

#[test]
fn what_was_not_measured_is_said_in_the_overlay() {
    let suite = suite();
    let (figures, left_out) =
        values::derive(&suite.values, Exactness::Whole, &|name| (name != "alu_17").then_some(50));
    assert!(figures.iter().all(|figure| figure.value > 0));
    let device = Device { name: String::new(), sm: 90 };
    let text = overlay::text(&device, (90, None), "2026-12-24", &figures, &left_out);
    assert!(text.contains("# class.alu.issue: `(alu_17 - alu_1) / 16`: `alu_17` has no cycles\n"), "{text}");
    Machine::builtin().overlay("mine.toml", &text).unwrap();
}
