//! Parser for `.section` and its rows of debug data.

use super::cursor::{Cursor, Parsed};
use super::list::{ListEnd, list};
use super::statements::Statements;
use super::words::begins_item;
use crate::ptx::{StatementKind, TokenKind};

pub(super) fn section(out: &mut Statements<'_>) {
    if section_name(&mut out.cursor).is_err() {
        while out.cursor.current.is_some() && !out.cursor.is(b'{') && !out.cursor.first_on_line {
            out.cursor.bump();
        }
    }
    out.add(0, StatementKind::Directive, Ok(()));
    if out.cursor.is(b'{') {
        rows(out);
    }
}

/// Parses a section: `.section .debug_info`.
fn section_name(cursor: &mut Cursor<'_>) -> Parsed {
    cursor.bump_as(TokenKind::Directive);
    if cursor.kind() != Some(TokenKind::Modifier) || begins_item(cursor.word()) {
        return Err(cursor.fail("expected the section's name"));
    }
    cursor.bump_as(TokenKind::Directive);
    if cursor.is(b'{') { Ok(()) } else { Err(cursor.fail("expected `{`")) }
}

fn rows(out: &mut Statements<'_>) {
    out.open_scope();
    while out.is_in_scope() {
        let first = out.cursor.next_index();
        match out.cursor.kind() {
            Some(TokenKind::Modifier)
                if matches!(out.cursor.word(), ".section" | ".version" | ".visible" | ".func") =>
            {
                return out.leave_scopes();
            }
            Some(TokenKind::Modifier) => {
                out.cursor.bump_as(TokenKind::Directive);
                let read = list(&mut out.cursor, ListEnd::Row);
                out.cursor.eat(b';');
                out.add(first, StatementKind::Data, read);
            }
            Some(TokenKind::Name) => {
                out.cursor.bump();
                if out.cursor.is(b':') {
                    out.label(first);
                } else {
                    let failed = out.cursor.fail("expected `:`");
                    out.add(first, StatementKind::Error, Err(failed));
                }
            }
            Some(TokenKind::Punct(b'}')) => out.close_scope(),
            None => return out.leave_scopes(),
            Some(_) => out.unexpected("expected a row of data"),
        }
    }
}
