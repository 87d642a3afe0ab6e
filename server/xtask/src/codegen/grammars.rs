//! Writes the opcodes, registers and directives of the machine data into the grammars.
//!
//! The grammars know which opcodes exist, and whether each changes the control flow, accesses memory or does neither.
//! For PTX they also know the special registers and the directives. Neovim and Helix need the queries in folders of
//! their own, so copies are written there.

use super::file::{File, between, text};
use super::opcodes::{self, Group, Opcodes};
use super::ptx;
use crate::repo::Repo;
use anyhow::{Context, Result};

const SASS_OPCODES: &str = "server/machine/data/isa/opcodes.csv";
const PTX_OPCODES: &str = "server/machine/data/ptx/instructions.csv";
const PTX_SPECIAL_REGISTERS: &str = "server/machine/data/ptx/special_registers.csv";
const PTX_DIRECTIVES: &str = "server/machine/data/ptx/directives.csv";

/// Queries that are the same for all editors.
const COPIED: &[&str] = &["folds", "indents", "locals"];

/// The marks around the generated part of a query.
const BEGIN: &str = "; <generated: cargo xtask codegen>\n";
const END: &str = "; </generated>\n";

/// Captures that have another name in Helix, each with its name in Helix; longer names first.
const HELIX_NAMES: &[(&str, &str)] = &[
    ("@number.float", "@constant.numeric.float"),
    ("@number", "@constant.numeric"),
    ("@keyword.modifier", "@keyword.storage.modifier"),
    ("@property", "@variable.other.member"),
    ("@embedded", "@none"),
];

/// A language, given by the base name of its grammar's files: `nvsass` or `ptx`.
#[derive(Debug, Clone, Copy)]
struct Language(&'static str);

/// A regular expression in a TextMate grammar: the entry of the grammar's repository, the key in this entry, and the
/// expression as JSON.
type Pattern = (&'static str, &'static str, String);

pub(super) fn files(repo: &Repo) -> Result<Vec<File>> {
    let sass = Opcodes::of_sass(&text(repo, SASS_OPCODES)?).context(SASS_OPCODES)?;
    let mut files = Language("nvsass").files(repo, &queries(&sass), &[sass_instruction(&sass)])?;

    let opcodes = ptx::opcodes(&text(repo, PTX_OPCODES)?).context(PTX_OPCODES)?;
    let special =
        ptx::special_registers(&text(repo, PTX_SPECIAL_REGISTERS)?).context(PTX_SPECIAL_REGISTERS)?;
    let directives = ptx::directives(&text(repo, PTX_DIRECTIVES)?).context(PTX_DIRECTIVES)?;
    let patterns = [
        ptx_instruction(&opcodes),
        (
            "special-register",
            "match",
            format!(r"{}(?![\\w$])(?:\\.[xyzw](?!\\w))?", opcodes::pattern(&words(&special))),
        ),
        ("known-directive", "match", format!(r"\\.{}(?!\\w)", opcodes::pattern(&words(&directives)))),
    ];
    files.extend(Language("ptx").files(repo, &(queries(&opcodes) + &registers(&special)), &patterns)?);
    Ok(files)
}

impl Language {
    /// The files of the language's grammars, with `generated` in the highlighting query and with the
    /// expressions `patterns`.
    fn files(self, repo: &Repo, generated: &str, patterns: &[Pattern]) -> Result<Vec<File>> {
        let Self(language) = self;
        let folder = format!("grammars/tree-sitter-{language}");
        let neovim = format!("editors/nvim/queries/{language}");
        let textmate = format!("grammars/textmate/{language}.tmLanguage.json");
        let query = |name: &str| text(repo, &format!("{folder}/queries/{name}.scm"));
        let copied =
            |query: &str| format!("; Written by `cargo xtask codegen` from {folder}/queries.\n\n{query}");

        let highlights = between(&query("highlights")?, BEGIN, END, generated)?;
        let grammar = patterns
            .iter()
            .try_fold(text(repo, &textmate)?, |grammar, pattern| with_pattern(&grammar, pattern))
            .with_context(|| textmate.clone())?;
        let mut files = vec![
            (format!("{folder}/helix/highlights.scm"), copied(&for_helix(&highlights))),
            (format!("{neovim}/highlights.scm"), copied(&highlights)),
            (format!("{folder}/queries/highlights.scm"), highlights),
            (textmate, grammar),
        ];
        for name in COPIED {
            files.push((format!("{neovim}/{name}.scm"), copied(&query(name)?)));
        }
        Ok(files)
    }
}

fn words(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// Highlighting for each group of opcodes, and for names that are not opcodes.
fn queries(opcodes: &Opcodes) -> String {
    let mut made = String::new();
    for group in Group::ALL {
        let capture = match group {
            Group::Control => "@keyword.control",
            Group::Memory => "@function.builtin",
            Group::Other => "@function",
        };
        made += &predicate("opcode", "any-of?", capture, &opcodes.opcodes_in_group(group), "");
    }
    made + &predicate("opcode", "not-any-of?", "@variable", &opcodes.all(), "")
}

/// Highlighting for special registers, and for all other registers except those whose names denote
/// predicates.
fn registers(special: &[String]) -> String {
    let special = words(special);
    let no_predicate = "\n  (#not-match? @variable \"^.p[0-9]*$\")";
    predicate("register", "any-of?", "@variable.builtin", &special, "")
        + &predicate("register", "not-any-of?", "@variable", &special, no_predicate)
}

fn predicate(node: &str, name: &str, capture: &str, words: &[&str], more: &str) -> String {
    let mut made = format!("(({node}) {capture}\n  (#{name} {capture}");
    for line in words.chunks(10) {
        made = made + "\n    \"" + &line.join("\" \"") + "\"";
    }
    made + ")" + more + ")\n"
}

fn for_helix(query: &str) -> String {
    HELIX_NAMES.iter().fold(query.to_owned(), |text, (name, helix)| text.replace(name, helix))
}

fn sass_instruction(opcodes: &Opcodes) -> Pattern {
    ("instruction", "begin", format!(r"(?<![\\w.$@])(?:{}|([A-Z][A-Z0-9_]*))(?=[.;\\s]|$)", groups(opcodes)))
}

fn ptx_instruction(opcodes: &Opcodes) -> Pattern {
    ("instruction", "begin", format!(r"(?<![\\w.$%])(?:{}|([a-z][a-z0-9_]*))(?=[.;\\s]|$)", groups(opcodes)))
}

/// Returns a regular expression with one capture group for each group of opcodes.
fn groups(opcodes: &Opcodes) -> String {
    Group::ALL.map(|group| format!("({})", opcodes::pattern(&opcodes.opcodes_in_group(group)))).join("|")
}

/// Returns the TextMate grammar with one regular expression replaced: the expression under `key` in the repository
/// entry `entry`.
fn with_pattern(grammar: &str, (entry, key, pattern): &Pattern) -> Result<String> {
    let entry = format!("\"{entry}\": {{");
    let key = format!("\"{key}\": \"");
    let (before, rest) = grammar.split_once(&entry).with_context(|| format!("no {entry}"))?;
    let (head, tail) = rest.split_once(&key).with_context(|| format!("{entry} has no {key}"))?;
    let (_, tail) = tail.split_once('\n').with_context(|| format!("{entry} has no end"))?;
    Ok(format!("{before}{entry}{head}{key}{pattern}\",\n{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opcodes() -> Opcodes {
        let csv =
            "opcode,class,memory,flow\nFADD,alu,,\nLDG.E,ldg,global,\nBRA,branch,,branch\nLDG,ldg,global,\n";
        Opcodes::of_sass(csv).expect("a table with every column")
    }

    #[test]
    fn the_lists_replace_the_text_between_the_marks() {
        let query = format!("(number) @number\n{BEGIN}((opcode) @old)\n{END}; end\n");
        let made = between(&query, BEGIN, END, &queries(&opcodes())).expect("both marks are there");
        assert!(
            made.starts_with(&format!("(number) @number\n{BEGIN}((opcode) @keyword.control\n")),
            "{made}"
        );
        assert!(made.ends_with("\"BRA\" \"FADD\" \"LDG\"))\n; </generated>\n; end\n"), "{made}");
        assert!(!made.contains("@old"));
    }

    #[test]
    fn a_register_has_one_colour() {
        let made = registers(&["%tid".to_owned(), "%clock".to_owned()]);
        let special =
            "((register) @variable.builtin\n  (#any-of? @variable.builtin\n    \"%tid\" \"%clock\"))\n";
        let other = "((register) @variable\n  (#not-any-of? @variable\n    \"%tid\" \"%clock\")\n  \
                     (#not-match? @variable \"^.p[0-9]*$\"))\n";
        assert_eq!(made, format!("{special}{other}"));
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
        let made = with_pattern(grammar, &sass_instruction(&opcodes())).expect("the entry is there");
        let begin = r#""begin": "(?<![\\w.$@])(?:(BRA)|(LDG)|(FADD)|([A-Z][A-Z0-9_]*))(?=[.;\\s]|$)","#;
        assert_eq!(made, format!("{{\n\"instruction\": {{\n  {begin}\n  \"end\": \"$\"\n}}\n}}"));
    }
}
