//! Comments that suppress a finding.

use crate::engine::ptx_text::heading;
use crate::engine::rules::allows;
use crate::ptx::view::View;
use syntax::ptx::{Item, Token, TokenKind};

/// True if a comment `warplens: allow(code)` covers the finding. The comment is on the finding's line,
/// on comment lines directly above the line, above the item (for the entire item), or above the first
/// function (for the entire file).
pub(super) fn is_allowed(view: &View<'_>, index: usize, byte: u32, code: &str) -> bool {
    let item = &view.module.items()[index];
    let says = |item: &Item, comment: &Token| allows(item.token_text(comment), code);
    on_or_above(item, byte).any(|comment| says(item, comment))
        || heading(item).any(|comment| says(item, comment))
        || view.text.head_comments().iter().any(|comment| allows(comment, code))
}

/// Comments on the line of a byte offset, and on comment lines directly above that line.
fn on_or_above(item: &Item, byte: u32) -> impl Iterator<Item = &Token> {
    let text = item.text();
    let start_of = move |byte: usize| text[..byte].rfind('\n').map_or(0, |at| at + 1);
    let end_of = move |byte: usize| text[byte..].find('\n').map_or(text.len(), |at| byte + at);
    let place = text.floor_char_boundary(byte as usize);
    let mut first = start_of(place);
    let end = end_of(place);
    let comments = item.comments();
    let following = comments.partition_point(|comment| (comment.start as usize) < end);
    let mut from = following;
    while let Some(before) = from.checked_sub(1) {
        let comment = &comments[before];
        let is_on_line = comment.end() as usize > first;
        let line = start_of(comment.start as usize);
        let is_alone = text[line..comment.start as usize].trim().is_empty()
            && text[comment.end() as usize..first.max(comment.end() as usize)].trim().is_empty()
            && end_of(comment.end() as usize) + 1 >= first;
        if !is_on_line && !is_alone {
            break;
        }
        if !is_on_line {
            first = line;
        }
        from = before;
    }
    comments[from..following].iter().filter(|comment| comment.kind == TokenKind::Comment)
}
