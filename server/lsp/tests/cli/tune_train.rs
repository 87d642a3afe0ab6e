//! `tune train`, and `tune gemm` with the trained network. The samples' times are computed from sizes and stages.

use super::run::Folder;
use std::fmt::Write;

/// A data file with rows of random shapes.
fn data(gpu: &str, rows: u32, first: u32) -> String {
    let mut text = format!(
        "# gpu = {gpu}\n# problem = gemm\nelement,layout,m,n,k,thread_m,thread_n,block_m,block_n,depth,thread_k,\
         block_k,grid_k,vector_a,vector_b,stages,microseconds\n"
    );
    for row in first..first + rows {
        let pick = |salt: u32, values: &[u32]| {
            let hash = row.wrapping_mul(2_654_435_761).wrapping_add(salt.wrapping_mul(40_503)) >> 7;
            values[hash as usize % values.len()]
        };
        let sizes = [1, 2, 3].map(|salt| pick(salt, &[16, 32, 64, 128, 256]));
        let stages = pick(4, &[1, 2, 3, 4]);
        let layout = ["nn", "nt", "tn", "tt"][pick(5, &[0, 1, 2, 3]) as usize];
        let time = f64::from(sizes.iter().product::<u32>()) / f64::from(stages) / 1e4;
        let [m, n, k] = sizes;
        let _ = writeln!(text, "f32,{layout},{m},{n},{k},4,4,32,32,8,1,1,1,1,1,{stages},{time:.4}");
    }
    text
}

const H100: &str = "NVIDIA H100 80GB HBM3";

fn folder() -> Folder {
    Folder::new().file("a.csv", data(H100, 300, 0)).file("b.csv", data(H100, 300, 300))
}

#[test]
fn a_network_of_two_files_ranks_tilings() {
    let folder = folder();
    let text = folder.run("tune train gemm a.csv b.csv -o net.safetensors --hidden 16,8 --epochs 3").ok();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("16, 8: ") && lines[0].ends_with(" in 3 epochs, written to net.safetensors"),
        "{text}"
    );
    assert!(lines[0].contains(" weights from 480 samples of NVIDIA H100 80GB HBM3 in "), "{text}");
    assert!(
        lines[1].starts_with("mean square error ") && lines[1].ends_with(" held out by random"),
        "{text}"
    );
    assert!(lines[2].ends_with(" held out by shapes"), "{text}");
    assert_eq!(lines.len(), 3, "{text}");

    let ranked = folder.run("tune gemm --m 32 --n 24 --k 64 --network net.safetensors --top 2").ok();
    let basis = ranked.lines().nth(1).unwrap();
    assert!(
        basis.starts_with("network trained on NVIDIA H100 80GB HBM3, 480 samples, mean square error "),
        "{ranked}"
    );
    assert!(basis.contains(" (random), ") && basis.ends_with(" (shapes)"), "{ranked}");
    let csv = folder.run("tune gemm --m 32 --n 24 --k 64 --network net.safetensors --format csv").ok();
    assert!(csv.lines().nth(1).unwrap().contains(",network,"), "{csv}");
    let other = folder.run("tune gemm --m 32 --n 24 --k 64 --network net.safetensors --gpu h200").refusal();
    assert!(
        other
            .starts_with("tune gemm: the network was trained on NVIDIA H100 80GB HBM3; expected one of H200"),
        "{other}"
    );
}

#[test]
fn what_cannot_be_trained_takes_one_line() {
    let folder = folder()
        .file("few.csv", data(H100, 20, 0))
        .file("other.csv", data("NVIDIA H200", 20, 0))
        .file("conv.csv", data(H100, 20, 0).replace("problem = gemm", "problem = conv"));
    for (command, expected) in [
        ("tune train gemm few.csv -o n", "tune train: 20 samples; expected at least 100"),
        (
            "tune train gemm a.csv other.csv -o n",
            "other.csv: samples of GPU `NVIDIA H200`; expected `NVIDIA H100 80GB HBM3`",
        ),
        ("tune train gemm conv.csv -o n", "conv.csv:3: samples of problem `conv`; expected gemm"),
        (
            "tune train gemm none.csv -o n",
            "no such file: `none.csv`; expected a path, or `-` for standard input",
        ),
        (
            "tune train gemm a.csv -o n --hidden 64,0",
            "invalid value '0' for '--hidden <SIZES>': expected a whole number from 1 to 4294967295",
        ),
        (
            "tune train gemm a.csv -o n --hidden 5000",
            "tune train: option `hidden` is [5000]; expected at most 32 sizes from 1 to 4096",
        ),
        (
            "tune train lu a.csv -o n",
            "invalid value 'lu' for '<PROBLEM>': `lu` is not a kind of problem; expected gemm or conv",
        ),
    ] {
        assert_eq!(folder.run(command).refusal(), expected, "{command}");
    }
    let missing = folder.run("tune train gemm a.csv").refusal();
    assert!(missing.contains("--output <FILE>"), "{missing}");
    assert!(!folder.path().join("n").exists());
}
