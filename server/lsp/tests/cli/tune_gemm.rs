//! `tune gemm` with the static model; with a network it is tested where networks are trained.

use super::run::Folder;
use std::fs;

const SMALL: &str = "tune gemm --m 32 --n 24 --k 64 --gpu h100-sxm";

#[test]
fn the_text_says_who_ranked_what() {
    let text = Folder::new().run(&format!("{SMALL} --top 3")).ok();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("M=32 N=24 K=64 f32 nn on H100 SXM5 80 GB: 3 of "), "{text}");
    assert!(lines[0].ends_with(" legal tilings"), "{text}");
    assert_eq!(lines[1], "static model: nothing was measured for H100 SXM5 80 GB");
    assert!(lines[3].trim_start().starts_with("us  "), "{text}");
    assert_eq!(lines.len(), 9, "{text}");
    assert!(lines[8].starts_with("Launch of the first: grid "), "{text}");
}

#[test]
fn the_gpu_is_that_of_the_project() {
    let folder = Folder::new().file("warplens.toml", "gpu = \"h200\"\n");
    let text = folder.run("tune gemm --m 8 --n 8 --k 8 --top 1").ok();
    assert!(text.starts_with("M=8 N=8 K=8 f32 nn on H200"), "{text}");
}

#[test]
fn programs_get_a_row_for_each_tiling() {
    let csv = Folder::new().run(&format!("{SMALL} --dtype f16 --layout tn --format csv")).ok();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        rows[0],
        "rank,microseconds,by,thread_m,thread_n,block_m,block_n,depth,thread_k,block_k,grid_k,vector_a,\
         vector_b,stages,occupancy,registers,shared_bytes,limit,grid_x,grid_y,grid_z,threads,zero_c"
    );
    assert_eq!(rows.len(), 11, "{csv}");
    let times: Vec<f64> =
        rows[1..].iter().map(|row| row.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert!(times.is_sorted() && times[0] > 0.0, "{csv}");
    assert!(rows[1].starts_with("1,") && rows[1].contains(",static,"), "{csv}");
}

#[test]
fn the_best_kernel_is_written_with_its_launch() {
    let folder = Folder::new();
    folder.run(&format!("{SMALL} --top 1 --layout nt --emit best.ptx")).ok();
    let ptx = fs::read_to_string(folder.path().join("best.ptx")).unwrap();
    assert!(ptx.starts_with(".version "), "{ptx}");
    assert!(ptx.contains("// C = A B^T, f32, column-major, for M = 32, N = 24, K = 64.\n"), "{ptx}");
    assert!(ptx.contains("// Launch `gemm` with a grid of ("), "{ptx}");
    assert!(ptx.contains(".visible .entry gemm("), "{ptx}");
    assert!(!folder.run("check best.ptx").stdout.contains("syntax"), "the checker reads the comment");
}

#[test]
fn what_cannot_be_answered_takes_one_line() {
    let folder = Folder::new().file("junk", "no network");
    for (command, expected) in [
        (
            "tune gemm --m 0 --n 8 --k 8",
            "invalid value '0' for '--m <SIZE>': expected a whole number from 1 to 4294967295",
        ),
        ("tune gemm --m 8 --n 8", "the following required arguments were not provided: --k <SIZE>"),
        (
            "tune gemm --m 65536 --n 8 --k 65536",
            "tune gemm: A has 4,294,967,296 elements; expected at most 2,147,483,648",
        ),
        (
            "tune gemm --m 8 --n 8 --k 8 --dtype f8",
            "invalid value 'f8' for '--dtype <TYPE>': `f8` is no element type: f16, f32 or f64 was expected",
        ),
        (
            "tune gemm --m 8 --n 8 --k 8 --layout xx",
            "invalid value 'xx' for '--layout <LAYOUT>': expected nn, nt, tn or tt",
        ),
        (
            "tune gemm --m 8 --n 8 --k 8 --network none",
            "no such file: `none`; expected a path, or `-` for standard input",
        ),
        (
            "tune gemm --m 8 --n 8 --k 8 --gpu sm_70",
            "tune gemm: the static model has no figures of Tesla V100-SXM2-16GB: a calibrated GPU was expected",
        ),
    ] {
        assert_eq!(folder.run(command).refusal(), expected, "{command}");
    }
    let unknown = folder.run("tune gemm --m 8 --n 8 --k 8 --gpu voodoo2").refusal();
    assert!(unknown.starts_with("unknown GPU `voodoo2`; known: "), "{unknown}");
    let junk = folder.run("tune gemm --m 8 --n 8 --k 8 --network junk").refusal();
    assert!(
        junk.starts_with("`junk`: the file of the network cannot be read, safetensors was expected"),
        "{junk}"
    );
    let unwritten = folder.run(&format!("{SMALL} --emit no/such/folder.ptx")).refusal();
    assert!(unwritten.starts_with("tune gemm: cannot write `no/such/folder.ptx`: "), "{unwritten}");
}
