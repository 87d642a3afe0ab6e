//! Texts of small sources of each kind.

use super::Reader::{self, Any, Parsed};
use super::text::Text;
use super::{data, literals, long, pages, rust};

fn read(reader: &Reader, source: &str) -> Vec<(usize, String)> {
    let texts = reader.texts(source).expect("the source is well formed");
    texts.into_iter().map(|Text { line, text }| (line, text)).collect()
}

#[test]
fn rust_has_texts_in_expressions_macros_errors_and_help() {
    let source = r#"
#[doc = "no text of a user"]
fn say(name: &str) -> String {
    let key = "a-key";
    let _ = Regex::new("two words");
    assert!(name.is_empty(), "for developers only");
    name.parse().expect("holds for a reason");
    format!("reads {name}, {}", "which is late")
}

#[derive(Error)]
enum Failure {
    #[error("no such file")]
    Missing,
}

#[derive(clap::Args)]
struct Options {
    /// Prints the figures
    /// as JSON
    json: bool,
}

#[cfg(test)]
mod tests {
    const TEXT: &str = "of a test";
}
"#;
    let expected = [
        (8, "reads {name}, {}".to_owned()),
        (8, "which is late".to_owned()),
        (13, "no such file".to_owned()),
        (19, "Prints the figures\nas JSON".to_owned()),
    ];
    assert_eq!(read(&Parsed(rust::texts), source), expected);
}

#[test]
fn pages_have_paragraphs_without_code() {
    let page = "# A title\nOne line\nand another.\n\n```ptx\nadd.s32 a, b, c;\n```\n- an entry\n- another\n";
    let expected = [
        (1, "# A title".to_owned()),
        (2, "One line\nand another.".to_owned()),
        (8, "- an entry".to_owned()),
        (9, "- another".to_owned()),
    ];
    assert_eq!(read(&Any(pages::texts), page), expected);
}

#[test]
fn tables_and_manifests_have_texts() {
    assert_eq!(
        read(&Any(data::csv), "name,text\nBRA,\"Jumps, if told\"\n"),
        [(2, "BRA: Jumps, if told".to_owned())]
    );
    assert_eq!(
        read(&Parsed(data::toml), "[a]\nkey = \"x\"\ntext = \"two words\"\n"),
        [(3, "two words".to_owned())]
    );
    let manifest = "{\n  \"title\": \"Show It\",\n  \"command\": \"no text\"\n}\n";
    assert_eq!(read(&Any(data::manifest), manifest), [(2, "Show It".to_owned())]);
}

#[test]
fn scripts_have_literals_without_comments() {
    let lua = "-- it's a comment\nlocal a = 'some words' --[[ 'two words' ]] .. \"more words\"\n";
    let expected = [(2, "some words".to_owned()), (2, "more words".to_owned())];
    assert_eq!(read(&Any(literals::lua), lua), expected);
    let script = "// don't\nsay(`has ${n} words\nin two lines`);\n";
    assert_eq!(read(&Any(literals::script), script), [(2, "has ${n} words\nin two lines".to_owned())]);
}

#[test]
fn long_sentences_are_counted_one_by_one() {
    let short = "a ".repeat(25);
    let sentence = "b ".repeat(26);
    let text = Text { line: 3, text: format!("{}. {}.", short.trim(), sentence.trim()) };
    assert_eq!(long(&[text]), [Text { line: 3, text: format!("(26) {}.", sentence.trim()) }]);
}
