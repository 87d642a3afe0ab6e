//! Parser of the statements between a function's braces.

use super::cursor::{Cursor, Parsed};
use super::list::{ListEnd, list};
use super::statements::Statements;
use super::words::begins_line;
use super::{declaration, directive, head, of_c};
use crate::ptx::variable::{is_linkage, is_space};
use crate::ptx::{Statement, StatementKind, Token, TokenKind};
use crate::stop;

/// Reads a text that is exactly one instruction, from its first byte to its `;`, without errors and comments.
/// `None` for any other text.
pub(in crate::ptx) fn instruction(text: &str) -> Option<(Vec<Token>, Statement)> {
    let mut out = Statements::new(text);
    out.cursor.start_item(0);
    match out.cursor.current.filter(|first| first.start == 0)?.kind {
        TokenKind::Name => word_statement(&mut out, 0),
        TokenKind::Punct(b'@') => guarded_instruction(&mut out, 0),
        _ => return None,
    }
    let &[read] = &*out.list else { return None };
    let Cursor { current, found, tokens, .. } = out.cursor;
    let is_whole = current.is_none()
        && found.errors.is_empty()
        && found.comments.is_empty()
        && tokens.last().is_some_and(|last| last.is(b';') && last.end() as usize == text.len());
    (is_whole && matches!(read.kind, StatementKind::Instruction { .. })).then_some((tokens, read))
}

/// Reads a body from the current `{` to its `}`, or to a word that only begins items at module scope.
pub(super) fn body(out: &mut Statements<'_>) {
    out.open_scope();
    while out.is_in_scope() {
        stop::check_at(out.list.len());
        let first = out.cursor.next_index();
        match out.cursor.kind() {
            Some(TokenKind::Name) => word_statement(out, first),
            Some(TokenKind::Modifier) => {
                if !dotted_statement(out, first) {
                    return out.leave_scopes();
                }
            }
            Some(TokenKind::Punct(b'@')) => guarded_instruction(out, first),
            Some(TokenKind::Punct(b'{')) => out.open_scope(),
            Some(TokenKind::Punct(b'}')) => out.close_scope(),
            None => return out.leave_scopes(),
            Some(_) => out.unexpected("expected a statement"),
        }
    }
}

/// Reads a label or an instruction without a guard.
#[inline]
fn word_statement(out: &mut Statements<'_>, first: u32) {
    let word = out.cursor.word();
    out.cursor.bump_as(TokenKind::Opcode);
    if out.cursor.is(b':') {
        out.label(first);
    } else if of_c::begins_statement(&out.cursor, word) {
        of_c::skip_statement(&mut out.cursor);
        out.add(first, StatementKind::Error, Ok(()));
    } else {
        after_opcode(out, first, first);
    }
}

/// Reads an instruction with its guard.
fn guarded_instruction(out: &mut Statements<'_>, first: u32) {
    out.cursor.bump();
    out.cursor.eat(b'!');
    // An unfinished guard before the next statement.
    let guard = if out.cursor.begins_statement() {
        Err(out.cursor.fail("expected a predicate"))
    } else {
        out.cursor.expect_kind(TokenKind::Name, "expected a predicate")
    };
    let opcode = out.cursor.next_index();
    let guard = guard.and_then(|()| {
        let is_opcode = out.cursor.kind() == Some(TokenKind::Name);
        if is_opcode { Ok(()) } else { Err(out.cursor.fail("expected an opcode")) }
    });
    if guard.is_err() {
        return out.add(first, StatementKind::Instruction { opcode, operands: opcode }, guard);
    }
    out.cursor.bump_as(TokenKind::Opcode);
    after_opcode(out, first, opcode);
}

#[inline]
fn after_opcode(out: &mut Statements<'_>, first: u32, opcode: u32) {
    while out.cursor.kind() == Some(TokenKind::Modifier)
        && !(out.cursor.first_on_line && begins_line(out.cursor.word()))
    {
        out.cursor.bump();
    }
    let operands = out.cursor.next_index();
    let read = if out.cursor.eat(b';') { Ok(()) } else { after_modifiers(&mut out.cursor) };
    out.add(first, StatementKind::Instruction { opcode, operands }, read);
}

#[inline]
fn after_modifiers(cursor: &mut Cursor<'_>) -> Parsed {
    // An unfinished instruction before the next line or the end of a scope.
    if cursor.begins_statement() || cursor.is(b'}') {
        return Err(cursor.fail("expected operands or `;`"));
    }
    list(cursor, ListEnd::Semicolon)?;
    cursor.semicolon()
}

/// Reads a declaration or a directive; false if the current word begins an item of module scope.
fn dotted_statement(out: &mut Statements<'_>, first: u32) -> bool {
    let word = out.cursor.word();
    match word {
        ".entry" | ".func" | ".version" | ".target" | ".address_size" | ".section" | ".alias" => {
            return false;
        }
        ".loc" | ".loc_intermediate" => {
            let read = directive::location(&mut out.cursor);
            out.add(first, StatementKind::Directive, read);
        }
        ".file" => {
            let read = directive::file(&mut out.cursor);
            out.add(first, StatementKind::Directive, read);
        }
        ".callprototype" => {
            let read = head::prototype(&mut out.cursor);
            out.add(first, StatementKind::Directive, read);
        }
        _ if is_linkage(word) => return linked_statement(out, first),
        _ if is_space(word) || matches!(word, ".attribute" | ".align") => {
            let read = declaration::variable(&mut out.cursor);
            out.add(first, StatementKind::Variable, read);
        }
        _ => {
            if !matches!(word, ".pragma" | ".branchtargets" | ".calltargets") {
                out.cursor.note_here("expected an opcode or a directive");
            }
            let read = directive::terminated(&mut out.cursor);
            out.add(first, StatementKind::Directive, read);
        }
    }
    true
}

/// Reads a variable declaration with linkage. Returns false and consumes nothing if it declares a function.
fn linked_statement(out: &mut Statements<'_>, first: u32) -> bool {
    let start = out.cursor.checkpoint();
    let head = declaration::head(&mut out.cursor);
    if head.is_ok() && matches!(out.cursor.word(), ".entry" | ".func") {
        out.cursor.go_back(&start);
        return false;
    }
    let read = head.and_then(|()| declaration::declared(&mut out.cursor));
    out.add(first, StatementKind::Variable, read);
    true
}
