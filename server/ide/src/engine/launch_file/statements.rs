//! Splits a file into TOML statements: table headers, and keys with their values. A statement may span several lines.

use std::ops::Range;
use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

/// A statement with its byte range in the file, including the line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) range: Range<usize>,
    pub(crate) is_header: bool,
    /// True if a bracket or quote is never closed. The statement then ends where the next statement seems to
    /// begin.
    pub(super) is_unclosed: bool,
}

/// Largest number of restarts after an unclosed quote. Each type of quote can cause one restart.
const MAX_RESTARTS: usize = 4; // limit: TOML has four kinds of quotes

/// Returns all statements of a file, in text order. Blank lines and comments belong to no statement.
pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let mut all = Vec::new();
    let mut start = 0;
    for _ in 0..MAX_RESTARTS {
        match Splitter::new(text, start).split(&mut all) {
            Some(next) => start = next,
            None => return all,
        }
    }
    if start < text.len() {
        all.push(Statement { range: start..text.len(), is_header: false, is_unclosed: true });
    }
    all
}

struct Splitter<'t> {
    text: &'t str,
    /// Byte offset in the file of the first token.
    base: usize,
    tokens: Vec<Token>,
}

impl<'t> Splitter<'t> {
    fn new(text: &'t str, base: usize) -> Self {
        Self { text, base, tokens: Source::new(&text[base..]).lex().into_vec() }
    }

    fn span(&self, at: usize) -> Range<usize> {
        let span = self.tokens[at].span();
        self.base + span.start()..self.base + span.end()
    }

    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::Eof, Token::kind)
    }

    /// Appends the statements to `all`. If an unclosed quote extends to the end of the file, returns the
    /// offset where the caller must continue. Otherwise returns `None`.
    fn split(&self, all: &mut Vec<Statement>) -> Option<usize> {
        let mut at = 0;
        while at < self.tokens.len() {
            match self.kind(at) {
                TokenKind::Whitespace | TokenKind::Newline | TokenKind::Comment | TokenKind::Eof => at += 1,
                _ => {
                    let (next, statement) = self.statement(at);
                    let swallows = (at..next).find(|&token| self.is_open_quote(token));
                    all.push(statement);
                    if let Some(token) = swallows {
                        return Some(self.end_at_line(at, token, all));
                    }
                    at = next;
                }
            }
        }
        None
    }

    /// True if the token is a multi-line string that is not closed before the end of the file.
    fn is_open_quote(&self, at: usize) -> bool {
        let quote = match self.kind(at) {
            TokenKind::MlBasicString => "\"\"\"",
            TokenKind::MlLiteralString => "'''",
            _ => return false,
        };
        let text = &self.text[self.span(at)];
        text.len() < 2 * quote.len() || !text.ends_with(quote)
    }

    /// Cuts the last statement at the end of the line with the opening quote. Returns the start of the next
    /// line.
    fn end_at_line(&self, first: usize, quote: usize, all: &mut [Statement]) -> usize {
        let opens = self.span(quote).start;
        let end = self.text[opens..].find('\n').map_or(self.text.len(), |length| opens + length + 1);
        if let Some(last) = all.last_mut() {
            *last = Statement {
                range: self.span(first).start..end,
                is_header: last.is_header,
                is_unclosed: true,
            };
        }
        end
    }

    /// Returns the statement that starts at a token, and the index of the first token after the statement.
    fn statement(&self, first: usize) -> (usize, Statement) {
        let start = self.span(first).start;
        let is_header = self.kind(first) == TokenKind::LeftSquareBracket;
        let ended = |at: usize, end: usize, is_unclosed: bool| {
            (at, Statement { range: start..end, is_header, is_unclosed })
        };
        let mut open: Vec<TokenKind> = Vec::new();
        let mut at = first;
        while at < self.tokens.len() {
            match self.kind(at) {
                kind @ (TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket) => open.push(kind),
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                    open.pop();
                }
                TokenKind::Newline if is_header || open.is_empty() => {
                    return ended(at + 1, self.span(at).end, false);
                }
                TokenKind::Newline if self.begins_statement(at + 1, open.last().copied()) => {
                    return ended(at + 1, self.span(at).end, true);
                }
                TokenKind::Eof => return ended(at + 1, self.span(at).start, !open.is_empty()),
                _ => {}
            }
            at += 1;
        }
        ended(at, self.text.len(), !open.is_empty())
    }

    /// True if a line within unclosed brackets looks like the start of a new statement: a table header, or
    /// within a list also a key followed by `=`.
    fn begins_statement(&self, line: usize, within: Option<TokenKind>) -> bool {
        let mut tokens = (line..self.tokens.len()).filter(|&at| self.kind(at) != TokenKind::Whitespace);
        let mut next = || tokens.next().map_or(TokenKind::Eof, |at| self.kind(at));
        match next() {
            TokenKind::Atom if within == Some(TokenKind::LeftSquareBracket) => next() == TokenKind::Equals,
            TokenKind::LeftSquareBracket => self.is_header(line),
            _ => false,
        }
    }

    /// True for a header such as `[rules]` or `[[launch]]` on its own line. No value in a launches file has
    /// this form.
    fn is_header(&self, line: usize) -> bool {
        let start = self.span(line).start;
        let text = self.text[start..].lines().next().unwrap_or_default();
        let text = text.split('#').next().unwrap_or_default().trim();
        let name = text.trim_start_matches('[').trim_end_matches(']');
        let is_word = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
        text.ends_with(']') && is_word(name) && !["true", "false", "inf", "nan"].contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(&str, bool)> {
        statements(text).into_iter().map(|one| (&text[one.range], one.is_unclosed)).collect()
    }

    #[test]
    fn a_statement_takes_as_many_lines_as_its_brackets() {
        let text = "# c\ngpu = \"t4\" # d\n\nlistings = [\n  \"a\", # ]\n  \"[b\",\n]\n[rules]\nx = \"\"\"\n[a]\n\"\"\"\ny = { a = [1,\n2] }";
        assert_eq!(
            split(text),
            [
                ("gpu = \"t4\" # d\n", false),
                ("listings = [\n  \"a\", # ]\n  \"[b\",\n]\n", false),
                ("[rules]\n", false),
                ("x = \"\"\"\n[a]\n\"\"\"\n", false),
                ("y = { a = [1,\n2] }", false),
            ]
        );
    }

    #[test]
    fn what_is_never_closed_ends_where_the_next_one_begins() {
        assert_eq!(
            split("listings = [\n \"a\",\ngpu = \"t4\"\n"),
            [("listings = [\n \"a\",\n", true), ("gpu = \"t4\"\n", false)]
        );
        assert_eq!(split("a = [\n1,\n[[launch]]\nb = 1\n")[0], ("a = [\n1,\n", true));
        assert_eq!(split("a = { b = 1\n[rules]\n"), [("a = { b = 1\n", true), ("[rules]\n", false)]);
        assert_eq!(
            split("a = \"\"\"x\ngpu = 1\n[rules]\n"),
            [("a = \"\"\"x\n", true), ("gpu = 1\n", false), ("[rules]\n", false)]
        );
        assert_eq!(split("[a\nb = 1\n"), [("[a\n", false), ("b = 1\n", false)]);
        assert_eq!(split(""), []);
    }
}
