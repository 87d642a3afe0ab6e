//! Parser for `.entry` and `.func`.

use super::body::body;
use super::head::{body_or_end, signature, skip_head};
use super::statements::Statements;
use crate::ptx::{Function, FunctionKind, StatementKind, TokenKind, TokenRange};

/// Reads a function from the current `.entry` or `.func`. `linkage` is the index of the preceding linkage
/// word.
pub(super) fn function(out: &mut Statements<'_>, linkage: Option<u32>) -> Function {
    let kind = if out.cursor.word() == ".entry" { FunctionKind::Entry } else { FunctionKind::Func };
    out.cursor.bump_as(TokenKind::Directive);
    let none = TokenRange { start: out.cursor.next_index(), end: out.cursor.next_index() };
    let mut function = Function {
        kind,
        linkage,
        name: None,
        returns: none,
        parameters: none,
        performance: none,
        body: None,
    };
    let read = signature(&mut out.cursor, &mut function);
    let read = read.and_then(|()| body_or_end(&mut out.cursor));
    if read.is_err() {
        skip_head(&mut out.cursor);
    }
    out.cursor.brackets.clear();
    let has_body = out.cursor.is(b'{');
    if !has_body {
        out.cursor.eat(b';');
    }
    out.add(0, StatementKind::Function, Ok(()));
    if has_body {
        function.body = Some(out.list.len() as u32);
        body(out);
    }
    function
}
