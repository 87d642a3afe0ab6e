//! Size limits for parsing. A document above a limit is kept as plain text without answers.

use crate::Language;

/// Maximum size of a parsed document, in bytes: about ten times the longest known compiler-written listing.
pub const MAX_BYTES: usize = 200_000_000; // limit: bounds memory and time

/// Maximum number of tokens in a line of a parsed document. A tree takes a few hundred bytes per token, and an edit
/// parses its whole line again.
pub const MAX_TOKENS_PER_LINE: usize = 5_000_000; // limit: bounds the time of an edit

/// Maximum number of tokens in a parsed CUDA source. A tree takes up to 800 bytes per token.
pub const MAX_CUDA_TOKENS: usize = 1_000_000; // limit: bounds memory

/// Maximum number of bytes that edits may add to a long document before its tokens are counted again.
const MAX_ADDED: usize = 100_000; // limit: small next to the token bounds

/// Why a document is not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// The document has more than [`MAX_BYTES`] bytes.
    Document,
    /// The document is CUDA and has more than [`MAX_CUDA_TOKENS`] tokens.
    Cuda,
    /// A line of the document has more than [`MAX_TOKENS_PER_LINE`] tokens.
    Line,
}

impl TooLarge {
    /// Returns the reason as a phrase that follows the document's name and "is".
    pub fn reason(self) -> String {
        match self {
            Self::Document => format!("longer than {} MB", MAX_BYTES / 1_000_000),
            Self::Cuda => {
                format!("a CUDA source with more than {} million tokens", MAX_CUDA_TOKENS / 1_000_000)
            }
            Self::Line => {
                format!("a text with more than {} million tokens in a line", MAX_TOKENS_PER_LINE / 1_000_000)
            }
        }
    }

    /// Returns why a text is too large to be parsed in a language. `None` if the text can be parsed. Takes time linear
    /// in the length of the text.
    pub fn check(text: &str, language: Language) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return Some(Self::Document);
        }
        // Each token has at least one byte.
        if text.len() <= max_tokens(language) {
            return None;
        }
        if language == Language::Cuda && tokens(text.as_bytes()) > MAX_CUDA_TOKENS {
            return Some(Self::Cuda);
        }
        let mut long = text
            .as_bytes()
            .split(|byte| matches!(byte, b'\n' | b'\r'))
            .filter(|line| line.len() > MAX_TOKENS_PER_LINE);
        if long.any(|line| tokens(line) > MAX_TOKENS_PER_LINE) {
            return Some(Self::Line);
        }
        None
    }
}

/// True if edits may have made a parsed document too large. `length` is the document's length in bytes.
/// `added` is the number of bytes added since its tokens were last counted.
pub(crate) fn may_be_too_large(language: Language, length: usize, added: usize) -> bool {
    length > MAX_BYTES || length > max_tokens(language) && added > MAX_ADDED
}

/// Returns the upper bound on the tokens of a CUDA source, or on the tokens per line in other languages.
fn max_tokens(language: Language) -> usize {
    match language {
        Language::Cuda => MAX_CUDA_TOKENS,
        Language::Sass | Language::Ptx | Language::Source(_) => MAX_TOKENS_PER_LINE,
    }
}

/// Returns the approximate token count: the number of words plus the number of punctuation characters.
fn tokens(text: &[u8]) -> usize {
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'%') || byte >= 0x80;
    let mut before = b' ';
    let mut count = 0;
    for &byte in text {
        let begins = if is_word(byte) { !is_word(before) } else { !byte.is_ascii_whitespace() };
        count += usize::from(begins);
        before = byte;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, Host, TextEdit};

    #[test]
    fn cuda_of_too_many_tokens_is_not_read_and_ptx_of_its_length_is() {
        let marks = ";\n".repeat(MAX_CUDA_TOKENS + 1);
        assert_eq!(TooLarge::check(&marks, Language::Cuda), Some(TooLarge::Cuda));
        assert_eq!(TooLarge::check(&marks, Language::Ptx), None);
        let remark = format!("//{}\n", "a".repeat(4 * MAX_CUDA_TOKENS));
        assert_eq!(TooLarge::check(&remark, Language::Cuda), None);
        let mut host = Host::default();
        host.open_as("k.cu", 1, Language::Cuda, &marks);
        assert_eq!(
            (host.too_large("k.cu"), host.language("k.cu")),
            (Some(TooLarge::Cuda), Some(Language::Cuda))
        );
        host.open_as("k.cu", 2, Language::Cuda, "__global__ void k() {}\n");
        assert_eq!(host.too_large("k.cu"), None);
        assert!(!host.edit("k.cu", 3, &[TextEdit { range: 0..0, text: marks }]));
    }

    #[test]
    fn tokens_are_words_and_marks() {
        assert_eq!(tokens(b"  mad.lo.s32 %r1, %r2,%r3 ;"), 7);
        assert_eq!(tokens(b""), 0);
    }

    #[test]
    fn a_long_line_of_few_tokens_can_be_read() {
        let word = "a".repeat(MAX_TOKENS_PER_LINE + 1);
        assert_eq!(TooLarge::check(&word, Language::Ptx), None);
        let marks = ";".repeat(MAX_TOKENS_PER_LINE);
        assert_eq!(TooLarge::check(&format!("{marks}\n{marks}"), Language::Ptx), None);
        assert_eq!(TooLarge::check(&format!("x\n{marks};"), Language::Ptx), Some(TooLarge::Line));
    }

    #[test]
    fn an_edit_makes_a_document_plain_text_and_a_normal_one_again() {
        let mut host = Host::default();
        let edit = |range, text: String| [TextEdit { range, text }];
        host.open("k.sass", 1, "MOV R1, R2 ;\n");
        assert_eq!(host.too_large("k.sass"), None);
        // The edit is refused. The caller has the text and opens the document with it.
        let marks = ";".repeat(MAX_TOKENS_PER_LINE + 1);
        assert!(!host.edit("k.sass", 2, &edit(0..0, marks.clone())));
        host.open("k.sass", 2, &marks);
        assert_eq!(host.too_large("k.sass"), Some(TooLarge::Line));
        let analysis = host.snapshot("k.sass", Cancel::default()).expect("it is open");
        assert_eq!(analysis.syntax_diagnostics(), Ok(Vec::new()));
        assert_eq!(analysis.symbols(), Ok(Vec::new()));
        assert!(!host.edit("k.sass", 3, &edit(0..marks.len(), String::new())));
        host.open("k.sass", 3, "");
        assert_eq!(host.too_large("k.sass"), None);
        assert!(host.edit("k.sass", 4, &edit(0..0, "EXIT ;\n".to_owned())));
    }
}
