//! `cargo xtask codegen`: what the grammars say about opcodes, what editors and READMEs say about settings, and the schema of
//! `warplens.toml`, written from the data.
//!
//! The grammars know two things of an opcode: that it exists, and whether it steers the flow of control, touches memory
//! or does neither. Neovim and Helix want the queries in folders of their own, so those are written here too.

mod opcodes;
mod schema;
mod settings;

use crate::ci::Tally;
use crate::repo::Repo;
use anyhow::{Context, Result};
use opcodes::{Group, Opcodes};
use std::fs;

const OPCODES: &str = "server/machine/data/isa/opcodes.csv";
const QUERIES: &str = "grammars/tree-sitter-nvsass/queries";
const NEOVIM_QUERIES: &str = "editors/nvim/queries/nvsass";
const HELIX_QUERIES: &str = "grammars/tree-sitter-nvsass/helix";
const TEXTMATE: &str = "grammars/textmate/nvsass.tmLanguage.json";

/// What stands around the generated part of a query.
const BEGIN: &str = "; <generated: cargo xtask codegen>\n";
const END: &str = "; </generated>\n";

/// What Helix calls the captures that the others call differently, longer names first.
const HELIX_NAMES: &[(&str, &str)] = &[
    ("@number.float", "@constant.numeric.float"),
    ("@number", "@constant.numeric"),
    ("@keyword.modifier", "@keyword.storage.modifier"),
    ("@property", "@variable.other.member"),
    ("@embedded", "@none"),
];

/// A file's path from the root of the repository, and what it has to say.
type File = (String, String);

/// Writes every generated file that is out of date; where `only_check`, names them instead. True where none was left
/// out of date.
pub(crate) fn run(repo: &Repo, only_check: bool) -> Result<bool> {
    let mut current = true;
    for (path, wanted) in files(repo)? {
        if fs::read_to_string(repo.path(&path)).is_ok_and(|had| had == wanted) {
            continue;
        }
        if only_check {
            println!("{path} is out of date: run `cargo xtask codegen`");
            current = false;
        } else {
            let to = repo.path(&path);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(to, wanted)?;
            println!("wrote {path}");
        }
    }
    Ok(current)
}

/// The check as a step of `cargo xtask ci`.
pub(crate) fn check(repo: &Repo) -> Result<Tally> {
    Ok(Tally::of(run(repo, true)?))
}

fn files(repo: &Repo) -> Result<Vec<File>> {
    let opcodes = Opcodes::read(&text(repo, OPCODES)?).with_context(|| OPCODES.to_owned())?;
    let query = |name: &str| text(repo, &format!("{QUERIES}/{name}.scm"));
    let highlights = with_opcodes(&query("highlights")?, &opcodes)?;
    let mut files = vec![
        (format!("{HELIX_QUERIES}/highlights.scm"), copied(&for_helix(&highlights))),
        (format!("{NEOVIM_QUERIES}/highlights.scm"), copied(&highlights)),
        (format!("{QUERIES}/highlights.scm"), highlights),
        (TEXTMATE.to_owned(), with_patterns(&text(repo, TEXTMATE)?, &opcodes)?),
    ];
    for name in ["folds", "indents", "locals"] {
        files.push((format!("{NEOVIM_QUERIES}/{name}.scm"), copied(&query(name)?)));
    }
    files.extend(settings::files(repo)?);
    files.extend(schema::files(repo)?);
    Ok(files)
}

fn text(repo: &Repo, path: &str) -> Result<String> {
    fs::read_to_string(repo.path(path)).with_context(|| path.to_owned())
}

fn copied(query: &str) -> String {
    format!("; Written by `cargo xtask codegen` from {QUERIES}.\n\n{query}")
}

/// The query with the lists between its two marks.
fn with_opcodes(query: &str, opcodes: &Opcodes) -> Result<String> {
    let (before, rest) = query.split_once(BEGIN).context("no mark where the generated part begins")?;
    let (_, after) = rest.split_once(END).context("no mark where the generated part ends")?;
    let mut made = String::new();
    for group in Group::ALL {
        let capture = capture(group);
        made += &predicate("any-of?", capture, &opcodes.of(group));
    }
    made += &predicate("not-any-of?", "@variable", &opcodes.all());
    Ok(format!("{before}{BEGIN}{made}{END}{after}"))
}

fn capture(group: Group) -> &'static str {
    match group {
        Group::Control => "@keyword.control",
        Group::Memory => "@function.builtin",
        Group::Other => "@function",
    }
}

fn predicate(name: &str, capture: &str, words: &[&str]) -> String {
    let mut made = format!("((opcode) {capture}\n  (#{name} {capture}");
    for line in words.chunks(10) {
        made = made + "\n    \"" + &line.join("\" \"") + "\"";
    }
    made + "))\n"
}

fn for_helix(query: &str) -> String {
    HELIX_NAMES.iter().fold(query.to_owned(), |text, (name, helix)| text.replace(name, helix))
}

/// The TextMate grammar with the `begin` of its instruction: a group of the expression for each group of opcodes, and
/// a last one for names that are none.
fn with_patterns(grammar: &str, opcodes: &Opcodes) -> Result<String> {
    const ENTRY: &str = "\"instruction\": {";
    const BEGIN: &str = "\"begin\": \"";
    let (before, rest) = grammar.split_once(ENTRY).with_context(|| format!("{TEXTMATE}: no {ENTRY}"))?;
    let (head, tail) = rest.split_once(BEGIN).with_context(|| format!("{TEXTMATE}: {ENTRY} has no begin"))?;
    let (_, tail) = tail.split_once('\n').with_context(|| format!("{TEXTMATE}: {ENTRY} has no end"))?;
    let known = Group::ALL.map(|group| format!("({})", opcodes::pattern(&opcodes.of(group)))).join("|");
    let pattern = format!(r"(?<![\\w.$@])(?:{known}|([A-Z][A-Z0-9_]*))(?=[.;\\s]|$)");
    Ok(format!("{before}{ENTRY}{head}{BEGIN}{pattern}\",\n{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opcodes() -> Opcodes {
        let csv =
            "opcode,class,memory,flow\nFADD,alu,,\nLDG.E,ldg,global,\nBRA,branch,,branch\nLDG,ldg,global,\n";
        Opcodes::read(csv).expect("a table with every column")
    }

    #[test]
    fn the_lists_replace_what_stands_between_the_marks() {
        let query = format!("(number) @number\n{BEGIN}((opcode) @old)\n{END}; end\n");
        let made = with_opcodes(&query, &opcodes()).expect("both marks are there");
        assert!(
            made.starts_with(&format!("(number) @number\n{BEGIN}((opcode) @keyword.control\n")),
            "{made}"
        );
        assert!(made.ends_with("\"BRA\" \"FADD\" \"LDG\"))\n; </generated>\n; end\n"), "{made}");
        assert!(!made.contains("@old"));
    }

    #[test]
    fn helix_gets_its_own_names() {
        assert_eq!(for_helix("(float) @number.float (number) @number"), {
            "(float) @constant.numeric.float (number) @constant.numeric"
        });
    }

    #[test]
    fn an_instruction_begins_with_an_opcode_of_a_group_or_with_none() {
        let grammar = "{\n\"instruction\": {\n  \"begin\": \"old\",\n  \"end\": \"$\"\n}\n}";
        let made = with_patterns(grammar, &opcodes()).expect("the entry is there");
        let begin = r#""begin": "(?<![\\w.$@])(?:(BRA)|(LDG)|(FADD)|([A-Z][A-Z0-9_]*))(?=[.;\\s]|$)","#;
        assert_eq!(made, format!("{{\n\"instruction\": {{\n  {begin}\n  \"end\": \"$\"\n}}\n}}"));
    }
}
