//! Finds the declarations in a source text that does not parse completely, by braces, semicolons and indentation.
//!
//! An unfinished statement, a missing brace or an open quote affects only the declaration that contains it. The result
//! depends only on the text: an edit and a fresh parse of the same text return equal declarations.

use super::lexer::{Lexer, is_word};
use std::ops::Range;

/// Returns the byte range of each declaration at namespace scope, in order, including declarations in `extern
/// "C"` blocks.
///
/// Directives between declarations are skipped, except `#define`.
pub(super) fn chunks(text: &str) -> Vec<Range<usize>> {
    let plain = Scan::new(text, false).run();
    if plain.is_balanced { plain.found } else { Scan::new(text, true).run().found }
}

/// False if a brace outside of strings, comments and directives is unmatched, or if a string is not closed. A
/// text with such an error does not parse.
pub(super) fn may_parse(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    for token in Lexer::new(text) {
        match bytes[token.start] {
            b'{' => depth += 1,
            b'}' => match depth.checked_sub(1) {
                Some(rest) => depth = rest,
                None => return false,
            },
            quote @ (b'"' | b'\'') if token.len() < 2 || bytes[token.end - 1] != quote => return false,
            _ => {}
        }
    }
    depth == 0
}

/// Words that can only start a declaration outside of functions or a member of a structure.
const STARTS: [&str; 8] =
    ["__global__", "__device__", "__host__", "__constant__", "template", "namespace", "extern", "inline"];

/// Words, in addition to [`STARTS`], after which the head of a declaration may continue on the next line.
const PREFIXES: [&str; 8] =
    ["static", "constexpr", "const", "volatile", "__forceinline__", "__noinline__", "friend", "typedef"];

/// Bytes that, if they follow a closing brace, continue the declaration.
const GOES_ON: &[u8] = b",=)]>(.:?+*/&|<{";

struct Scan<'t> {
    lexer: Lexer<'t>,
    /// True if the text has an unmatched brace. A declaration then also ends at a line whose indentation
    /// suggests that the next declaration starts.
    follows_indentation: bool,
    found: Vec<Range<usize>>,
    /// Columns of the namespaces and `extern "C"` blocks around the current position, the innermost last.
    containers: Vec<usize>,
    open: Option<OpenDeclaration>,
    is_balanced: bool,
}

/// A declaration whose end has not been reached.
struct OpenDeclaration {
    start: usize,
    column: usize,
    /// Number of open braces in the declaration.
    depth: usize,
    /// The last byte that is neither blank nor in a comment, and the position after that byte.
    last: u8,
    end: usize,
    /// True once a parenthesis or an equals sign was seen outside of braces. The head is then not an
    /// unfinished template or linkage prefix.
    has_head: bool,
    is_record: bool,
    /// `Some` once a line within braces was seen; true if all lines within braces are indented.
    is_indented: Option<bool>,
    /// Open preprocessor conditions: the brace depth at their start, and at the end of their first branch.
    conditions: Vec<(usize, Option<usize>)>,
}

#[derive(Default)]
struct ScanResult {
    found: Vec<Range<usize>>,
    is_balanced: bool,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str, follows_indentation: bool) -> Self {
        Self {
            lexer: Lexer::new(text),
            follows_indentation,
            found: Vec::new(),
            containers: Vec::new(),
            open: None,
            is_balanced: true,
        }
    }

    fn run(mut self) -> ScanResult {
        while let Some(&byte) = self.lexer.text.as_bytes().get(self.lexer.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.lexer.at += 1,
                b'/' if self.lexer.skip_comment() => {}
                _ => self.token(byte),
            }
        }
        self.is_balanced &=
            self.containers.is_empty() && self.open.as_ref().is_none_or(|open| open.depth == 0);
        self.close();
        ScanResult { found: self.found, is_balanced: self.is_balanced }
    }

    /// Processes one token that is neither blank nor a comment.
    fn token(&mut self, byte: u8) {
        let column = self.lexer.column_if_first();
        if let Some(column) = column {
            if byte == b'#' {
                return self.directive(column);
            }
            if self.is_next_declaration(byte, column) {
                self.is_balanced &= self.open.as_ref().is_none_or(|open| open.depth == 0);
                self.close();
            }
            self.note_indentation(byte, column);
        }
        let start = self.lexer.at;
        if self.open.is_none() {
            if byte == b'}' {
                self.lexer.at += 1;
                return self.close_container();
            }
            if byte == b';' {
                self.lexer.at += 1;
                return;
            }
            self.open(column.unwrap_or(usize::MAX));
        }
        self.lexer.at += self.lexer.token_length(byte);
        let end = self.lexer.at;
        let Some(open) = &mut self.open else { return };
        match byte {
            b'{' if open.depth == 0 && is_container(&self.lexer.text[open.start..start]) => {
                self.containers.push(open.column);
                self.open = None;
                return;
            }
            b'{' => open.depth += 1,
            b'}' if open.depth == 0 => {
                // The brace can only end the enclosing namespace.
                self.close();
                return self.close_container();
            }
            b'}' => open.depth -= 1,
            b'(' | b'=' if open.depth == 0 => open.has_head = true,
            _ => {}
        }
        (open.last, open.end) = (byte, end);
        let is_over = open.depth == 0 && (byte == b';' || byte == b'}' && !self.goes_on());
        if is_over {
            self.close();
        }
    }

    /// True if a line starts another declaration although the current one is unfinished.
    fn is_next_declaration(&self, byte: u8, column: usize) -> bool {
        let Some(open) = &self.open else { return false };
        if column > open.column || !(byte.is_ascii_alphabetic() || byte == b'_') {
            return false;
        }
        let rest = self.lexer.rest();
        let word = &rest[..rest.bytes().take_while(|byte| is_word(*byte)).count()];
        let is_start = STARTS.contains(&word);
        if open.depth == 0 {
            let head = &self.lexer.text[open.start..open.end];
            let is_between = |c: char| !c.is_ascii() || !is_word(c as u8);
            let last = head.rsplit(is_between).next().unwrap_or(head);
            let is_prefix =
                matches!(open.last, b'>' | b'"' | b']') || STARTS.contains(&last) || PREFIXES.contains(&last);
            return is_start && (open.has_head || !is_prefix);
        }
        let is_label = rest[word.len()..].trim_start().starts_with(':');
        self.follows_indentation
            && matches!(open.last, b';' | b'{' | b'}')
            && !is_label
            && (open.is_indented == Some(true) || is_start && !open.is_record)
    }

    fn note_indentation(&mut self, byte: u8, column: usize) {
        if let Some(open) = &mut self.open
            && open.depth > 0
            && !matches!(byte, b'{' | b'}')
        {
            open.is_indented = Some(open.is_indented.unwrap_or(true) && column > open.column);
        }
    }

    /// True if the declaration continues after the brace that was just read.
    fn goes_on(&self) -> bool {
        let rest = self.lexer.rest().trim_start();
        let same_line = self.lexer.rest().trim_start_matches([' ', '\t']);
        let is_record = self.open.as_ref().is_some_and(|open| open.is_record);
        let Some(&next) = rest.as_bytes().first() else { return false };
        if rest.starts_with("//") || rest.starts_with("/*") {
            return false;
        }
        next == b';' || GOES_ON.contains(&next) || is_record && same_line.bytes().next().is_some_and(is_word)
    }

    fn open(&mut self, column: usize) {
        let rest = self.lexer.rest();
        let word = rest.bytes().take_while(|byte| is_word(*byte)).count();
        let is_record = matches!(&rest[..word], "struct" | "class" | "union" | "enum" | "typedef");
        self.open = Some(OpenDeclaration {
            start: self.lexer.at,
            column,
            depth: 0,
            last: 0,
            end: self.lexer.at,
            has_head: false,
            is_record,
            is_indented: None,
            conditions: Vec::new(),
        });
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.found.push(open.start..open.end);
        }
    }

    /// Ends a namespace. If no namespace is open, the preceding text is the end of a function whose head is
    /// missing.
    fn close_container(&mut self) {
        if self.containers.pop().is_some() {
            return;
        }
        self.is_balanced = false;
        while let Some(last) = self.found.last() {
            let line =
                memchr::memrchr(b'\n', &self.lexer.text.as_bytes()[..last.start]).map_or(0, |end| end + 1);
            if last.start == line {
                break;
            }
            self.found.pop();
        }
    }

    /// Processes a preprocessor directive, whose braces are ignored.
    fn directive(&mut self, column: usize) {
        let (start, end) = (self.lexer.at, self.lexer.end_of_directive());
        self.lexer.at = end;
        let word = self.lexer.text[start + 1..end].trim_start();
        let word = &word[..word.bytes().take_while(|byte| is_word(*byte)).count()];
        let is_own = matches!(word, "define" | "include");
        // The directive ends an unfinished declaration.
        if is_own && column == 0 && self.open.as_ref().is_some_and(|open| open.depth == 0) {
            self.close();
        }
        match &mut self.open {
            Some(open) => {
                open.end = end;
                open.condition(word);
            }
            None if word == "define" => self.found.push(start..end),
            None => {}
        }
    }
}

impl OpenDeclaration {
    /// Processes a conditional directive. Each branch starts at the brace depth at which the condition started.
    fn condition(&mut self, word: &str) {
        match word {
            "if" | "ifdef" | "ifndef" => self.conditions.push((self.depth, None)),
            "else" | "elif" | "elifdef" | "elifndef" => {
                if let Some((before, first)) = self.conditions.last_mut() {
                    first.get_or_insert(self.depth);
                    self.depth = *before;
                }
            }
            "endif" => {
                if let Some((_, Some(first))) = self.conditions.pop() {
                    self.depth = first;
                }
            }
            _ => {}
        }
    }
}

/// True if the text before a brace is the head of a namespace or of `extern "C"`.
fn is_container(head: &str) -> bool {
    let head = head.trim();
    let linkage = head.strip_prefix("extern").map(str::trim_start);
    let is_namespace = |head: &str| {
        let rest = head.strip_prefix("namespace");
        rest.is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !rest.contains('=')
        })
    };
    linkage.is_some_and(|linkage| {
        linkage.len() > 1 && linkage.starts_with('"') && linkage.rfind('"') == Some(linkage.len() - 1)
    }) || is_namespace(head)
        || head.strip_prefix("inline").is_some_and(|rest| is_namespace(rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_an_open_brace_or_string_does_not_parse() {
        for good in [
            "void f() { g('{', \"}\", R\"(\n\"{)\", u8R\"(\n)\"); } // '{",
            "#define OPEN {\n#error don't\nint a = 1'000'000; /* \" */",
            "const char *s = \"a\\\r\nb\\\"\";\nchar c = '\\'';",
        ] {
            assert!(may_parse(good), "{good}");
        }
        for bad in ["void f() {", "}", "int i = \"x;\n", "char c = 'x;\n", "auto s = R\"(\n;", "int i = \""] {
            assert!(!may_parse(bad), "{bad}");
        }
    }

    #[test]
    fn long_lines_and_open_comments_take_time_by_their_length() {
        const MANY: usize = 300_000;
        // Each of these inputs takes minutes if every token scans its line again, or every comment scans the
        // text again.
        assert_eq!(chunks(&format!("{{ int a = {}", "1 + ".repeat(MANY))).len(), 1);
        assert!(chunks(&"/* x\n".repeat(MANY)).len() <= MANY);
    }
}
