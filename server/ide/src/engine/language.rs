//! Detects a document's language.

use std::borrow::Cow;
use syntax::sass::Listing;

/// Number of bytes that are examined first to detect the language.
const HEAD_BYTES: usize = 4096; // limit: a page; four times as many while comments fill the bytes

/// Upper bound on the length of a first word that identifies a language, in bytes.
const LONGEST_WORD: usize = 16; // limit: the words that identify a language are shorter

/// Language that a document is parsed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// SASS in any dialect. Also the default if nothing identifies the language.
    #[default]
    Sass,
    Ptx,
    /// CUDA C++. Selected only by the client's language id or by the file name.
    Cuda,
    /// A source language that is compiled to GPU code but not parsed. The string is its name in [`SHARED`].
    /// Selected only by the client's language id.
    Source(&'static str),
}

/// A language that has its own language server. Editors also run this server, for the costs of compiled code.
#[derive(Debug)]
pub struct SharedLanguage {
    /// Name in the setting `leaveAlone`.
    pub name: &'static str,
    pub language: Language,
    /// Language ids that clients use for the language.
    pub ids: &'static [&'static str],
    /// File extensions, in lower case.
    pub endings: &'static [&'static str],
}

/// All languages shared with other language servers. A new language needs only a line in this table.
pub const SHARED: [SharedLanguage; 6] = [
    SharedLanguage {
        name: "cuda",
        language: Language::Cuda,
        ids: &["cuda-cpp", "cuda"],
        endings: &["cu", "cuh"],
    },
    source("c++", &["cpp", "c"]),
    source("python", &["python"]),
    source("julia", &["julia"]),
    source("rust", &["rust"]),
    source("mojo", &["mojo"]),
];

/// Returns the entry of a language whose facts are all derived from compiled code.
const fn source(name: &'static str, ids: &'static [&'static str]) -> SharedLanguage {
    SharedLanguage { name, language: Language::Source(name), ids, endings: &[] }
}

impl Language {
    /// Returns the language's name in [`SHARED`]. `None` if no other server handles the language.
    pub fn shared_name(self) -> Option<&'static str> {
        SHARED.iter().find(|shared| shared.language == self).map(|shared| shared.name)
    }

    /// Returns the language of a document, determined by the client's language id or by the file name. If
    /// neither determines the language, examines the text.
    pub fn detect(language_id: &str, name: &str, text: &str) -> Self {
        Self::by_name(language_id, name).unwrap_or_else(|| Self::of_text(text))
    }

    /// Returns the language of a document after an edit. `self` is the language before the edit. `head(n)`
    /// returns the first `n` bytes of the new text, or slightly fewer. `length` is the length of the whole
    /// text in bytes.
    ///
    /// A text that identifies its language takes precedence: PTX by its first directive, SASS by lines in a
    /// known dialect. Any other text keeps the language, for example while its first line is being typed.
    #[must_use]
    pub fn after_edit<'t>(
        self,
        language_id: &str,
        name: &str,
        length: usize,
        head: impl Fn(usize) -> Cow<'t, str>,
    ) -> Self {
        if let Some(language) = Self::by_name(language_id, name) {
            return language;
        }
        let mut bytes = HEAD_BYTES;
        loop {
            let text = head(bytes.min(length));
            match first_word(&text) {
                // The word may be cut off at the end of the examined bytes.
                word if bytes < length && word.is_none_or(|rest| rest.len() < LONGEST_WORD) => {
                    bytes = bytes.saturating_mul(4);
                }
                Some(rest) if is_version(rest) => return Self::Ptx,
                _ if self == Self::Sass => return Self::Sass,
                _ => {
                    let lines =
                        text.rsplit_once('\n').filter(|_| bytes < length).map_or(&*text, |(lines, _)| lines);
                    return if Listing::parse(lines).dialect().is_some() { Self::Sass } else { Self::Ptx };
                }
            }
        }
    }

    fn by_name(language_id: &str, name: &str) -> Option<Self> {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let ending = ending.as_deref();
        if language_id == "ptx" || ending == Some("ptx") {
            return Some(Self::Ptx);
        }
        let is_meant = |shared: &&SharedLanguage| {
            shared.ids.contains(&language_id) || ending.is_some_and(|ending| shared.endings.contains(&ending))
        };
        SHARED.iter().find(is_meant).map(|shared| shared.language)
    }

    /// Returns PTX if the text starts with `.version`, as every PTX module must. Otherwise returns SASS. Comments,
    /// blank lines and line markers may precede `.version`.
    pub fn of_text(text: &str) -> Self {
        if first_word(text).is_some_and(is_version) { Self::Ptx } else { Self::Sass }
    }
}

fn is_version(rest: &str) -> bool {
    rest.strip_prefix(".version").is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// Returns the text from its first word outside of comments and line markers. `None` if there is no such
/// word.
fn first_word(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let following = if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest.find(['\n', '\r'])
        } else {
            return Some(rest).filter(|rest| !rest.is_empty());
        };
        rest = rest[following?..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_an_id_decides_the_language_of_any_text() {
        assert_eq!(Language::detect("ptx", "file:///x", ""), Language::Ptx);
        assert_eq!(Language::detect("plaintext", "file:///x.PTX", ""), Language::Ptx);
        assert_eq!(Language::detect("nvsass", "file:///x.sass", "EXIT ;"), Language::Sass);
        assert_eq!(Language::detect("nvsass", "ptx", ""), Language::Sass);
        assert_eq!(Language::detect("cuda-cpp", "file:///x", ""), Language::Cuda);
        assert_eq!(Language::detect("", "file:///x.CU", ""), Language::Cuda);
    }

    #[test]
    fn the_first_directive_decides_the_language() {
        for text in [
            ".version 8.0",
            "//\n// Generated\n\n.version\t9.3\n",
            "\u{feff}/* one\n two */ .version 8.0",
            "# 1 \"x.cu\"\r\n.version 8.0",
        ] {
            assert_eq!(Language::of_text(text), Language::Ptx, "{text}");
        }
        for text in ["", "//", "/*", ".versions 8.0", ".headerflags\t@\"x\"", "// .version 8.0\nEXIT ;"] {
            assert_eq!(Language::of_text(text), Language::Sass, "{text}");
        }
    }

    fn after_edit(before: Language, language_id: &str, text: &str) -> Language {
        before.after_edit(language_id, "file:///x", text.len(), |bytes| {
            text[..text.floor_char_boundary(bytes)].into()
        })
    }

    const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f()\n{\n\tmov.u32 %r1, %tid.x;\n\tret;\n}\n";
    const SASS: &str = "\tcode for sm_90\n\t\tFunction : f\n        /*0000*/                   EXIT ;\n";

    #[test]
    fn a_text_that_says_what_it_is_changes_the_language() {
        use Language::{Ptx, Sass};
        assert_eq!(after_edit(Sass, "nvsass", PTX), Ptx);
        assert_eq!(after_edit(Ptx, "nvsass", SASS), Sass);
        assert_eq!(after_edit(Sass, "ptx", SASS), Ptx, "the client's word counts");
        let long = format!("{}{PTX}", "// a licence\n/* and more\n of it */\n".repeat(3000));
        assert_eq!(after_edit(Sass, "nvsass", &long), Ptx);
        for sass in ["[B------:R-:W-:-:S01] EXIT ;\n", "--:-:-:-:1\tEXIT;\n"] {
            assert_eq!(after_edit(Ptx, "nvsass", sass), Sass, "{sass}");
        }
    }

    #[test]
    fn a_text_that_says_nothing_keeps_the_language() {
        use Language::{Ptx, Sass};
        for text in ["", "\n", "//", "/* 3", "a", ".versio", ".version", "IADD3 R1, R1, 1, RZ ;\n"] {
            for before in [Ptx, Sass] {
                assert_eq!(after_edit(before, "nvsass", text), before, "{text}");
            }
        }
        // The first line of PTX is incomplete or misspelled.
        for first in ["/", "/ * x", "a", ".", ".versio 8.0", "8.0", "mov", "x:"] {
            let text = format!("{first}\n{PTX}");
            assert_eq!(after_edit(Ptx, "nvsass", &text), Ptx, "{first}");
        }
        assert_eq!(after_edit(Ptx, "nvsass", &PTX[1..]), Ptx);
    }
}
