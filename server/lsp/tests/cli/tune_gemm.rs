//! `tune gemm` and `tune conv` with the models that come with the project. The tests of `tune train` cover other
//! networks.

use super::run::Folder;
use std::fs;

const SMALL: &str = "tune gemm --m 32 --n 24 --k 64 --gpu h100-sxm";

#[test]
fn the_text_says_who_ranked_what() {
    let text = Folder::new().run(&format!("{SMALL} --static --top 3")).ok();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("M=32 N=24 K=64 f32 nn on H100 SXM5 80 GB: 3 of "), "{text}");
    assert!(lines[0].ends_with(" legal tilings"), "{text}");
    assert_eq!(lines[1], "static model alone: requested with --static");
    assert!(lines[3].trim_start().starts_with("us  "), "{text}");
    assert_eq!(lines.len(), 9, "{text}");
    assert!(lines[8].starts_with("Launch of the first kernel: grid "), "{text}");
}

#[test]
fn the_network_of_the_gpu_ranks_where_there_is_one() {
    let text = Folder::new().run(&format!("{SMALL} --top 3")).ok();
    let basis = text.lines().nth(1).unwrap();
    assert!(basis.starts_with("network trained on NVIDIA H100 80GB HBM3, "), "{text}");
    assert!(basis.contains(" samples, mean square error 0.0"), "{text}");
    let outside = "the shape is outside the range that the network was trained on: its times are guesses";
    assert_eq!(text.lines().nth(2), Some(outside));
    let usual = Folder::new().run("tune gemm --m 256 --n 64 --k 256 --gpu h100-sxm --top 1").ok();
    assert_eq!(usual.lines().nth(2), Some(""), "{usual}");
    let csv = Folder::new().run(&format!("{SMALL} --format csv")).ok();
    assert!(csv.lines().nth(1).unwrap().contains(",network,"), "{csv}");
}

#[test]
fn a_convolution_is_ranked_and_written() {
    let folder = Folder::new();
    let shape = "--n 2 --c 8 --h 12 --w 12 --k 16 --r 3 --s 3 --pad 1";
    let text = folder.run(&format!("tune conv {shape} --top 2 --emit conv.ptx")).ok();
    let first = "N=2 C=8 H=12 W=12 K=16 R=3 S=3 pad=1 stride=1 f32 nchw on H100 SXM5 80 GB: 2 of ";
    assert!(text.starts_with(first), "{text}");
    assert!(text.lines().nth(1).unwrap().starts_with("network trained on NVIDIA H100"), "{text}");
    let ptx = fs::read_to_string(folder.path().join("conv.ptx")).unwrap();
    assert!(
        ptx.contains("// Convolution of 2 x 8 x 12 x 12 with 16 x 8 x 3 x 3, padding 1, stride 1, f32, NCHW"),
        "{ptx}"
    );
    assert!(ptx.contains("// 2, 12, 12, 16, 72, 1152, 12, 12, 3, 3, 1, 1, 144.\n"), "{ptx}");
    assert!(ptx.contains(".visible .entry conv("), "{ptx}");
    assert!(!folder.run("check conv.ptx").stdout.contains("syntax"), "the checker reads the comment");
    let csv = folder.run(&format!("tune conv {shape} --static --top 4 --format csv")).ok();
    assert!(csv.starts_with("rank,microseconds,by,thread_k,thread_p,"), "{csv}");
    assert_eq!(csv.lines().count(), 5, "{csv}");
}

#[test]
fn the_gpu_is_that_of_the_project() {
    let folder = Folder::new().file("warplens.toml", "gpu = \"h200\"\n");
    let text = folder.run("tune gemm --m 8 --n 8 --k 8 --top 1").ok();
    assert!(text.starts_with("M=8 N=8 K=8 f32 nn on H200"), "{text}");
    assert_eq!(text.lines().nth(1), Some("static model alone: no network for H200 SXM 141 GB"));
}

#[test]
fn programs_get_a_row_for_each_tiling() {
    let csv = Folder::new().run(&format!("{SMALL} --static --dtype f16 --layout tn --format csv")).ok();
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
        (
            "tune conv --n 1 --c 1 --h 2 --w 2 --k 1 --r 3 --s 3",
            "tune conv: a filter of 3 x 3 does not fit into an input of 2 x 2, padding included",
        ),
        (
            "tune gemm --m 8 --n 8 --k 8 --again",
            "the following required arguments were not provided: --measure [<COUNT>]",
        ),
        (
            "tune gemm --m 8 --n 8 --k 8 --static --network junk",
            "the argument '--static' cannot be used with '--network <FILE>'",
        ),
        ("tune gemm --m 8 --n 8", "the following required arguments were not provided: --k <SIZE>"),
        (
            "tune gemm --m 65536 --n 8 --k 65536",
            "tune gemm: A has 4,294,967,296 elements; expected at most 2,147,483,648",
        ),
        (
            "tune gemm --m 8 --n 8 --k 8 --dtype f8",
            "invalid value 'f8' for '--dtype <TYPE>': `f8` is not an element type; expected f16, f32 or f64",
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
            "tune gemm: the static model has no figures for Tesla V100-SXM2-16GB; expected a calibrated GPU",
        ),
    ] {
        assert_eq!(folder.run(command).refusal(), expected, "{command}");
    }
    let unknown = folder.run("tune gemm --m 8 --n 8 --k 8 --gpu voodoo2").refusal();
    assert!(unknown.starts_with("unknown GPU `voodoo2`; known: "), "{unknown}");
    let junk = folder.run("tune gemm --m 8 --n 8 --k 8 --network junk").refusal();
    assert!(
        junk.starts_with("`junk`: the file of the network cannot be read; expected safetensors"),
        "{junk}"
    );
    let unwritten = folder.run(&format!("{SMALL} --emit no/such/folder.ptx")).refusal();
    assert!(unwritten.starts_with("tune gemm: cannot write `no/such/folder.ptx`: "), "{unwritten}");
}
