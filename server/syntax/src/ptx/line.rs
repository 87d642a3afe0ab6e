//! Source lines of instructions: `.file` and `.loc`.

use super::{Item, Statement, Token, TokenKind, literal};

/// A position in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The file's index, as defined by a `.file` directive.
    pub file: u32,
    /// 1-based line; 0 if the compiler does not know the line.
    pub line: u32,
    /// 1-based column; 0 if the location is the complete line.
    pub column: u32,
}

/// `.loc 1 5 0, function_name $L__info_string0, inlined_at 1 7 5`
#[derive(Debug, Clone, Copy)]
pub struct Location<'a> {
    pub place: SourceLocation,
    /// The label of the inlined function's name in `.debug_str`.
    pub function: Option<&'a Token>,
    /// The call position that the function was inlined into. An earlier `.loc` has the same position.
    pub inlined_at: Option<SourceLocation>,
}

/// `.file 1 "kernel.cu", 1700000000, 512`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFile<'a> {
    pub index: u32,
    pub path: &'a str,
}

impl<'a> Location<'a> {
    /// Reads the location of a `.loc` statement. `None` for other statements and for a malformed `.loc`.
    pub fn read(item: &'a Item, statement: &Statement) -> Option<Self> {
        let tokens = directive_tokens(item, statement, ".loc")?;
        let after = |word: &str| {
            let is_word = |token: &Token| token.kind == TokenKind::Name && item.token_text(token) == word;
            tokens.iter().position(is_word).map(|at| &tokens[at + 1..])
        };
        Some(Location {
            place: SourceLocation::read(item, tokens)?,
            function: after("function_name").and_then(<[Token]>::first),
            inlined_at: after("inlined_at").and_then(|tokens| SourceLocation::read(item, tokens)),
        })
    }
}

impl SourceLocation {
    fn read(item: &Item, tokens: &[Token]) -> Option<Self> {
        let [file, line, column, ..] = tokens else { return None };
        Some(Self { file: number(item, file)?, line: number(item, line)?, column: number(item, column)? })
    }
}

impl<'a> SourceFile<'a> {
    /// Reads a `.file` statement. `None` for other statements and for a malformed `.file`.
    pub fn read(item: &'a Item, statement: &Statement) -> Option<Self> {
        let [index, path, ..] = directive_tokens(item, statement, ".file")? else { return None };
        let path = (path.kind == TokenKind::String).then(|| item.token_text(path))?;
        let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"'))?;
        Some(SourceFile { index: number(item, index)?, path })
    }
}

/// The tokens after the word of a directive; `None` if the directive has another word.
fn directive_tokens<'a>(item: &'a Item, statement: &Statement, word: &str) -> Option<&'a [Token]> {
    (item.directive(statement)? == word).then(|| &item.tokens_of(statement.tokens)[1..])
}

fn number(item: &Item, token: &Token) -> Option<u32> {
    u32::try_from(literal::integer(item.token_text(token))?).ok()
}
