//! NVIDIA's compiler, for the tests that compile the server's output. The compiler needs no GPU.

use crate::command::Run;
use crate::repo::Repo;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release that is installed from PyPI if the machine has no toolkit. It has a tenth of the toolkit's size.
const RELEASE: &str = "13.5.37";

/// Packages needed to compile kernels to a cubin (compiler driver, optimiser, headers), and the disassembler.
const PACKAGES: [&str; 5] =
    ["nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-nvdisasm"];

/// The folder of a toolkit, as in `CUDA_HOME`: the machine's toolkit, otherwise a toolkit under `.tools`. To
/// install the latter, python3 needs its venv module.
pub(crate) fn cuda(repo: &Repo) -> Result<PathBuf> {
    let runs = |folder: &Path| Command::new(folder.join("bin/nvcc")).arg("--version").text().is_ok();
    if let Some(own) = own().filter(|own| runs(own)) {
        return Ok(own);
    }
    let root = repo.tools().join(format!("cuda-{RELEASE}"));
    let finished = root.join("finished");
    // An earlier installation may lack a package that was added to the list later.
    let has_all = |folder: &PathBuf| folder.join("bin/nvdisasm").is_file();
    if let Some(folder) = fs::read_to_string(&finished).ok().map(PathBuf::from).filter(has_all) {
        return Ok(folder);
    }
    println!("installing nvcc {RELEASE} into {}", root.display());
    Command::new("python3").args(["-m", "venv"]).arg(&root).ok()?;
    let packages = PACKAGES.map(|package| format!("{package}=={RELEASE}"));
    Command::new(root.join("bin/pip")).args(["install", "--quiet", "--no-deps"]).args(packages).ok()?;
    let script = "import nvidia; print(list(nvidia.__path__)[0])";
    let package = Command::new(root.join("bin/python")).args(["-c", script]).text()?;
    let major = RELEASE.split('.').next().unwrap_or(RELEASE);
    let folder = Path::new(package.trim()).join(format!("cu{major}"));
    let folder_text = folder.to_str().context("the repository's path is not UTF-8")?;
    fs::write(finished, folder_text)?;
    Ok(folder)
}

/// The folder that `CUDA_HOME` names, otherwise the toolkit folder of the nvcc on PATH.
fn own() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("CUDA_HOME") {
        return Some(home.into());
    }
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).find(|folder| folder.join("nvcc").is_file())?;
    programs.parent().map(Path::to_path_buf)
}
