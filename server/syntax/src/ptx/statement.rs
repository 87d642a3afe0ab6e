//! Statements of an item, in a flat list. Scopes refer to each other by index, so nested scopes need no
//! recursion.

use super::{Item, Operand, TokenKind, TokenRange, Variable};

/// A statement. Every token of an item belongs to exactly one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    pub kind: StatementKind,
    /// Tokens of the statement, including its `;` if present.
    pub tokens: TokenRange,
}

/// Kind of a statement. Its indices refer to the item's tokens or statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// `.visible .entry k (...) .maxntid 256` up to the body, or including the `;` of a declaration. See
    /// [`Item::function`].
    Function,
    /// `name:`.
    Label,
    Instruction {
        /// Index of the opcode among the item's tokens. The statement's tokens before the opcode are the
        /// guard.
        opcode: u32,
        /// Index of the first operand's first token, after the modifiers.
        operands: u32,
    },
    /// Variables or registers of one type. See [`Item::variable`].
    Variable,
    /// Any other line that starts with a dotted word: `.version 9.3`, `.loc 1 5 0`, `.pragma "nounroll";`,
    /// `.branchtargets L1, L2;`, `.section .debug_info`.
    Directive,
    /// `.b8 1, 2` in a section.
    Data,
    /// `{` of a body, a nested scope or a section.
    Open {
        /// Index of the statement that closes the scope; the number of statements if the scope is not closed.
        close: u32,
    },
    /// `}`.
    Close {
        /// Index of the statement that opens the scope.
        open: u32,
    },
    /// A statement that could not be read.
    Error,
}

impl Item {
    /// Opcode of an instruction, without modifiers: `ld`. `None` for other statements, and for an instruction
    /// without an opcode.
    pub fn opcode(&self, statement: &Statement) -> Option<&str> {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { return None };
        let token = self.tokens().get(opcode as usize)?;
        (token.kind == TokenKind::Opcode).then(|| self.token_text(token))
    }

    /// The modifiers of an instruction's opcode, without the leading dots: `global`, `L1::evict_last`, `u32`.
    pub fn modifiers(&self, statement: &Statement) -> impl Iterator<Item = &str> + Clone {
        let tokens = match statement.kind {
            StatementKind::Instruction { opcode, operands } if opcode < operands => {
                &self.tokens()[opcode as usize + 1..operands as usize]
            }
            _ => &[],
        };
        tokens.iter().map(|token| &self.token_text(token)[1..])
    }

    /// Guard of an instruction: the negation flag and the predicate's name. `None` if the instruction has no
    /// guard.
    pub fn guard(&self, statement: &Statement) -> Option<(bool, &str)> {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { return None };
        let tokens = &self.tokens()[statement.tokens.start as usize..opcode as usize];
        let name = tokens.iter().find(|token| token.kind == TokenKind::Name)?;
        Some((tokens.iter().any(|token| token.is(b'!')), self.token_text(name)))
    }

    /// The operands of an instruction or a directive, in text order. Commas outside of brackets separate
    /// operands.
    pub fn operands(&self, statement: &Statement) -> impl Iterator<Item = Operand<'_>> + Clone {
        let first = match statement.kind {
            StatementKind::Instruction { operands, .. } => operands,
            StatementKind::Directive | StatementKind::Data => statement.tokens.start + 1,
            _ => statement.tokens.end,
        };
        let tokens = self.tokens().get(first as usize..statement.tokens.end as usize).unwrap_or_default();
        let tokens = match tokens {
            [all @ .., last] if last.is(b';') => all,
            all => all,
        };
        Operand::list(tokens, self.text())
    }

    /// The variables that a statement declares. `None` for other statements.
    pub fn variable(&self, statement: &Statement) -> Option<Variable<'_>> {
        (statement.kind == StatementKind::Variable)
            .then(|| Variable::new(self.tokens_of(statement.tokens), self.text()))
    }

    /// Index of the statement that opens the innermost scope around a statement. For a `{` or a `}`, the
    /// scope around the braces. `None` outside of all scopes.
    pub fn scope_around(&self, statement: usize) -> Option<usize> {
        let all = self.statements();
        let mut at = match all.get(statement)?.kind {
            StatementKind::Close { open } => open as usize,
            _ => statement,
        };
        while let Some(before) = at.checked_sub(1) {
            at = match all[before].kind {
                StatementKind::Open { .. } => return Some(before),
                StatementKind::Close { open } => open as usize,
                _ => before,
            };
        }
        None
    }

    /// First word of a directive, with its dot: `.loc`. `None` for other statements.
    pub fn directive(&self, statement: &Statement) -> Option<&str> {
        let first = self.tokens().get(statement.tokens.start as usize)?;
        (statement.kind == StatementKind::Directive).then(|| self.token_text(first))
    }

    /// Name that a label defines. `None` for other statements.
    pub fn label(&self, statement: &Statement) -> Option<&str> {
        let first = self.tokens().get(statement.tokens.start as usize)?;
        (statement.kind == StatementKind::Label).then(|| self.token_text(first))
    }
}
