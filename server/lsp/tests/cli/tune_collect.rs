//! `tune collect` and `tune verify` without a GPU or compiler.

use super::run::{Folder, RunResult};

#[test]
fn without_a_compiler_one_line_says_so() {
    let folder = Folder::new();
    for (command, begins) in [
        ("tune collect gemm -o new.csv --rows 10", "tune collect: "),
        ("tune verify conv --pairs 10", "tune verify: "),
        ("tune compare gemm --random 1", "tune compare: "),
        ("tune gemm --m 8 --n 8 --k 8 --measure", "tune gemm: "),
    ] {
        let mut command = folder.command(command);
        command.env("PATH", folder.path());
        for variable in ["CUDA_HOME", "CUDA_PATH"] {
            command.env_remove(variable);
        }
        let line = RunResult::from_output(command.output().unwrap()).refusal();
        assert!(line.starts_with(begins), "{line}");
    }
    assert!(!folder.path().join("new.csv").exists());
}

#[test]
fn what_is_not_understood_takes_one_line() {
    for (command, expected) in [
        ("tune collect gemm", "the following required arguments were not provided: --output <FILE>"),
        (
            "tune verify lu",
            "invalid value 'lu' for '<PROBLEM>': `lu` is not a kind of problem; expected gemm or conv",
        ),
    ] {
        assert_eq!(Folder::new().run(command).refusal(), expected, "{command}");
    }
}
