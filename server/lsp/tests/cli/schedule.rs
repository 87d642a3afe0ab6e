//! `warplens schedule`: its output, its messages and its refusals.

use crate::run::{Folder, LISTING};
use std::fs;
use std::path::PathBuf;

/// Splits the first line of stderr into the text before the colon, which counts kernels and instructions, and the
/// number of changed control codes.
#[track_caller]
fn counts(stderr: &str) -> (&str, usize) {
    let line = stderr.lines().next().unwrap().strip_prefix("warplens: ").unwrap();
    let (before, changed) = line.split_once(": ").unwrap();
    let changed = changed.split(' ').next().unwrap().replace(',', "");
    (before, changed.parse().unwrap())
}

/// A text without its encodings.
fn without_words(text: &str) -> String {
    let words = |line: &str| line.split("/* 0x").next().unwrap().trim_end().replace(".reuse", "");
    text.lines().map(|line| words(line).replace(" ;", ";") + "\n").collect()
}

#[test]
fn every_code_is_written_anew_and_once() {
    let folder = Folder::with_listing();
    let ran = folder.run("schedule a.sass");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (kernels, changed) = counts(&ran.stderr);
    assert!(kernels.starts_with("2 kernels, "), "{kernels}");
    assert!(changed > 0 && ran.stdout != LISTING);
    assert_eq!(without_words(&ran.stdout), without_words(LISTING), "the instructions stay");
    // The GPU that the cycles are for is named.
    assert!(
        ran.stderr.contains(" cycles on H100 SXM5 80 GB (assumed: the file names sm_90)"),
        "{}",
        ran.stderr
    );
    // The old codes are not used: a second run changes nothing.
    let again = Folder::new().file("b.sass", &ran.stdout).run("schedule b.sass -o c.sass");
    assert_eq!((again.code, again.stdout.as_str(), counts(&again.stderr).1), (Some(0), "", 0));
    let written = folder.run("schedule a.sass -o c.sass");
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""));
    assert_eq!(folder.run("schedule c.sass").stdout, ran.stdout);
}

#[test]
fn another_function_is_left_alone() {
    let folder = Folder::with_listing();
    let ran = folder.run("schedule a.sass --function scale");
    assert_eq!(
        (ran.code, ran.stderr.lines().next().map(|line| line.contains("1 kernel, "))),
        (Some(0), Some(true))
    );
    let second = |text: &str| text.split("Function : ").nth(2).unwrap().to_owned();
    assert_eq!(second(&ran.stdout), second(LISTING));
    let line = folder.run("schedule a.sass --function nobody").refusal();
    assert!(line.starts_with("no function `nobody`; expected one of: "), "{line}");
}

#[test]
fn reordered_instructions_are_counted() {
    let folder = Folder::with_listing();
    let ran = folder.run("schedule a.sass --reorder");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let addresses = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.trim().strip_prefix("/*0")?[..3].to_owned())).collect()
    };
    assert_eq!(addresses(&ran.stdout), addresses(LISTING), "addresses stay in their places");
    let mut before: Vec<String> = without_words(LISTING).lines().map(bare).collect();
    let mut after: Vec<String> = without_words(&ran.stdout).lines().map(bare).collect();
    let moved = before != after;
    assert_eq!(ran.stderr.contains(" moved"), moved, "{}", ran.stderr);
    before.sort();
    after.sort();
    assert_eq!(before, after, "every instruction is there once");
}

/// A line without its address.
fn bare(line: &str) -> String {
    line.split("*/").last().unwrap_or_default().trim().to_owned()
}

#[test]
fn a_listing_without_codes_is_refused() {
    let text: String = LISTING
        .lines()
        .filter(|line| !line.trim_start().starts_with("/* 0x"))
        .map(|line| line.split("/* 0x").next().unwrap().trim_end().to_owned() + "\n")
        .collect();
    let line = Folder::new().file("a.sass", text).run("schedule a.sass").refusal();
    assert!(line.ends_with(": this listing contains no control codes"), "{line}");
    let line = Folder::new().file("a.txt", "nothing\n").run("schedule a.txt").refusal();
    assert!(line.starts_with("`a.txt` has no SASS; expected a listing"), "{line}");
    let line = Folder::with_listing().run("schedule a.sass -o no/such/folder").refusal();
    assert!(line.starts_with("cannot write `no/such/folder`: "), "{line}");
}

#[cfg(unix)]
#[test]
fn a_cubin_gets_new_code_in_a_copy() {
    use crate::binary::CUBIN;

    let folder = Folder::with_cubin()
        .file("listing", include_str!("sm_90_cubin.sass"))
        .tool("bin/nvdisasm", r#"cat "$(dirname "$0")/../listing""#);
    let ran = folder.run_with_path("schedule tile.cubin -o out.cubin", &["bin"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
    let path: PathBuf = folder.path().join("out.cubin");
    let new = fs::read(path).unwrap();
    assert_eq!(new.len(), CUBIN.len());
    let changed = new.iter().zip(CUBIN).filter(|(new, old)| new != old).count();
    assert!(
        (1..=3 * counts(&ran.stderr).1).contains(&changed),
        "{changed} bytes: bits 105 to 125 lie in three"
    );
    // The encodings in the listing that is printed without -o equal those of the written copy.
    let text = folder.run_with_path("schedule tile.cubin", &["bin"]).stdout;
    let words = text.lines().filter_map(|line| line.split("/* 0x").nth(1)?.get(..16).map(str::to_owned));
    for word in words {
        let bytes = u64::from_str_radix(&word, 16).unwrap().to_le_bytes();
        assert!(new.windows(8).any(|window| window == bytes), "{word}");
    }
    // A listing of another file does not fit.
    let other = Folder::with_cubin()
        .file(
            "listing",
            include_str!("sm_90_cubin.sass").replace("/* 0x000000000000794d */", "/* 0x000000000000794e */"),
        )
        .tool("bin/nvdisasm", r#"cat "$(dirname "$0")/../listing""#);
    let line = other.run_with_path("schedule tile.cubin -o out.cubin", &["bin"]).refusal();
    assert!(line.contains("expected the words of the listing"), "{line}");
}

#[test]
fn values_are_moved_out_of_bank_conflicts() {
    let sample = include_str!("../../../../tests/corpus/sm_90/sgemm.cuobjdump-sass.txt");
    let folder = Folder::new().file("a.sass", sample);
    let ran = folder.run("schedule a.sass --rename");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let folder = folder.file("b.sass", &ran.stdout);
    let conflicts = |name: &str| {
        let found = folder.run(&format!("check {name} --format json")).stdout;
        found.matches("register-bank-conflict").count()
    };
    assert!(ran.stderr.lines().next().unwrap().ends_with(", renamed values: 2"), "{}", ran.stderr);
    assert!(conflicts("a.sass") > 0, "there is something to move");
    assert_eq!(conflicts("b.sass"), 0);
    // The encodings agree with the operands: LEA R11, R11, R7 with R18 for R7.
    let line = ran.stdout.lines().find(|line| line.contains("/*0170*/")).unwrap();
    assert!(line.contains("LEA R11, R11, R18, 0x4") && line.contains("/* 0x000000120b0b7211 */"), "{line}");
    // Without --rename, no register changes.
    let plain = folder.run("schedule a.sass").stdout;
    assert_eq!(without_words(&plain), without_words(sample));
}

/// A listing with an HGMMA, the matrix product of a warpgroup, and the instructions that usually surround it.
const PRODUCT: &str = "\tcode for sm_90a\n\t\tFunction : product\n\
    \x20       /*0000*/                   WARPGROUP.ARRIVE ;                                         /* 0x00000000000079c5 */\n\
    \x20                                                                                             /* 0x000fec0000000000 */\n\
    \x20       /*0010*/                   HGMMA.64x32x16.F32 R24, R40, gdesc[UR12], R24, gsb0 ;      /* 0x0060000c28187df0 */\n\
    \x20                                                                                             /* 0x000fe60008000818 */\n\
    \x20       /*0020*/                   EXIT ;                                                     /* 0x000000000000794d */\n\
    \x20                                                                                             /* 0x000fea0003800000 */\n";

#[test]
fn codes_of_products_of_warpgroups_are_written() {
    for product in ["HGMMA.64x32x16.F32", "QGMMA.64x32x32.F32.E4M3.E5M2", "IGMMA.64x32x32.S8.S8"] {
        let listing = PRODUCT.replace("HGMMA.64x32x16.F32", product);
        let folder = Folder::new().file("a.sass", &listing);
        for options in ["", " --reorder", " --rename"] {
            let ran = folder.run(&format!("schedule a.sass{options}"));
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            assert_eq!(counts(&ran.stderr), ("1 kernel, 3 instructions", 1));
            assert_eq!(without_words(&ran.stdout), without_words(&listing));
        }
    }
}

#[test]
fn a_kernel_that_is_refused_keeps_its_codes_if_that_is_asked_for() {
    // The last instruction lacks the line with its control code.
    let refused = PRODUCT.trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n";
    let folder = Folder::new().file("a.sass", format!("{LISTING}{refused}"));
    let line = folder.run("schedule a.sass -o new.sass").refusal();
    assert!(line.starts_with("`product`: the instruction at 0x0020 has no control code"), "{line}");
    assert!(line.ends_with("; nothing is written; --keep-refused writes the other kernels"), "{line}");
    assert!(!folder.path().join("new.sass").exists());
    let ran = folder.run("schedule a.sass -o new.sass --keep-refused");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.lines().next().is_some_and(|line| line.ends_with("; this kernel keeps its old codes")),
        "{}",
        ran.stderr
    );
    let new = fs::read_to_string(folder.path().join("new.sass")).unwrap();
    assert!(new.ends_with(&refused) && !new.starts_with(LISTING));
    // With --function, only this kernel counts.
    assert_eq!(folder.run("schedule a.sass --function scale -o one.sass").code, Some(0));
    folder.run("schedule a.sass --function product --keep-refused").refusal();
}

#[cfg(unix)]
#[test]
fn a_cubin_that_would_read_otherwise_is_not_written() {
    // The first listing is that of the file; in every later one, an instruction differs.
    let script = |change: &str| {
        format!(
            "d=$(dirname \"$0\"); if [ -e \"$d/once\" ]; then {change} < \"$d/../listing\"; else touch \"$d/once\"; cat \"$d/../listing\"; fi"
        )
    };
    for change in ["sed 's/ EXIT / NOP /'", "sed 's/ R5, / R6, /'", "false"] {
        let folder = Folder::with_cubin()
            .file("listing", include_str!("sm_90_cubin.sass"))
            .tool("bin/nvdisasm", &script(change));
        let line = folder.run_with_path("schedule tile.cubin -o out.cubin", &["bin"]).refusal();
        assert!(line.ends_with("; nothing is written"), "{line}");
        assert!(!folder.path().join("out.cubin").exists(), "{change}");
    }
}
