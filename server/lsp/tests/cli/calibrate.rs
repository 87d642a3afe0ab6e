//! `calibrate` with scripts in place of nvcc and of the runner, which prints the cycles of an H100.

use crate::run::{Folder, RunResult};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Cycles of all programs, as a runner printed them.
const CYCLES: &str = include_str!("../../../lab/src/tests/h100.csv");

/// Output of `chip.cu` on an H200: measurements of the clock, the L2 cache, DRAM and the launch of blocks.
const CHIP: &str = include_str!("../../../lab/src/tests/h200-chip.csv");

/// A fake nvcc: writes a prepared kernel, runner or chip program to the output path.
const NVCC: &str = "#!/bin/sh
here=$(dirname \"$0\")
while [ \"$1\" != -o ]; do
    [ \"$1\" = -cubin ] && kind=kernel
    shift
done
[ \"$2\" = chip ] && kind=chip
cp \"$here/${kind:-runner}\" \"$2\"
";

/// A fake runner: prints the device, or the stored cycles of each program in the list.
const RUNNER: &str = "#!/bin/sh
if [ \"$1\" = --device ]; then
    echo 'device,90,NVIDIA H100 80GB HBM3'
    exit
fi
while read -r name file; do
    [ -s \"$file\" ] && grep \"^$name,\" \"$CYCLES\"
done < \"$1\"
";

fn path(folder: &Folder) -> PathBuf {
    folder.command("").get_current_dir().unwrap().to_owned()
}

/// Creates a folder with a CUDA toolkit in `cuda`, whose nvcc and runner are the given scripts.
fn toolkit(nvcc: &str, runner: &str) -> Folder {
    let folder = Folder::new()
        .file("cuda/bin/nvcc", nvcc)
        .file("cuda/bin/runner", runner)
        .file("cuda/bin/chip", format!("#!/bin/sh\ncat <<'END'\n{CHIP}END\n"))
        .file("cuda/bin/kernel", cubin(1 << 12))
        .file("cycles.csv", CYCLES);
    for program in ["nvcc", "runner", "chip"] {
        let program = path(&folder).join("cuda/bin").join(program);
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// Returns an ELF file whose only contents are a code section of this many bytes for the kernel.
fn cubin(code_bytes: usize) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.text.program\0.shstrtab\0";
    const HEADER: usize = 64;
    let names_at = HEADER + code_bytes;
    let sections_at = (names_at + NAMES.len()).next_multiple_of(8);
    let mut file = vec![0_u8; sections_at];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    file[18] = 190;
    file[20] = 1;
    file[40..48].copy_from_slice(&(sections_at as u64).to_le_bytes());
    for (at, value) in [(52, 64_u16), (58, 64), (60, 3), (62, 2)] {
        file[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    file[names_at..names_at + NAMES.len()].copy_from_slice(NAMES);
    for (name, kind, start, length) in
        [(0_u32, 0_u32, 0, 0), (1, 1, HEADER, code_bytes), (15, 3, names_at, NAMES.len())]
    {
        let mut section = [0_u8; 64];
        section[..4].copy_from_slice(&name.to_le_bytes());
        section[4..8].copy_from_slice(&kind.to_le_bytes());
        section[24..32].copy_from_slice(&(start as u64).to_le_bytes());
        section[32..40].copy_from_slice(&(length as u64).to_le_bytes());
        file.extend(section);
    }
    file
}

fn calibrate(folder: &Folder, args: &str) -> RunResult {
    let mut command = folder.command(&format!("calibrate {args}"));
    command.env("CUDA_HOME", path(folder).join("cuda"));
    command.env("CYCLES", path(folder).join("cycles.csv"));
    RunResult::from_output(command.output().unwrap())
}

/// Returns the number of figures that the summary states.
fn figures(summary: &str) -> usize {
    let (_, rest) = summary.split_once(": ").unwrap();
    rest.split_once(" figures from ").unwrap().0.parse().unwrap()
}

#[test]
fn without_nvcc_one_line_says_how_to_get_it() {
    let folder = Folder::new().file("empty/x", "");
    let run = |home: Option<&str>| {
        let mut command = folder.command("calibrate");
        command.env("PATH", path(&folder).join("empty")).env_remove("CUDA_HOME");
        command.envs(home.map(|home| ("CUDA_HOME", home)));
        RunResult::from_output(command.output().unwrap()).refusal()
    };
    let line = "calibrate: nvcc not found: install the CUDA toolkit, or set CUDA_HOME to its folder";
    assert_eq!((run(None), run(Some(""))), (line.to_owned(), line.to_owned()));
    let line =
        "calibrate: CUDA_HOME is `/nowhere`, which has no bin/nvcc: expected the folder of the CUDA toolkit";
    assert_eq!(run(Some("/nowhere")), line);
}

#[test]
fn without_a_gpu_one_line_says_so() {
    for (printed, expected) in [
        ("none,no NVIDIA driver is installed", "calibrate: no GPU to measure: no NVIDIA driver is installed"),
        ("", "calibrate: no GPU to measure: the runner printed ``"),
    ] {
        let folder = toolkit(NVCC, &format!("#!/bin/sh\necho '{printed}'\n"));
        assert_eq!(calibrate(&folder, "-o h100.toml").refusal(), expected);
        assert!(!path(&folder).join("h100.toml").exists(), "{printed}");
    }
}

#[test]
fn what_nvcc_does_not_do_takes_one_line() {
    let folder = toolkit("#!/bin/sh\necho 'fatal: no host compiler' >&2; exit 1\n", RUNNER);
    let line = calibrate(&folder, "").refusal();
    assert_eq!(line, "calibrate: nvcc failed (exit status: 1): fatal: no host compiler");
    let folder = toolkit(NVCC, RUNNER).file("cuda/bin/kernel", cubin(64));
    let line = calibrate(&folder, "").refusal();
    assert_eq!(
        line,
        "calibrate: nvcc compiled the kernel to something other than one code section with room for the programs"
    );
}

#[test]
fn an_overlay_is_written_with_its_formulas_and_sources() {
    let folder = toolkit(NVCC, RUNNER);
    let said = calibrate(&folder, "-o h100.toml").ok();
    assert!(said.starts_with("NVIDIA H100 80GB HBM3 (sm_90): ") && figures(&said) > 60, "{said}");
    let overlay = fs::read_to_string(path(&folder).join("h100.toml")).unwrap();
    let start = "# Measured by `warplens calibrate` on NVIDIA H100 80GB HBM3, sm_90, on 20";
    assert!(overlay.starts_with(start), "{overlay}");
    assert!(overlay.contains("[sm_90.class.ldg]\n# (ldg_9 - ldg_1) / 8\nissue = { cycles = 4, source = \"measured:h100-80gb-hbm3:20"), "{overlay}");
    assert!(
        overlay.contains("[sm_90.pipeline.shared]\n# wait_lds - read_lds + 3\nresult = { value = 18, "),
        "{overlay}"
    );
    assert!(overlay.contains(":wavefronts\" }\n"), "{overlay}");
    // The same on standard output.
    assert_eq!(calibrate(&folder, "").ok(), overlay);
    let line = calibrate(&folder, "-o nowhere/h100.toml").refusal();
    assert!(line.starts_with("calibrate: cannot write `nowhere/h100.toml`: "), "{line}");
}

#[test]
fn the_chip_is_measured_on_any_gpu_and_belongs_to_its_part() {
    // A part that is known by its driver's name gets its own figures.
    let known = RUNNER.replace("NVIDIA H100 80GB HBM3", "NVIDIA H200");
    let overlay = calibrate(&toolkit(NVCC, &known), "").ok();
    assert!(
        overlay.contains("\n[parts.h200]\n# mhz\nboost_mhz = { value = 1980, source = \"measured:h200:20"),
        "{overlay}"
    );
    assert!(
        overlay.contains(
            "\n[parts.h200.pipeline.dram]\n# streamed_bytes / read_cycles\nbytes_per_cycle = { value = 2316, "
        ),
        "{overlay}"
    );
    // An unknown GPU becomes a new part, and the overlay says if its SM has no programs.
    let other = "#!/bin/sh\necho 'device,75,Tesla T4'\n";
    let folder = toolkit(NVCC, other);
    let said = calibrate(&folder, "-o t4.toml").ok();
    assert!(
        said.contains(
            "skipped: the SM of sm_75: programs exist only for sm_90, so launches are not predicted\n"
        ),
        "{said}"
    );
    for (sm, tables) in [(89, 89), (87, 86), (88, 86)] {
        let other = format!("#!/bin/sh\necho 'device,{sm},NVIDIA RTX 6000 \\\"Ada'\n");
        let overlay = calibrate(&toolkit(NVCC, &other), "").ok();
        let part = format!("\n[parts.rtx-6000-ada]\nname = \"NVIDIA RTX 6000 Ada\"\nsm = {tables}\n");
        assert!(overlay.contains(&part), "{overlay}");
    }
}

#[test]
fn a_chip_that_cannot_be_measured_leaves_out_its_figures_alone() {
    let folder = toolkit(NVCC, RUNNER).file("cuda/bin/chip", "#!/bin/sh\necho 'out of memory' >&2; exit 1\n");
    let said = calibrate(&folder, "-o h100.toml").ok();
    assert!(said.contains("skipped: program chip: ") && said.contains("out of memory"), "{said}");
    assert!(figures(&said) > 60, "{said}");
}

#[test]
fn an_overlay_goes_before_the_built_in_figures() {
    let cycles = CYCLES.replace("wait_lds,42\n", "wait_lds,49\n");
    assert_ne!(cycles, CYCLES);
    let listing = "\t.target\tsm_90\n.text.k:\n\x20 /*0000*/ LDS R0, [R2] ;\n\x20 /*0010*/ EXIT ;\n";
    let folder = toolkit(NVCC, RUNNER).file("cycles.csv", cycles).file("k.sass", listing);
    calibrate(&folder, "-o mine.toml").ok();
    let latency = |args: &str| {
        let report: serde_json::Value = serde_json::from_str(&folder.run(args).ok()).unwrap();
        report["kernels"][0]["instructions"][0]["latency"].clone()
    };
    assert_eq!(latency("analyze k.sass --format json")["cycles"], 23);
    let measured = latency("analyze k.sass --format json --overlay mine.toml");
    assert_eq!(measured["cycles"], 30, "{measured}");
    let source = measured["source"].as_str().unwrap();
    assert!(
        source.starts_with("measured on h100-80gb-hbm3, 20") && source.ends_with(", by scoreboard"),
        "{source}"
    );
    let folder = folder.file("mine.toml", "[sm_90.memory]\nshared = { cycles = 5 }\n");
    let line = folder.run("analyze k.sass --overlay mine.toml").refusal();
    assert_eq!(line, "mine.toml:2: missing field `source`");
    let line = folder.run("check k.sass --overlay absent.toml").refusal();
    assert!(line.starts_with("no such file: `absent.toml`"), "{line}");
}

#[test]
fn a_program_that_fails_leaves_out_its_figures_alone() {
    let runner = RUNNER.replace(
        "do\n",
        "do\n    [ $name = lds_9 ] && echo 'failed,lds_9,an illegal instruction was encountered' && exit\n",
    );
    let folder = toolkit(NVCC, &runner);
    let (said, all) =
        (calibrate(&folder, "-o h100.toml").ok(), calibrate(&toolkit(NVCC, RUNNER), "-o x").ok());
    assert_eq!(figures(&said) + 1, figures(&all), "{said}");
    let new: Vec<&str> = said.lines().skip(1).filter(|line| !all.contains(line)).collect();
    assert_eq!(
        new,
        [
            "skipped: program lds_9: an illegal instruction was encountered",
            "skipped: class.lds.issue: `(lds_9 - lds_1) / 8`: `lds_9` has no cycles",
        ]
    );
    let overlay = fs::read_to_string(path(&folder).join("h100.toml")).unwrap();
    for line in new {
        assert!(overlay.contains(&line.replace("skipped: ", "\n# ")), "{overlay}");
    }
}

#[test]
fn what_was_built_stays_where_it_is_asked_for() {
    let folder = toolkit(NVCC, RUNNER);
    calibrate(&folder, "--keep built/here").ok();
    let built = path(&folder).join("built/here");
    let code = |name: &str| fs::read(built.join(name)).unwrap()[64..].to_vec();
    for name in ["kernel.cu", "runner.cpp", "runner", "programs.txt", "cycles.csv"] {
        assert!(built.join(name).is_file(), "{name}");
    }
    // The first instruction of every program is the frame's S2R R8, SR_TID.X.
    assert_eq!(code("kernel.cubin")[..8], [0; 8]);
    assert_eq!(code("alu_1.cubin")[..8], 0x0000_0000_0008_7919_u64.to_le_bytes());
    assert_ne!(code("alu_1.cubin"), code("alu_17.cubin"));
    assert_eq!(
        calibrate(&folder, "--keep cuda").refusal(),
        "calibrate: the build folder cannot be used: `cuda` is not empty; expected a new or empty folder"
    );
}

#[test]
fn the_programs_are_listed_without_nvcc_or_gpu() {
    let folder = Folder::new();
    let mut command = folder.command("calibrate --list");
    let listed = RunResult::from_output(command.env("PATH", Path::new("")).output().unwrap()).ok();
    assert!(listed.starts_with("programs for sm_90\n\nintervals: How often does each pipe take"), "{listed}");
    assert!(listed.contains("\n  wavefronts_32          32 wavefronts.\n"), "{listed}");
    assert!(listed.contains("\n  pipeline.global.line = (lines_4 - lines_1) / 3\n"), "{listed}");
    let line = folder.run("calibrate --list -o x.toml").refusal();
    assert!(line.contains("'--list' cannot be used with"), "{line}");
}

#[test]
fn distances_are_counted_in_listings() {
    let listing = include_str!("../../../../tests/corpus/sm_61/features.cuda11.8-braces.cuobjdump-sass.txt");
    let folder = Folder::new().file("a.sass", listing);
    let printed = folder.run("calibrate --from-listings a.sass -o tables").ok();
    assert!(printed.starts_with("sm_61: "), "{printed}");
    let csv = fs::read_to_string(path(&folder).join("tables/sm_61/distances.csv")).unwrap();
    assert!(csv.starts_with("producer,part,file,consumer,usage,cycles,count,source\n"), "{csv}");
    assert!(csv.lines().any(|row| row.starts_with("alu,last,R,alu,operand,6,")), "{csv}");
    let folder = Folder::new().file("a.txt", "no listing\n");
    let refusal = folder.run("calibrate --from-listings a.txt").refusal();
    assert!(refusal.contains("no kernel with control codes"), "{refusal}");
}
