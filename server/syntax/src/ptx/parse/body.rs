//! The statements between a function's braces.

use super::list::Until;
use super::{Parser, Step};
use crate::ptx::variable::{is_linkage, is_space};
use crate::ptx::{Statement, StatementKind, Token, TokenKind, TokenRange};
use crate::stop;

/// The one instruction that a text is, from its first byte to its `;`, without errors and comments. `None` for any other.
pub(in crate::ptx) fn instruction(text: &str) -> Option<(Vec<Token>, Statement)> {
    let mut parser = Parser::new(text);
    parser.lexer.start_item(0);
    parser.advance();
    match parser.current.filter(|first| first.start == 0)?.kind {
        TokenKind::Name => parser.word_statement(0),
        TokenKind::Punct(b'@') => parser.instruction(0),
        _ => return None,
    }
    let &[read] = &*parser.statements else { return None };
    let is_whole = parser.current.is_none()
        && parser.found.errors.is_empty()
        && parser.found.comments.is_empty()
        && parser.tokens.last().is_some_and(|last| last.is(b';') && last.end() as usize == text.len());
    (is_whole && matches!(read.kind, StatementKind::Instruction { .. })).then_some((parser.tokens, read))
}

impl Parser<'_> {
    /// Reads from the `{` here to its `}`, or to where something begins that no function holds.
    pub(super) fn body(&mut self) {
        self.open_scope();
        while !self.scopes.is_empty() {
            stop::check_at(self.statements.len());
            let first = self.next_index();
            match self.kind() {
                Some(TokenKind::Name) => self.word_statement(first),
                Some(TokenKind::Modifier) => {
                    if !self.dotted_statement(first) {
                        return self.leave_scopes();
                    }
                }
                Some(TokenKind::Punct(b'@')) => self.instruction(first),
                Some(TokenKind::Punct(b'{')) => self.open_scope(),
                Some(TokenKind::Punct(b'}')) => self.close_scope(),
                None => return self.leave_scopes(),
                Some(_) => self.unexpected("expected a statement"),
            }
        }
    }

    pub(super) fn open_scope(&mut self) {
        let first = self.next_index();
        self.scopes.push(self.statements.len() as u32);
        self.bump();
        self.add(first, StatementKind::Open { close: u32::MAX }, Ok(()));
    }

    pub(super) fn close_scope(&mut self) {
        let first = self.next_index();
        self.bump();
        let open = self.scopes.pop().unwrap_or_default();
        let close = self.statements.len() as u32;
        if let Some(statement) = self.statements.get_mut(open as usize) {
            statement.kind = StatementKind::Open { close };
        }
        self.add(first, StatementKind::Close { open }, Ok(()));
    }

    /// The scopes that are open end here, unclosed.
    pub(super) fn leave_scopes(&mut self) {
        self.note_before("expected `}`");
        let close = self.statements.len() as u32;
        for open in self.scopes.drain(..) {
            self.statements[open as usize].kind = StatementKind::Open { close };
        }
    }

    /// A label or an instruction without a guard.
    #[inline]
    fn word_statement(&mut self, first: u32) {
        let word = self.word();
        self.bump_as(TokenKind::Opcode);
        if self.is(b':') {
            self.label(first);
        } else if self.is_of_c(word) {
            self.statement_of_c(first);
        } else {
            self.behind_opcode(first, first);
        }
    }

    /// Whether the word just read begins a statement or a declaration of C.
    fn is_of_c(&self, word: &str) -> bool {
        match word {
            "if" | "for" | "while" | "switch" => self.is(b'('),
            "else" | "do" => self.is(b'{') || self.kind() == Some(TokenKind::Name),
            _ => is_type_of_c(word) && self.kind() == Some(TokenKind::Name),
        }
    }

    /// Reads what C has in front of the statements of a branch or a loop, or a declaration to its `;`: one error, whatever is in it.
    fn statement_of_c(&mut self, first: u32) {
        let word = self.tokens.last().copied();
        let is_declared = word.is_some_and(|word| is_type_of_c(&self.item_text()[word.range()]));
        let message = if is_declared {
            "this is C: PTX declares registers, as in `.reg .b32 %r1;`, and computes with instructions"
        } else {
            "PTX has no such statement: use `setp` and a guarded `bra`"
        };
        if let Some(word) = word {
            self.note_on(word, message);
        }
        let mut depth = 0_u32;
        while let Some(kind) = self.kind() {
            match kind {
                TokenKind::Punct(b'{' | b'}') => break,
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') => depth = depth.saturating_sub(1),
                _ if depth == 0 && !is_declared => break,
                _ => {}
            }
            let is_end = depth == 0 && (kind == TokenKind::Punct(b';') || !is_declared);
            self.bump();
            if is_end {
                break;
            }
        }
        self.eat(b';');
        self.brackets.clear();
        let tokens = TokenRange { start: first, end: self.next_index() };
        self.statements.push(Statement { kind: StatementKind::Error, tokens });
    }

    /// Makes a label of the word before the colon here.
    pub(super) fn label(&mut self, first: u32) {
        if let Some(word) = self.tokens.last_mut() {
            word.kind = TokenKind::Label;
        }
        self.bump();
        self.add(first, StatementKind::Label, Ok(()));
    }

    /// An instruction with its guard.
    fn instruction(&mut self, first: u32) {
        self.bump();
        self.eat(b'!');
        // A guard that is being written, before the next statement.
        let guard = if self.begins_statement() {
            Err(self.fail("expected a predicate"))
        } else {
            self.expect_kind(TokenKind::Name, "expected a predicate")
        };
        let opcode = self.next_index();
        let guard = guard.and_then(|()| {
            let is_opcode = self.kind() == Some(TokenKind::Name);
            if is_opcode { Ok(()) } else { Err(self.fail("expected an opcode")) }
        });
        if guard.is_err() {
            return self.add(first, StatementKind::Instruction { opcode, operands: opcode }, guard);
        }
        self.bump_as(TokenKind::Opcode);
        self.behind_opcode(first, opcode);
    }

    #[inline]
    fn behind_opcode(&mut self, first: u32, opcode: u32) {
        while self.kind() == Some(TokenKind::Modifier) && !(self.first_on_line && begins_line(self.word())) {
            self.bump();
        }
        let operands = self.next_index();
        let step = if self.eat(b';') { Ok(()) } else { self.behind_modifiers() };
        self.add(first, StatementKind::Instruction { opcode, operands }, step);
    }

    #[inline]
    fn behind_modifiers(&mut self) -> Step {
        // An instruction that is being written, before a line or a scope's end.
        if self.begins_statement() || self.is(b'}') {
            return Err(self.fail("expected operands or `;`"));
        }
        self.list(Until::Semicolon)?;
        self.semicolon()
    }

    /// Takes the `;` of a statement. Where it is missing at a line's end, what follows is left to be read by itself.
    pub(super) fn semicolon(&mut self) -> Step {
        if self.eat(b';') {
            return Ok(());
        }
        let failed = self.fail("expected `;`");
        if self.first_on_line { Ok(()) } else { Err(failed) }
    }

    /// Reads a declaration or a directive; false if the word here begins an item of module scope.
    fn dotted_statement(&mut self, first: u32) -> bool {
        let word = self.word();
        match word {
            ".entry" | ".func" | ".version" | ".target" | ".address_size" | ".section" | ".alias" => {
                return false;
            }
            ".loc" | ".loc_intermediate" => {
                let step = self.location();
                self.add(first, StatementKind::Directive, step);
            }
            ".file" => {
                let step = self.file();
                self.add(first, StatementKind::Directive, step);
            }
            ".callprototype" => {
                let step = self.prototype();
                self.add(first, StatementKind::Directive, step);
            }
            _ if is_linkage(word) => return self.linked_statement(first),
            _ if is_space(word) || matches!(word, ".attribute" | ".align") => {
                let step = self.variable();
                self.add(first, StatementKind::Variable, step);
            }
            _ => {
                if !matches!(word, ".pragma" | ".branchtargets" | ".calltargets") {
                    self.note_here("expected an opcode or a directive");
                }
                let step = self.terminated();
                self.add(first, StatementKind::Directive, step);
            }
        }
        true
    }

    /// A declaration with linkage; false, and nothing taken, where it is a function's.
    fn linked_statement(&mut self, first: u32) -> bool {
        let (place, current, first_on_line) = (self.lexer, self.current, self.first_on_line);
        let (comments, errors) = (self.found.comments.len(), self.found.errors.len());
        let head = self.head();
        if head.is_ok() && matches!(self.word(), ".entry" | ".func") {
            self.lexer.go_back(place);
            self.current = current;
            self.first_on_line = first_on_line;
            self.found.comments.truncate(comments);
            self.found.errors.truncate(errors);
            self.tokens.truncate(first as usize);
            return false;
        }
        let step = head.and_then(|()| self.declarators()).and_then(|()| self.semicolon());
        self.add(first, StatementKind::Variable, step);
        true
    }
}

fn is_type_of_c(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "unsigned"
            | "float"
            | "double"
            | "char"
            | "short"
            | "long"
            | "bool"
            | "void"
            | "const"
            | "auto"
            | "size_t"
            | "int32_t"
            | "uint32_t"
            | "int64_t"
            | "uint64_t"
    )
}

/// True for words that begin a statement and are no modifier of an opcode, so that one on a new line is not part of the
/// preceding statement.
pub(super) fn begins_line(word: &str) -> bool {
    matches!(
        word,
        ".reg"
            | ".loc"
            | ".loc_intermediate"
            | ".file"
            | ".pragma"
            | ".section"
            | ".entry"
            | ".func"
            | ".visible"
            | ".extern"
            | ".version"
            | ".target"
            | ".address_size"
            | ".branchtargets"
            | ".calltargets"
            | ".callprototype"
            | ".align"
    )
}
