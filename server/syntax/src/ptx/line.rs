//! Source lines of instructions: `.file` and `.loc`.

use super::{Item, Statement, StatementKind, Token, TokenKind, literal};

/// A place in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The index that a `.file` gives.
    pub file: u32,
    /// 1-based; 0 where the compiler knows none.
    pub line: u32,
    /// 1-based; 0 for the line as a whole.
    pub column: u32,
}

/// `.loc 1 5 0, function_name $L__info_string0, inlined_at 1 7 5`
#[derive(Debug, Clone, Copy)]
pub struct Location<'a> {
    pub place: SourceLocation,
    /// The label of the inlined function's name in `.debug_str`.
    pub function: Option<&'a Token>,
    /// Into which place it was inlined, which is that of an earlier `.loc`.
    pub inlined_at: Option<SourceLocation>,
}

/// `.file 1 "kernel.cu", 1700000000, 512`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFile<'a> {
    pub index: u32,
    pub path: &'a str,
}

impl Item {
    /// Returns the location of a `.loc`. `None` for other statements and for one that is broken.
    pub fn location(&self, statement: &Statement) -> Option<Location<'_>> {
        let tokens = self.directive_tokens(statement, ".loc")?;
        let inlined = tokens.iter().position(|token| self.is_name(token, "inlined_at"));
        let function = tokens.iter().position(|token| self.is_name(token, "function_name"));
        Some(Location {
            place: self.place(tokens)?,
            function: function.and_then(|at| tokens.get(at + 1)),
            inlined_at: inlined.and_then(|at| self.place(&tokens[at + 1..])),
        })
    }

    /// Returns the file of a `.file`. `None` for other statements and for one that is broken.
    pub fn source_file(&self, statement: &Statement) -> Option<SourceFile<'_>> {
        let [index, path, ..] = self.directive_tokens(statement, ".file")? else { return None };
        let path = (path.kind == TokenKind::String).then(|| self.token_text(path))?;
        let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"'))?;
        Some(SourceFile { index: self.number(index)?, path })
    }

    /// The tokens after the word of this directive.
    fn directive_tokens(&self, statement: &Statement, word: &str) -> Option<&[Token]> {
        let (first, rest) = self.tokens_of(statement.tokens).split_first()?;
        let is = statement.kind == StatementKind::Directive && self.token_text(first) == word;
        is.then_some(rest)
    }

    fn place(&self, tokens: &[Token]) -> Option<SourceLocation> {
        let [file, line, column, ..] = tokens else { return None };
        Some(SourceLocation {
            file: self.number(file)?,
            line: self.number(line)?,
            column: self.number(column)?,
        })
    }

    fn number(&self, token: &Token) -> Option<u32> {
        u32::try_from(literal::integer(self.token_text(token))?).ok()
    }

    fn is_name(&self, token: &Token, name: &str) -> bool {
        token.kind == TokenKind::Name && self.token_text(token) == name
    }
}
