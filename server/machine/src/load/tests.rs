//! Tests of the built-in data, and of each error that a file can have.

use super::isa::IsaTables;
use super::{Machine, Text, builtin, table};
use crate::{Arch, ClassId, FunctionUnit, Known, Latency, Source};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn machine() -> Arc<Machine> {
    Machine::builtin()
}

fn text(content: &str) -> Text<'_> {
    Text { path: "x", content }
}

/// Every number of an architecture, with a name for failure messages.
fn numbers(arch: &Arch) -> Vec<(String, &Known<u32>)> {
    let r = &arch.resources;
    let m = &arch.memory;
    let bank = &arch.constant_bank;
    let requests = &arch.requests;
    let mut all: Vec<(String, &Known<u32>)> = [
        ("schedulers", &r.schedulers),
        ("dispatch_units", &r.dispatch_units),
        ("registers", &r.registers),
        ("registers_per_block", &r.registers_per_block),
        ("max_registers_per_thread", &r.max_registers_per_thread),
        ("registers_kept_per_thread", &r.registers_kept_per_thread),
        ("register_unit_per_warp", &r.register_unit_per_warp),
        ("sub_partitions", &r.sub_partitions),
        ("max_warps", &r.max_warps),
        ("max_blocks", &r.max_blocks),
        ("max_threads", &r.max_threads),
        ("max_threads_per_block", &r.max_threads_per_block),
        ("shared_per_sm", &r.shared_per_sm),
        ("shared_per_block", &r.shared_per_block),
        ("shared_unit", &r.shared_unit),
        ("shared_banks", &r.shared_banks),
        ("shared_bank_width", &r.shared_bank_width),
        ("memory.shared", &m.shared),
        ("memory.l1_hit", &m.l1_hit),
        ("memory.l2_hit", &m.l2_hit),
        ("memory.dram", &m.dram),
        ("memory.constant_hit", &m.constant_hit),
        ("constant_bank.parameters", &bank.parameters),
        ("constant_bank.block", &bank.block),
        ("constant_bank.grid", &bank.grid),
        ("constant_bank.stack", &bank.stack),
        ("requests.shared_word", &requests.shared_word),
        ("requests.shared_load_merge", &requests.shared_load_merge),
        ("requests.shared_compare_passes", &requests.shared_compare_passes),
        ("requests.sector_bytes", &requests.sector_bytes),
        ("requests.line_bytes", &requests.line_bytes),
        ("requests.global_split_bytes", &requests.global_split_bytes),
        ("requests.tag_bank_low", &requests.tag_bank_low),
        ("requests.tag_bank_high", &requests.tag_bank_high),
        ("requests.sectors_per_tag_wavefront", &requests.sectors_per_tag_wavefront),
        ("guard", &arch.predicate_guard),
    ]
    .map(|(name, number)| (name.to_owned(), number))
    .into();
    all.extend(arch.units.iter().map(|unit| (unit.kind.name().to_owned(), &unit.lanes)));
    for class in &arch.classes {
        all.push((format!("{} issue", class.name), &class.issue_cycles));
        all.push((format!("{} latency", class.name), class.latency.cycles()));
    }
    all.extend(arch.raw.iter().map(|(pair, cycles)| (format!("{pair:?}"), cycles)));
    all
}

fn class(arch: &Arch, name: &str) -> ClassId {
    arch.class_named(name).unwrap_or_else(|| panic!("no class {name}"))
}

fn raw<'a>(arch: &'a Arch, producer: &str, consumer: &str) -> &'a Known<u32> {
    arch.raw_latency(class(arch, producer), class(arch, consumer)).unwrap()
}

#[test]
fn every_file_loads() {
    let machine = builtin::read().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(machine.archs.len(), builtin::CHIPS.len());
    for arch in &machine.archs {
        assert!(machine.parts.iter().any(|part| part.sm == arch.sm), "sm_{} has no part", arch.sm);
    }
}

#[test]
fn every_number_is_positive_and_says_where_it_is_from() {
    for arch in &machine().archs {
        for (name, number) in numbers(arch) {
            let source = number.source.to_string();
            // Before Volta the hardware reserves no register; from Volta to Hopper the block's size comes first;
            // since Maxwell no request is split.
            let may_be_zero = name.ends_with("registers_kept_per_thread")
                || ["constant_bank.block", "requests.global_split_bytes"].contains(&name.as_str());
            assert!(number.value > 0 || may_be_zero, "sm_{} {name} is zero", arch.sm);
            assert!(source.len() > "paper: ".len(), "sm_{} {name}: `{source}`", arch.sm);
            assert!(!source.to_lowercase().contains("disasm"), "sm_{} {name}: {source}", arch.sm);
            assert!(!source.to_lowercase().contains("disassembler"), "sm_{} {name}: {source}", arch.sm);
        }
    }
}

#[test]
fn architectures_share_one_class_list_and_resolve_all_of_it() {
    let machine = machine();
    let names = |arch: &Arch| arch.classes.iter().map(|class| class.name.clone()).collect::<Vec<_>>();
    for arch in &machine.archs {
        assert_eq!(names(arch), names(&machine.archs[0]), "sm_{}", arch.sm);
        for (at, class) in arch.classes.iter().enumerate() {
            assert!(!arch.pipe_of(ClassId(at as u16)).summary.is_empty());
            assert!(!class.summary.is_empty(), "{}", class.name);
        }
    }
}

#[test]
fn a_covered_compute_capability_has_its_own_instructions() {
    let machine = machine();
    let has = |sm: u16, name: &str| machine.gpu_for_sm(sm).arch.isa.has_mnemonic(name);
    assert!(!has(100, "IMNMX") && has(110, "IMNMX"), "of 110 and later");
    assert!(has(110, "VIMNMX") && has(30, "FFMA") && has(50, "XMAD"), "and what it shares");
    for arch in &machine.archs {
        assert_eq!(machine.gpu_for_sm(arch.sm).arch.isa.mnemonics().count(), arch.isa.mnemonics().count());
    }
}

#[test]
fn opcodes_and_raw_pairs_only_name_classes_that_exist() {
    for arch in &machine().archs {
        assert!(arch.isa.has_mnemonic("EXIT") && arch.isa.has_mnemonic("FFMA"), "sm_{}", arch.sm);
        for id in arch.isa.mnemonics().filter_map(|name| arch.isa.find(name, std::iter::empty())) {
            assert!((arch.isa.form(id).class.0 as usize) < arch.classes.len());
        }
        for (producer, consumer) in arch.raw.keys() {
            assert!((producer.0.max(consumer.0) as usize) < arch.classes.len());
            assert!(arch.class(*producer).latency.is_fixed(), "a scoreboard orders what it produces");
        }
    }
}

#[test]
fn known_chips_have_the_figures_that_their_sources_give() {
    let machine = machine();
    let h100 = machine.gpu("h100-sxm").unwrap();
    assert_eq!(h100.part.sm_count.value, 132);
    assert_eq!(h100.arch.resources.shared_per_block.value, 227 * 1024);
    assert_eq!(h100.arch.resources.barriers_per_sm().map(|known| known.value), Some(64));
    assert_eq!(raw(&h100.arch, "fma", "fma").value, 4);
    assert_eq!(raw(&h100.arch, "fma", "alu").value, 5);
    assert_eq!(raw(&h100.arch, "alu", "fma").value, 5);
    assert_eq!(raw(&h100.arch, "fp64", "fp64").value, 8);
    let lds = h100.arch.class(class(&h100.arch, "lds"));
    assert!(matches!(&lds.latency, Latency::Variable(known) if known.value == 23));
    assert!(h100.arch.raw_latency(class(&h100.arch, "lds"), class(&h100.arch, "fma")).is_none());

    // Table 2 and section 4 of the ICS'17 paper.
    let k20m = machine.gpu("k20m").unwrap().arch;
    for name in ["alu", "alu_mul", "fma"] {
        assert_eq!(raw(&k20m, name, name).value, 9, "{name}");
        assert_eq!(raw(&k20m, name, "sts").value, 9, "{name}");
    }
    for (name, cycles) in [("mufu", 9), ("sts", 9), ("ld", 190)] {
        assert_eq!(k20m.class(class(&k20m, name)).latency.cycles().value, cycles, "{name}");
    }
    let lanes: Vec<_> = k20m.units.iter().map(|unit| (unit.kind.name(), unit.lanes.value)).collect();
    assert_eq!(lanes, [("SP", 192), ("DP", 64), ("SFU", 32), ("LDST", 32)]);
    assert_eq!(k20m.unit_of(class(&k20m, "alu_mul")).map(|unit| unit.kind.name()), Some("SP"));
    assert!(k20m.unit_of(class(&k20m, "hmma")).is_none(), "no tensor cores on Kepler");
    assert!(k20m.resources.barriers_per_sm().is_none());

    // maxas: 6 cycles, whatever the consumer.
    let maxwell = machine.gpu("titan-x-maxwell").unwrap().arch;
    assert_eq!(raw(&maxwell, "fma", "alu").value, 6);
}

/// Every opcode has a measured time, or else a guessed upper bound.
#[test]
fn a_class_is_timed_or_has_a_bound() {
    let arch = &machine().gpu_for_sm(90).arch;
    let figures = arch.pipeline.as_ref().expect("it is calibrated");
    let bound = |mnemonic: &str, name: &str| figures.untimed(mnemonic, Some(class(arch, name)));
    for (mnemonic, name) in [("REDAS", "atoms"), ("NANOSLEEP", "convergence")] {
        let bound = bound(mnemonic, name).unwrap_or_else(|| panic!("{mnemonic} is not timed"));
        assert!(bound.source.is_estimate(), "{mnemonic}: {}", bound.source);
    }
    assert!(figures.untimed("FROB", None).is_some(), "an opcode that no table has is not timed");
    for (mnemonic, name) in [
        ("STAS", "sts"),
        ("HMMA", "hmma"),
        ("DMMA", "dmma"),
        ("TEX", "texture"),
        ("SULD", "surface"),
        ("FFMA", "fma"),
        ("LDG", "ldg"),
        ("STS", "sts"),
        ("BAR", "barrier"),
        ("MUFU", "mufu"),
        ("HGMMA", "hgmma"),
        ("UTMALDG", "tma"),
        ("SYNCS", "mbarrier"),
        ("LDGSTS", "ldgsts"),
        ("IMMA", "imma"),
        ("REDUX", "redux"),
    ] {
        assert_eq!(bound(mnemonic, name), None, "{mnemonic} is timed");
    }
}

#[test]
fn a_number_of_another_chip_is_marked() {
    let machine = machine();
    let pascal = machine.gpu("sm_61").unwrap().arch;
    let known = raw(&pascal, "fma", "fma");
    assert_eq!(known.value, 6);
    let Source::StandIn { arch, source } = &known.source else { panic!("{}", known.source) };
    assert_eq!((arch.as_str(), &**source), ("sm_52", &Source::Paper("maxas (Gray)".into())));
    assert!(known.source.is_estimate());

    let hopper = machine.gpu("sm_90").unwrap().arch;
    assert!(!raw(&hopper, "fma", "fma").source.is_estimate());
    assert!(matches!(raw(&hopper, "fp16_alu", "mufu").source, Source::StandIn { .. }));
}

#[test]
fn every_part_answers_to_its_id_and_its_name() {
    let machine = machine();
    for part in &machine.parts {
        for name in [&part.id, &part.name, &part.name.to_uppercase(), &format!("NVIDIA {}", part.name)] {
            let gpu = machine.gpu(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(gpu.part.id, part.id, "{name}");
            assert_eq!(gpu.arch.sm, part.sm, "{name}");
        }
        assert!(machine.gpu(&part.id.replace('-', " ")).is_ok());
    }
    for arch in &machine.archs {
        for name in [
            format!("sm_{}", arch.sm),
            format!("SM_{}a", arch.sm),
            format!("compute_{}", arch.sm),
            format!("{}.{}", arch.sm / 10, arch.sm % 10),
        ] {
            assert_eq!(machine.gpu(&name).unwrap().arch.sm, arch.sm, "{name}");
        }
    }
}

#[test]
fn a_part_has_its_own_figures_or_those_of_another_part_scaled() {
    let machine = machine();
    let figure = |machine: &Machine, part: &str, section: &str, name: &str| {
        let pipeline = machine.gpu(part).unwrap().arch.pipeline.clone().expect("sm_90 is calibrated");
        let known = pipeline.figure(section, name).expect("it is a figure");
        (known.value, known.source.to_string())
    };
    assert_eq!(figure(&machine, "h200", "dram", "full").0, 2100);
    assert_eq!(machine.gpu("NVIDIA H200").unwrap().part.id, "h200");
    assert_eq!(
        figure(&machine, "h200", "dram", "late").1,
        "h100-sxm's figure is used instead (measured on h100-sxm, 2026-11-21, by launch/chase)"
    );
    // Figures of the SM are the same on every part.
    assert_eq!(figure(&machine, "h200", "sm_path", "line"), figure(&machine, "h100-sxm", "sm_path", "line"));
    // 2039 GB/s at 1755 MHz are 0.687 of 3350 GB/s at 1980 MHz.
    let scaled =
        "h100-sxm's figure is used instead (derived: 1590 at h100-sxm, scaled by DRAM bandwidth per cycle)";
    assert_eq!(figure(&machine, "h100-pcie", "dram", "bytes_per_cycle"), (1092, scaled.to_owned()));
    let source = r#"source = "measured:mine:2026-12-01:chip""#;
    let toml = format!("[parts.h100-sxm.pipeline.dram]\nnear = {{ value = 600, {source} }}\n");
    let changed = machine.overlay("mine.toml", &toml).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(figure(&changed, "sm_90", "dram", "near").0, 600);
    assert_eq!(figure(&changed, "sm_90", "dram", "full"), figure(&machine, "sm_90", "dram", "full"));
    // Measured on an H200: the scaled figures are close.
    let toml = "[parts.other]\nname = \"other\"\nsm = 90\nsm_count = { value = 132, source = \"guess:x\" }\n\
        boost_mhz = { value = 1980, source = \"guess:x\" }\nl2_bytes = { value = 62914560, source = \"guess:x\" }\n\
        dram_bytes_per_second = { value = 4.8e12, source = \"guess:x\" }\n";
    let other = machine.overlay("mine.toml", toml).unwrap_or_else(|error| panic!("{error}"));
    for (section, name) in [
        ("dram", "bytes_per_cycle"),
        ("dram", "mixed_bytes_per_cycle"),
        ("dram", "full"),
        ("l2", "kilobytes"),
        ("l2", "dirty_kilobytes"),
    ] {
        let (scaled, measured) =
            (figure(&other, "other", section, name).0, figure(&machine, "h200", section, name).0);
        let off = (f64::from(scaled) / f64::from(measured) - 1.0).abs();
        assert!(off < 0.04, "{section}.{name}: {scaled} and {measured}");
    }
    let wrong = format!("[parts.h200.pipeline.drum]\nnear = {{ value = 1, {source} }}\n");
    let error = machine.overlay("mine.toml", &wrong).unwrap_err().to_string();
    assert!(error.starts_with("mine.toml:1: expected one of issue, collector, "), "{error}");
}

#[test]
fn a_relative_without_data_of_its_own_gets_the_nearest() {
    let machine = machine();
    let sm = |sm| machine.gpu_for_sm(sm).arch.sm;
    let nearest = [
        (30, 35),
        (37, 35),
        (50, 52),
        (53, 52),
        (62, 61),
        (72, 70),
        (87, 86),
        (88, 86),
        (103, 100),
        (110, 100),
        (121, 120),
        (1, 35),
    ];
    let has_own = |sm: &u16| machine.archs.iter().any(|arch| arch.sm == *sm);
    for (asked, given) in nearest.into_iter().filter(|(asked, _)| !has_own(asked)) {
        assert_eq!(sm(asked), given, "sm_{asked}");
    }
    let newest = machine.archs.last().unwrap().sm;
    assert_eq!(sm(newest + 9), newest);
    assert_eq!(machine.gpu("sm_87").unwrap().arch.sm, 86);
    assert_eq!(machine.gpu_for_sm(90).part.id, "h100-sxm");
    assert_eq!(machine.gpu_for_sm(52).part.id, "gtx-980-ti");
}

#[test]
fn a_covered_capability_may_differ_in_a_class_and_a_unit() {
    let machine = machine();
    let of = |sm| machine.gpu_for_sm(sm).arch;
    let fp64 =
        |arch: &Arch| arch.classes.iter().find(|class| class.name == "fp64").unwrap().latency.is_fixed();
    let lanes = |arch: &Arch| {
        arch.units.iter().find(|unit| unit.kind == FunctionUnit::Dp).map(|unit| unit.lanes.value)
    };
    let all = [100, 103, 107, 110].map(|sm| (fp64(&of(sm)), lanes(&of(sm))));
    assert_eq!(all, [(true, Some(64)), (false, Some(2)), (true, Some(64)), (false, Some(2))]);
    let wrong = machine.overlay("mine.toml", "[sm_100.on.90.units]\n").unwrap_err().to_string();
    assert!(wrong.starts_with("mine.toml:1: expected a compute capability in `covers`, not `90`"), "{wrong}");
    for (target, expected) in [
        (
            "sm_90 = { ptx = \"7.8\", source = \"guess:x\" }",
            "a target of sm_100 or of its `covers`, not `sm_90`",
        ),
        ("sm_103 = { ptx = \"8\", source = \"guess:x\" }", "a PTX version like `8.6`, not `8`"),
    ] {
        let wrong = machine.overlay("mine.toml", &format!("[sm_100.targets]\n{target}\n")).unwrap_err();
        assert_eq!(wrong.to_string(), format!("mine.toml:2: expected {expected}"));
    }
}

#[test]
fn clocks_go_to_uniform_registers_where_compilers_write_that() {
    let machine = machine();
    let with =
        [90, 100, 103, 107, 110, 120, 121].map(|sm| machine.gpu_for_sm(sm).arch.isa.has_mnemonic("CS2UR"));
    assert_eq!(with, [false, false, false, true, false, true, true]);
}

#[test]
fn people_may_call_a_gpu_what_they_usually_do() {
    let machine = machine();
    for (name, id) in [
        ("h100", "h100-sxm"),
        ("H100 SXM", "h100-sxm"),
        ("h100-pcie", "h100-pcie"),
        ("a100", "a100"),
        ("a100-sxm", "a100"),
        ("A100-SXM4", "a100"),
        ("a100-pcie", "a100-pcie"),
        ("rtx3080", "rtx-3080"),
        ("rtx-3080", "rtx-3080"),
        ("GeForce RTX 3080", "rtx-3080"),
        ("4090", "rtx-4090"),
        ("RTX 4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("h200-sxm", "h200"),
        ("tesla t4", "t4"),
        ("Hopper", "h100-sxm"),
    ] {
        assert_eq!(machine.gpu(name).unwrap().part.id, id, "{name}");
    }
    let mut names = std::collections::HashSet::new();
    for alias in machine.aliases() {
        assert_eq!(machine.gpu(&alias.alias).unwrap().part.id, alias.gpu, "{alias:?}");
        assert!(names.insert(&alias.alias), "{alias:?} is there twice");
    }
    let count = include_str!("../../data/aliases.csv").lines().count() - 1;
    assert_eq!(names.len(), count, "some alias names no GPU");
}

#[test]
fn an_unknown_name_lists_the_known_ones_unless_one_is_near() {
    let machine = machine();
    for name in ["voodoo2", "", "9.", "9.00000", "6553.9", "700000.1", "90", "é", "h100\nsxm of mine"] {
        let message = machine.gpu(name).err().unwrap_or_else(|| panic!("`{name}` is known")).to_string();
        let name = name.escape_debug();
        assert!(message.starts_with(&format!("unknown GPU `{name}`; known: k20m, ")), "{message}");
        assert!(
            message.contains("h100-sxm")
                && message.ends_with(&format!("sm_{}", machine.archs.last().unwrap().sm)),
            "{message}"
        );
        assert!(!message.contains('\n'));
    }
    for name in ["rtx-3070", "rtx3070", "h300-sxm"] {
        assert!(machine.gpu(name).unwrap_err().meant().is_none(), "{name}");
    }
    for (name, meant) in [
        ("rtx-4900", "rtx-4090"),
        ("h10", "h100"),
        ("h10-sxm", "h100-sxm"),
        ("h100-smx", "h100-sxm"),
        ("H100-SXN", "h100-sxm"),
        ("sm_9x", "sm_90"),
    ] {
        let message = machine.gpu(name).unwrap_err().to_string();
        assert_eq!(message, format!("unknown GPU `{name}`; did you mean `{meant}`?"));
    }
}

#[test]
fn an_overlay_changes_what_it_names_and_nothing_else() {
    let machine = machine();
    let source = r#"source = "measured:my-h100:2026-12-01:warplens calibrate""#;
    let toml = format!(
        "[sm_90.class.lds]\nlatency = {{ cycles = 30, {source} }}\n\
         [sm_90.raw.fma]\nfma = {{ cycles = 3, {source} }}\n\
         [sm_90.memory]\ndram = {{ cycles = 700, {source} }}\n\
         [parts.h100-sxm]\nboost_mhz = {{ value = 1755, {source} }}\n\
         [parts.my-h100]\nname = \"mine\"\nsm = 90\nsm_count = {{ value = 78, {source} }}\n\
         boost_mhz = {{ value = 1000, {source} }}\nl2_bytes = {{ value = 1, {source} }}\n\
         dram_bytes_per_second = {{ value = 2e12, {source} }}\n"
    );
    let changed = machine.overlay("mine.toml", &toml).unwrap_or_else(|error| panic!("{error}"));
    let gpu = changed.gpu("my-h100").unwrap();
    let lds = gpu.arch.class(class(&gpu.arch, "lds"));
    assert!(matches!(&lds.latency, Latency::Variable(known) if known.value == 30), "the kind stays");
    assert_eq!(
        lds.latency.cycles().source.to_string(),
        "measured on my-h100, 2026-12-01, by warplens calibrate"
    );
    assert_eq!(raw(&gpu.arch, "fma", "fma").value, 3);
    assert_eq!(raw(&gpu.arch, "fma", "alu").value, 5);
    assert_eq!(gpu.arch.memory.dram.value, 700);
    let h100 = changed.gpu("sm_90").unwrap().part;
    assert_eq!((h100.id.as_str(), h100.boost_mhz.value, h100.sm_count.value), ("h100-sxm", 1755, 132));
    assert_eq!(changed.gpu("k20m").unwrap().arch.sm, 35);
    assert_eq!(
        raw(&machine.gpu("sm_90").unwrap().arch, "fma", "fma").value,
        4,
        "the old one stays as it was"
    );
}

#[test]
fn a_wrong_overlay_says_where_and_what_was_expected() {
    let source = r#"source = "guess:x""#;
    let cases = [
        ("[sm_90", 1, "table"),
        ("\n[sm_91]\n", 2, "expected `parts` or one of sm_35, sm_52"),
        ("[sm_90]\nspeed = 1\n", 2, "unknown field `speed`, expected one of `name`"),
        (
            &format!("[sm_90.resources]\n\nwarps = {{ value = 1, {source} }}\n"),
            3,
            "expected a resource, one of schedulers",
        ),
        (
            &format!("[sm_90.resources]\nschedulers = {{ value = 4294967295, {source} }}\n"),
            2,
            "expected a number up to 1048576, not 4294967295",
        ),
        (&format!("[sm_90.units]\nXP = {{ value = 1, {source} }}\n"), 2, "expected a unit, one of SP, DP"),
        (
            &format!("[sm_90.memory]\nl3 = {{ cycles = 1, {source} }}\n"),
            2,
            "expected a memory level, one of shared",
        ),
        (&format!("[sm_90.memory]\ndram = {{ cycles = 0, {source} }}\n"), 2, "a nonzero u32"),
        ("[sm_90.memory]\ndram = { cycles = 5 }\n", 2, "missing field `source`"),
        ("[sm_90.memory]\ndram = { cycles = 5, source = \"I think\" }\n", 2, "`vendor:<what>`"),
        (
            "[sm_90.memory]\ndram = { cycles = 5, source = \"measured:h100\" }\n",
            2,
            "`measured:<gpu>:<date>[:<by>]`",
        ),
        ("[sm_90.memory]\ndram = { cycles = 5, source = \"vendor: \" }\n", 2, "`vendor:<what>`"),
        ("[sm_90.class.quantum]\npipe = \"FMA\"\n", 1, "expected a class of classes.csv, not `quantum`"),
        ("[sm_90.class.fma]\npipe = \"GMA\"\n", 2, "not `GMA`"),
        ("[sm_90.class.fma]\nlatency = { kind = \"soon\" }\n", 2, "expected `fixed` or `variable`"),
        ("[sm_90.class.fma]\nlatency = { cycles = 4 }\n", 2, "expected `cycles` and `source` together"),
        (
            &format!("[sm_90.raw.fma]\nfmb = {{ cycles = 4, {source} }}\n"),
            2,
            "a class of classes.csv, not `fmb`",
        ),
        ("[sm_90]\nnearest = [\"sm_80\", \"sm_81\"]\n", 2, "not `sm_81`"),
        ("[sm_90]\nnearest = [\"sm\\n80\"]\n", 2, "not `sm 80`"),
        ("[sm_90]\nnearest = []\n", 1, "for sm_90, in its files or in those of a chip that `nearest` names"),
        ("[parts.p]\nsm = 90\n", 1, "expected `name` of part `p`"),
        ("[parts.p]\nname = \"p\"\nsm = 91\n", 1, "expected `sm` to be one of 35, 52"),
        (&format!("[parts.t4]\nsm_count = {{ value = -1, {source} }}\n"), 2, "expected u32"),
    ];
    for (toml, line, expected) in cases {
        let error = machine().overlay("mine.toml", toml).expect_err(toml);
        assert_eq!((error.path.as_str(), error.line), ("mine.toml", line), "{toml}\n{error}");
        assert!(error.expected.contains(expected), "{toml}\n{error}");
        assert_eq!(error.to_string(), format!("mine.toml:{line}: {}", error.expected));
    }
}

#[test]
fn a_wrong_table_says_where_and_what_was_expected() {
    let classes = table::class_names(text(
        "name,unit,queue,returns,traits,summary\nalu,SP,,,immovable,Adds.\nlds,LDST,mio,shared,,Loads.\n",
    ))
    .unwrap();
    let raw = |rows: &str| {
        let content = format!("producer,consumer,cycles,source\n{rows}");
        table::raw(text(&content), &classes, &mut rustc_hash::FxHashMap::default()).map_err(|e| e.to_string())
    };
    assert_eq!(raw("alu,alu,4,vendor:v\nalu,lds,5,vendor:v\n"), Ok(()));
    let head = "opcode,from,to,class,operands,memory,flow,summary\n";
    let isa = |rows: &str| {
        let opcodes = format!("{head}{rows}");
        let modifiers = text("opcode,modifier,meaning\n");
        let registers = text("register,from,to,meaning\n");
        let operations = text("opcode,from,to,kind,operations,per,peak,source\n");
        let spellings = text("opcode,from,to,modifiers,operands,suffixes,complete\n");
        IsaTables::read(text(&opcodes), modifiers, registers, operations, spellings, &classes)
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert_eq!(isa("LDS,30,,lds,Ww A,shared,,Loads.\n"), Ok(()));
    let cases = [
        (raw("alu,alu,4,vendor:v\nalu,lsd,5,vendor:v\n"), "x:3: expected a class of classes.csv, not `lsd`"),
        (
            raw("alu,alu,4,vendor:v\nalu,alu,5,vendor:v\n"),
            "x:3: expected each pair only once; an earlier line already has `alu,alu`",
        ),
        (raw("alu,alu,four,vendor:v\n"), "x:2: expected a whole number in column `cycles`"),
        (raw("alu,alu,4\n"), "x:2: expected 4 fields, not 3"),
        (
            isa("LDS,30,,lsd,Ww A,shared,,Loads.\n"),
            "x:2: expected column `class`: a class of classes.csv, not `lsd`",
        ),
        (isa("LDS,30,,lds,Ww A,far,,Loads.\n"), "x:2: expected column `memory`: empty, shared, global"),
        (isa("LDS,30,,lds,Ww A,shared,up,Loads.\n"), "x:2: expected column `flow`: empty, branch"),
        (isa("LDS,30,,lds,Ww Z,shared,,Loads.\n"), "x:2: expected column `operands`: W R B P Q A T or O"),
        (isa("LDS,30,,lds,W0,shared,,Loads.\n"), "x:2: expected column `operands`: W R B P Q A T or O"),
        (isa("LDS,30,,lds,W999,shared,,Loads.\n"), "x:2: expected column `operands`: W R B P Q A T or O"),
        (isa("LDS,30,20,lds,W,shared,,Loads.\n"), "x:2: expected column `to` to be empty or at least 30"),
        (isa(",30,,lds,W,shared,,Loads.\n"), "x:2: expected a value in column `opcode`"),
        (isa("LDS,kepler,,lds,W,shared,,Loads.\n"), "x:2: expected a whole number in column `from`"),
    ];
    for (result, expected) in cases {
        let error = result.expect_err(expected);
        assert!(error.starts_with(expected), "{error}\nwanted {expected}");
    }
    let zero = raw("alu,alu,0,vendor:v\n").unwrap_err();
    assert!(zero.starts_with("x:2: ") && zero.contains("nonzero"), "{zero}");
    let source = raw("alu,alu,4,hearsay\n").unwrap_err();
    assert!(source.starts_with("x:2: ") && source.contains("`vendor:<what>`"), "{source}");
    for (content, expected) in [
        (
            "name,summary\n",
            "x:1: expected column `unit` in the header `name,unit,queue,returns,traits,summary`",
        ),
        (
            "unit,name,queue,returns,traits,summary\n",
            "x:1: expected the header `name,unit,queue,returns,traits,summary`",
        ),
        (
            "name,unit,queue,returns,traits,summary\na,,,,,b\na,,,,,b\n",
            "x:3: expected each class only once; an earlier line already has `a`",
        ),
        (
            "name,unit,queue,returns,traits,summary\na,XP,,,,b\n",
            "x:2: expected a unit: SP, DP, SFU, LDST, tensor or empty, not `XP`",
        ),
        (
            "name,unit,queue,returns,traits,summary\na,SP,,,drains soft,b\n",
            "x:2: expected traits in column `traits`: unknown variant `soft`, expected one of `fence`, `drains`, \
             `cache_control`, `memory_barrier`, `bulk_copy`, `convergence`, `copies`, `unordered`, `immovable`, \
             `global_store`, `uniform`, `single_precision`",
        ),
    ] {
        let error = table::class_names(text(content)).expect_err(expected).to_string();
        assert_eq!(error, expected);
    }
}

/// A fictitious chip is only a folder.
#[test]
#[expect(clippy::disallowed_methods, reason = "the folder is read as the build script reads it")]
fn a_chip_is_a_folder() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sm_90");
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(data).unwrap().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap();
        let text = match entry.file_name().to_str() {
            Some("sm.toml") => text.replace("Hopper GH100", "Made up").replace("\nsm_90", "\nsm_93"),
            Some("parts.toml") => {
                let usual = text.split("\n\n[").nth(1).unwrap();
                format!("[{usual}\n")
                    .replace("[h100-sxm]", "[made-up]")
                    .replace("sm = 90", "sm = 93")
                    .replace("H100", "M100")
            }
            _ => text,
        };
        fs::write(folder.path().join(entry.file_name()), text).unwrap();
    }
    let mut files: Vec<(String, String)> = fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    files.sort();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let mut chips = builtin::CHIPS.to_vec();
    chips.push(("sm_93", &files));
    let machine = builtin::read_with(&chips).unwrap_or_else(|error| panic!("{error}"));
    let (made_up, hopper) = (machine.gpu_for_sm(93), machine.gpu_for_sm(90));
    assert_eq!((made_up.arch.sm, &*made_up.arch.name, &*made_up.part.id), (93, "Made up", "made-up"));
    assert!(made_up.arch.isa.has_mnemonic("LDG") && hopper.arch.isa.has_mnemonic("HGMMA"));
    assert!(made_up.arch.pipeline.is_some(), "it is calibrated, as the folder has a `pipeline.toml`");
    assert_eq!(machine.gpu("made-up").unwrap().part.id, "made-up");
    // The error names a missing file.
    let without = |lacking: &[&str]| {
        let mut chips = builtin::CHIPS.to_vec();
        let rest: Vec<_> = files.iter().copied().filter(|(name, _)| !lacking.contains(name)).collect();
        chips.push(("sm_93", &rest));
        builtin::read_with(&chips)
    };
    let wrong = without(&["parts.toml"]).expect_err("it lacks a table");
    assert_eq!(wrong.to_string(), "sm_93:1: expected a file `parts.toml`");
    // Without figures of its own, a chip has those of its nearest chips.
    let machine =
        without(&["raw.csv", "distances.csv", "pipeline.toml"]).unwrap_or_else(|error| panic!("{error}"));
    assert!(machine.gpu_for_sm(93).arch.pipeline.is_none());
}
