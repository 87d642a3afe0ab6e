//! Which language a text is in.

/// A language that documents are read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// In any of its notations; also what a text is taken for that nothing is known of.
    #[default]
    Sass,
    Ptx,
}

impl Language {
    /// The language of a document: PTX where the client's language id, the file's name or the text itself says so.
    pub fn of(language_id: &str, name: &str, text: &str) -> Self {
        let named = name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("ptx"));
        if language_id == "ptx" || named { Self::Ptx } else { Self::of_text(text) }
    }

    /// PTX for a text that starts with `.version`, as every module must; comments, blank lines and line markers may stand
    /// before it.
    pub fn of_text(text: &str) -> Self {
        let mut rest = text.trim_start_matches('\u{feff}').trim_start();
        loop {
            let behind = if rest.starts_with("/*") {
                rest.find("*/").map(|end| end + 2)
            } else if rest.starts_with("//") || rest.starts_with('#') {
                rest.find(['\n', '\r'])
            } else {
                let version = rest.strip_prefix(".version");
                let is_word = version.is_some_and(|rest| rest.starts_with(char::is_whitespace));
                return if is_word { Self::Ptx } else { Self::Sass };
            };
            let Some(behind) = behind else { return Self::Sass };
            rest = rest[behind..].trim_start();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_an_id_tells_whatever_the_text_is() {
        assert_eq!(Language::of("ptx", "file:///x", ""), Language::Ptx);
        assert_eq!(Language::of("plaintext", "file:///x.PTX", ""), Language::Ptx);
        assert_eq!(Language::of("nvsass", "file:///x.sass", "EXIT ;"), Language::Sass);
        assert_eq!(Language::of("nvsass", "ptx", ""), Language::Sass);
    }

    #[test]
    fn a_text_tells_by_its_first_directive() {
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
}
