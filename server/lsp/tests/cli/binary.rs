//! Cubins on the command line. A script replaces the vendor's disassembler.

use crate::run::{Folder, RunResult};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub(crate) const CUBIN: &[u8] = include_bytes!("../../../syntax/tests/cubins/sm_90.cubin");

/// Output of nvdisasm for a kernel of the cubin, shortened; it does not state resources.
const LISTING: &str = "\t.target\tsm_90\n\n//--------------------- .text.tile             --------------------------\n\
                       \t.section\t.text.tile,\"ax\",@progbits\n.text.tile:\n\
                       \x20       /*0000*/                   MOV R1, R2 ;\n\
                       \x20       /*0010*/                   EXIT ;\n";

impl Folder {
    pub(crate) fn with_cubin() -> Self {
        Self::new().file("tile.cubin", CUBIN)
    }

    /// Adds a program that is a shell script.
    pub(crate) fn tool(self, name: &str, script: &str) -> Self {
        let folder = self.file(name, format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    /// Runs a command with a PATH of these folders and the folders that the shell needs.
    pub(crate) fn run_with_path(&self, args: &str, path: &[&str]) -> RunResult {
        let folders = path.iter().map(|name| self.path().join(name));
        let path = std::env::join_paths(folders.chain([PathBuf::from("/bin")])).unwrap();
        RunResult::from_output(self.command(args).env("PATH", path).output().unwrap())
    }
}

/// True if the vendor's tools are in one of the folders that every test keeps on PATH, so that they cannot be hidden.
fn tools_are_everywhere() -> bool {
    let there = ["nvdisasm", "cuobjdump"].iter().any(|tool| Path::new("/bin").join(tool).exists());
    if there {
        testkit::left_out("a disassembler is in /bin");
    }
    there
}

#[test]
fn a_cubin_is_shown_as_its_listing_with_the_resources_that_it_states() {
    let folder = Folder::with_cubin()
        .file("listing", LISTING)
        .tool("bin/nvdisasm", r#"cat "$(dirname "$0")/../listing"; echo "// $1 $2 $3""#);
    let ran = folder.run_with_path("analyze tile.cubin --format json", &["bin"]);
    let report: Value = serde_json::from_str(&ran.ok()).unwrap();
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["name"], "tile");
    assert_eq!(kernel["instructions"][1]["opcode"], "EXIT");
    let resources = &kernel["resources"];
    assert_eq!((&resources["registers"], &resources["shared"]), (&14.into(), &256.into()), "{resources}");
    assert_eq!(resources["registers_source"], "listing", "{resources}");
    let text = folder.run_with_path("analyze tile.cubin", &["bin"]).ok();
    assert!(text.contains("14 registers per thread (listing)"), "{text}");
    // The same output with the disassembler that the option names, and from standard input.
    let named = folder.run_with_path("analyze tile.cubin --disassembler bin/nvdisasm", &[]).ok();
    assert_eq!(named, text);
}

#[test]
fn a_cubin_is_checked_where_it_is_named_or_in_a_folder() {
    const LATE: &str = "\x20       /*0000*/                   MOV R1, R2 ;\n";
    let folder = Folder::with_cubin()
        .file(
            "listing",
            LISTING.replace(LATE, &format!("{LATE}\x20       /*0008*/                   FROB R1, R2 ;\n")),
        )
        .file("build/tile.cubin", CUBIN)
        .file("build/a.sass", LISTING)
        .tool("bin/nvdisasm", r#"cat "$(dirname "$0")/../listing""#);
    let ran = folder.run_with_path("check tile.cubin --select unknown-opcode", &["bin"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("tile.cubin:7:") && ran.stdout.contains("`FROB`"), "{}", ran.stdout);
    let named =
        folder.run_with_path("check tile.cubin --disassembler bin/nvdisasm --select unknown-opcode", &[]);
    assert_eq!(named.stdout, ran.stdout);
    let searched = folder.run_with_path("check build --select unknown-opcode", &["bin"]);
    assert_eq!((searched.code, &*searched.stderr), (Some(1), ""));
    assert!(searched.stdout.contains("build/tile.cubin:7:"), "{}", searched.stdout);
    assert!(searched.stdout.ends_with(", 2 files checked\n"), "{}", searched.stdout);
}

#[test]
fn a_folder_with_nothing_but_cubins_is_checked() {
    let folder = Folder::with_cubin()
        .file("listing", LISTING)
        .file("only/a.cubin", CUBIN)
        .file("only/deep/b.cubin", CUBIN)
        .tool("bin/nvdisasm", r#"cat "$(dirname "$0")/../listing""#);
    let ran = folder.run_with_path("check only --select unknown-opcode", &["bin"]);
    assert_eq!(ran.ok(), "no findings, 2 files checked\n");
    if tools_are_everywhere() {
        return;
    }
    let line = folder.run_with_path("check only", &[]).refusal();
    let expected = "`only/a.cubin`, `only/deep/b.cubin` are cubins and were not checked: neither nvdisasm nor cuobjdump \
                    is on PATH. Install the CUDA toolkit, or give one with --disassembler";
    assert_eq!(line, expected);
    // Texts in the same folder need no toolkit.
    let ran = folder.file("only/a.sass", crate::run::LISTING).run_with_path("check only", &[]);
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "no findings, 1 file checked\n"));
    assert_eq!(ran.stderr, format!("warplens: {expected}\n"));
}

#[test]
fn without_a_disassembler_the_kernels_resources_are_shown() {
    if tools_are_everywhere() {
        return;
    }
    let folder = Folder::with_cubin();
    let ran = folder.run_with_path("analyze tile.cubin", &[]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        ran.stderr,
        "warplens: not disassembled: neither nvdisasm nor cuobjdump is on PATH. Install the CUDA toolkit, or give one \
         with --disassembler\n"
    );
    expect_test::expect![[r"
        sm_90, 3 kernels, globals 4 bytes, c[3] 64 bytes, c[4] 8 bytes
        kernel                  code  registers  shared  local  stack  constant  barriers  parameters  threads
        void store<3>(float*)    256          8       0      0      0  c[0] 536         0  8
        stack                  1,408         20       0      0    128  c[0] 540         0  8 4
        tile                     640         14   1,280      0      0  c[0] 541         1  8 4 1       up to 128
    "]]
    .assert_eq(&ran.stdout);
    let line = folder.run_with_path("analyze tile.cubin --format json", &[]).refusal();
    assert!(line.starts_with("not disassembled: neither nvdisasm nor cuobjdump is on PATH"), "{line}");
}

#[test]
fn a_tool_that_fails_or_is_not_there_is_named() {
    let folder = Folder::with_cubin().tool("bin/nvdisasm", "echo 'unknown architecture' >&2; exit 1");
    let ran = folder.run_with_path("analyze tile.cubin", &["bin"]);
    assert!(ran.stdout.contains("tile"), "{}", ran.stdout);
    assert_eq!(
        ran.stderr,
        "warplens: not disassembled: nvdisasm failed (exit status: 1): unknown architecture\n"
    );
    let line = folder.run_with_path("analyze tile.cubin --disassembler nowhere", &["bin"]).refusal();
    assert_eq!(line, "`nowhere` is not a program; expected the path of nvdisasm or cuobjdump");
}

#[test]
fn check_of_a_folder_without_cubins_runs_no_program() {
    let folder = Folder::new().tool("bin/nvdisasm", "touch ran").file("a.sass", crate::run::LISTING);
    let ran = folder.run_with_path("check .", &["bin"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!folder.path().join("ran").exists());
}
