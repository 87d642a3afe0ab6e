//! `asm` statements of headers that nvcc accepts have no findings, in any notation.
//!
//! The headers are those of the toolkit in `CUDA_HOME`; `WARPLENS_CUDA` lists more folders of code that
//! compiles.

use advisor::inline_asm::{Code, Statement};
use ide::{Cancel, Config, Host, Language, Severity};
use machine::Machine;
use machine::ptx::Ptx;
use std::path::{Path, PathBuf};
use syntax::cuda::Source;
use syntax::cuda::asm::Template;

const ENDINGS: [&str; 7] = ["cu", "cuh", "h", "hpp", "inl", "cpp", ""];

/// Code in unused functions of CUTLASS that ptxas rejects: `.hi` or `.lo` is missing.
const REFUSED: &str = "dp2a.s32.s32";

/// Adds the files in a folder and its subfolders that may be CUDA.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("it can be read") {
        let entry = entry.expect("it can be read");
        let path = entry.path();
        let kind = entry.file_type().expect("it has a type");
        if kind.is_dir() {
            files(&path, found);
        } else if kind.is_file() {
            let ending = path.extension().map_or("", |ending| ending.to_str().unwrap_or("-"));
            if ENDINGS.contains(&ending) {
                found.push(path);
            }
        }
    }
}

/// Numbers of statements in a text: all statements, statements without macros, statements of PTX, and
/// statements of complete PTX.
fn counted(text: &str, tables: &Ptx) -> [usize; 4] {
    let source = Source::parse(text);
    let mut counts = [0; 4];
    for placed in &source.unit().items {
        let own = &text[placed.range(&(0..placed.item.length))];
        for block in &placed.item.asm {
            counts[0] += 1;
            let Some(template) = Template::read(own, block) else { continue };
            counts[1] += 1;
            if (Statement { item: &placed.item, text: own, block }).is_ptx(&template, tables) {
                counts[2] += 1;
                counts[3] += usize::from(Code::new(own, block, &template, None).is_some());
            }
        }
    }
    counts
}

#[test]
fn code_that_compiles_has_no_findings() {
    let home = std::env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("include"));
    let more = std::env::var_os("WARPLENS_CUDA");
    let more = more.iter().flat_map(std::env::split_paths);
    let mut folders: Vec<PathBuf> = home.into_iter().chain(more).collect();
    folders.retain(|folder| folder.is_dir());
    if folders.is_empty() {
        testkit::left_out("CUDA_HOME is not set: the `asm` statements of its headers are not read");
        return;
    }
    let mut paths = Vec::new();
    for folder in &folders {
        files(folder, &mut paths);
    }
    paths.sort();
    let tables = Ptx::builtin();
    let mut host = Host::new(Machine::builtin());
    host.configure(Config::from_json(&serde_json::json!({ "gpu": "h100-sxm" })).unwrap()).unwrap();
    let mut total = [0; 4];
    let (mut read, mut found) = (0, Vec::new());
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !text.contains("asm") {
            continue;
        }
        let counts = counted(&text, &tables);
        if counts[0] == 0 {
            continue;
        }
        read += 1;
        for (total, own) in total.iter_mut().zip(counts) {
            *total += own;
        }
        host.open_as("x.cu", 1, Language::Cuda, &text);
        let analysis = host.snapshot("x.cu", Cancel::default()).unwrap();
        for finding in analysis.code_diagnostics().unwrap() {
            let line = text[..finding.range.start].matches('\n').count() + 1;
            let at = &text[finding.range.clone()];
            // Some statements are for another architecture than the configured one.
            if finding.severity != Severity::Error || finding.message.contains(REFUSED) {
                continue;
            }
            found.push(format!("{}:{line}: {}: {at}: {}", path.display(), finding.code, finding.message));
        }
        host.close("x.cu");
    }
    let [all, whole, ptx, code] = total;
    println!(
        "{read} files, {all} statements: {whole} whole, {ptx} PTX, {code} checked; {} findings",
        found.len()
    );
    assert!(all > 0 && code > 0, "the headers of a toolkit have some");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
