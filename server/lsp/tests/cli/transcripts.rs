//! The files of `transcripts`: command lines, each with its output, its lines on stderr, and its status unless it is 0.
//!
//! The commands of a file run in a folder with the listing `a.sass`. `cargo xtask bless` rewrites what they print.

use crate::run::Folder;
use expect_test::expect_file;
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[test]
fn commands_print_what_their_transcripts_have() {
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/transcripts")).unwrap() {
        let path = entry.unwrap().path();
        let folder = Folder::with_listing();
        let mut actual = String::new();
        for command in fs::read_to_string(&path).unwrap().lines() {
            let Some(arguments) = command.strip_prefix("$ warplens ") else { continue };
            let ran = folder.run(arguments);
            actual.extend([command, "\n", &ran.stdout, &ran.stderr]);
            if let code @ 1.. = ran.code.unwrap() {
                writeln!(actual, "status {code}").unwrap();
            }
        }
        assert!(!actual.is_empty(), "{}: no line begins with `$ warplens `", path.display());
        expect_file![path].assert_eq(&actual);
    }
}
