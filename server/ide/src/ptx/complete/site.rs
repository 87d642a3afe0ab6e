//! Syntactic context of the cursor for completion. It is derived from the text before the cursor, so
//! incomplete statements are supported.

use crate::ptx::view::{Position, View};
use std::ops::Range;
use syntax::ptx::{Item, ItemKind, StatementKind, Token, TokenKind};

/// Syntactic context of the word at the cursor.
pub(in crate::ptx) struct Site<'a> {
    pub place: Position<'a>,
    /// Byte range in the item of the word that a completion replaces, without the dot.
    pub word: Range<u32>,
    pub context: SiteKind,
}

/// Syntactic role of the text at the cursor.
pub(in crate::ptx) enum SiteKind {
    /// The start of a statement in a function body, where an instruction is expected.
    Statement,
    /// The start of an item at module level.
    Module,
    /// After the dot of a directive. The completion replaces the dot. Holds the position as named in
    /// `directives.csv`.
    Directive(&'static str),
    /// After a dot in a declaration in this state space. A type or another word is expected.
    Declaration {
        space: String,
        place: &'static str,
    },
    /// After `.target`.
    Target,
    /// A predicate after `@`.
    Guard,
    /// After a dot that follows the opcode.
    Modifier(Spelled),
    Operand(OperandSite),
    /// After the dot that follows an operand's name. Holds the name.
    Selector(String),
}

/// An opcode, with the modifiers before the cursor.
#[derive(Default)]
pub(in crate::ptx) struct Spelled {
    pub opcode: String,
    /// Modifiers without their dots.
    pub modifiers: Vec<String>,
}

/// Position of an operand in its statement.
pub(in crate::ptx) struct OperandSite {
    pub spelled: Spelled,
    /// Number of commas outside brackets before the operand.
    pub index: usize,
    /// True if the first operand is a list in parentheses.
    pub begins_with_list: bool,
    /// Innermost open bracket before the cursor; `None` outside of brackets.
    pub bracket: Option<u8>,
    /// Number of commas before the cursor in the innermost bracket.
    pub element: usize,
    /// Texts of the preceding operands, such as the callee of a call.
    pub before: Vec<String>,
}

impl<'a> Site<'a> {
    /// Context at an offset; `None` in comments and strings, or if nothing can be proposed.
    pub(in crate::ptx) fn at(view: &View<'a>, offset: usize) -> Option<Self> {
        let place = place_before(view, offset)?;
        let item = place.item;
        let word = word_around(item, place.byte)?;
        let before = item.tokens().partition_point(|token| token.end() <= word.start);
        let last = before.checked_sub(1);
        let statement =
            last.and_then(|last| Some(&item.statements()[item.statement_at(item.tokens()[last].start)?]));
        let from = statement
            .filter(|statement| goes_on(item, statement.tokens.end, last.unwrap_or_default(), &word))
            .map(|statement| (statement.kind, item.tokens()[statement.tokens.start as usize].start));
        let has_dot = word.start > 0 && item.text().as_bytes()[word.start as usize - 1] == b'.';
        let context = match from {
            None => fresh(view, &place, last, has_dot),
            Some((kind, start)) => going_on(item, kind, &item.text()[start as usize..word.start as usize]),
        }?;
        let word = match context {
            SiteKind::Directive(_) => word.start - 1..word.end,
            _ => word,
        };
        Some(Self { place, word, context })
    }
}

/// Position in the item that contains the text before the cursor.
fn place_before<'a>(view: &View<'a>, offset: usize) -> Option<Position<'a>> {
    let mut place = view.place(offset.saturating_sub(1))?;
    place.byte = u32::try_from(offset.checked_sub(place.start)?).ok()?;
    (place.byte as usize <= place.item.text().len()
        && place.item.text().is_char_boundary(place.byte as usize))
    .then_some(place)
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

/// Byte range of the word around the cursor; `None` in comments and strings.
fn word_around(item: &Item, byte: u32) -> Option<Range<u32>> {
    let is_in = |token: &Token| token.start < byte && byte <= token.end();
    let comment = item.comments().iter().find(|token| is_in(token));
    let is_closed = |token: &Token| byte == token.end() && item.token_text(token).starts_with("/*");
    if comment.is_some_and(|token| !is_closed(token)) {
        return None;
    }
    let at = item.tokens().partition_point(|token| token.end() < byte);
    let token = item.tokens().get(at).filter(|token| is_in(token));
    if token.is_some_and(|token| token.kind == TokenKind::String) {
        return None;
    }
    let text = item.text().as_bytes();
    let mut start = byte as usize;
    while start > 0 && (is_of_word(text[start - 1]) || is_pair(text, start - 1)) {
        start -= 1;
    }
    let mut end = byte as usize;
    while end < text.len() && (is_of_word(text[end]) || is_pair(text, end)) {
        end += 1;
    }
    Some(start as u32..end as u32)
}

/// True for a colon inside a word, as in `shared::cta` and `sp::2:4`.
fn is_pair(text: &[u8], at: usize) -> bool {
    let is_colon = |at: usize| text.get(at) == Some(&b':');
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_ratio = || at > 2 && is_digit(at - 1) && is_digit(at + 1) && is_colon(at - 2) && is_colon(at - 3);
    is_colon(at) && (is_colon(at + 1) || at > 0 && is_colon(at - 1) || is_ratio())
}

/// True if the statement that contains token `last` continues with the word after this token.
fn goes_on(item: &Item, statement_end: u32, last: usize, word: &Range<u32>) -> bool {
    let token = &item.tokens()[last];
    if let TokenKind::Punct(b';' | b':') = token.kind
        && last as u32 + 1 == statement_end
    {
        return false;
    }
    if matches!(token.kind, TokenKind::Punct(b'}')) || token.is(b'{') {
        let at = item.statement_at(token.start).map(|at| item.statements()[at].kind);
        return !matches!(at, Some(StatementKind::Open { .. } | StatementKind::Close { .. }));
    }
    // A statement without `;` ends at the end of its line, unless its last token cannot end a
    // statement.
    let space = &item.text()[token.end() as usize..word.start as usize];
    let is_open =
        matches!(token.kind, TokenKind::Punct(b',' | b'(' | b'[' | b'{' | b'=' | b'+' | b'-' | b'.'))
            || token.kind == TokenKind::Error;
    last as u32 + 1 < statement_end || is_open || !space.contains(['\n', '\r'])
}

/// Context at the start of a statement or item.
fn fresh(view: &View<'_>, place: &Position<'_>, last: Option<usize>, has_dot: bool) -> Option<SiteKind> {
    let item = place.item;
    let in_body = last.is_some_and(|last| open_after(item, last) > 0);
    if in_body {
        return Some(if has_dot { SiteKind::Directive("body") } else { SiteKind::Statement });
    }
    // The cursor is between a function's head and its body.
    if item.kind() == ItemKind::Function
        && item.function().is_some_and(|function| function.body.is_none())
        && last.is_some_and(|last| !item.tokens()[last].is(b';'))
    {
        return has_dot.then_some(SiteKind::Directive("function"));
    }
    let before = place.start.checked_sub(1).and_then(|before| view.place(before));
    let is_in_section =
        item.kind() == ItemKind::Section || before.is_some_and(|place| is_open_section(place.item));
    (!is_in_section).then_some(if has_dot { SiteKind::Directive("module") } else { SiteKind::Module })
}

fn is_open_section(item: &Item) -> bool {
    item.kind() == ItemKind::Section && item.tokens().last().is_none_or(|last| !last.is(b'}'))
}

/// Number of scopes that are open after a token.
fn open_after(item: &Item, token: usize) -> usize {
    if item.kind() != ItemKind::Function {
        return 0;
    }
    let statements =
        item.statements().iter().take_while(|statement| statement.tokens.start as usize <= token);
    statements.fold(0, |depth: usize, statement| match statement.kind {
        StatementKind::Open { .. } => depth + 1,
        StatementKind::Close { .. } => depth.saturating_sub(1),
        _ => depth,
    })
}

/// Context after `text`, which is the start of an unfinished statement.
fn going_on(item: &Item, kind: StatementKind, text: &str) -> Option<SiteKind> {
    match kind {
        StatementKind::Instruction { .. } | StatementKind::Label => instruction(text),
        StatementKind::Function => {
            let depth = text.matches('(').count().checked_sub(text.matches(')').count());
            let has_dot = text.ends_with('.');
            match depth {
                Some(0) | None if has_dot && text.contains(')') => Some(SiteKind::Directive("function")),
                Some(0) | None if has_dot => Some(SiteKind::Directive("module")),
                Some(_) if has_dot => {
                    declaration(text.rsplit(['(', ',']).next().unwrap_or(text), "parameter")
                }
                _ => None,
            }
        }
        StatementKind::Variable if text.ends_with('.') => declaration(text, "variable"),
        StatementKind::Directive | StatementKind::Error => {
            let word = text.split_whitespace().next().unwrap_or_default();
            let place = if item.kind() == ItemKind::Function { "body" } else { "module" };
            match word {
                ".target" if text.ends_with([' ', '\t', ',']) => Some(SiteKind::Target),
                "." if text.trim() == "." => Some(SiteKind::Directive(place)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Context after the last dot of a declaration. It depends on whether a state space precedes the dot.
fn declaration(text: &str, place: &'static str) -> Option<SiteKind> {
    let mut words = text.strip_suffix('.')?.split_whitespace().filter(|word| word.starts_with('.'));
    let is_linkage = |word: &&str| matches!(*word, ".visible" | ".extern" | ".weak" | ".common");
    let space = words.find(|word| !is_linkage(word));
    match space {
        Some(space) => Some(SiteKind::Declaration { space: space[1..].to_owned(), place }),
        None => Some(SiteKind::Directive(if place == "variable" { "module" } else { place })),
    }
}

fn instruction(text: &str) -> Option<SiteKind> {
    let mut rest = text;
    if let Some(guard) = rest.strip_prefix('@') {
        let name = guard.trim_start_matches(['!', ' ', '\t']);
        if name.is_empty() {
            return Some(SiteKind::Guard);
        }
        let end = name.find(|letter: char| !letter.is_ascii() || !is_of_word(letter as u8))?;
        rest = name[end..].trim_start();
        if rest.is_empty() {
            return Some(SiteKind::Statement);
        }
    } else if rest.is_empty() {
        return Some(SiteKind::Statement);
    }
    let (spelled, operands, after_dot) = spelled(rest);
    if after_dot {
        return Some(SiteKind::Modifier(spelled));
    }
    operand(spelled, operands)
}

/// Splits an instruction's text into the opcode with its modifiers, and the remaining text. The flag is
/// true if the text ends directly after a dot.
fn spelled(text: &str) -> (Spelled, &str, bool) {
    let word_end = |text: &str| {
        let bytes = text.as_bytes();
        (0..bytes.len()).find(|&at| !is_of_word(bytes[at]) && !is_pair(bytes, at)).unwrap_or(bytes.len())
    };
    let end = word_end(text);
    let mut spelled = Spelled { opcode: text[..end].to_owned(), modifiers: Vec::new() };
    let mut rest = &text[end..];
    while let Some(following) = rest.trim_start().strip_prefix('.') {
        let end = word_end(following);
        if end == 0 {
            return (spelled, "", following.is_empty());
        }
        spelled.modifiers.push(following[..end].to_owned());
        rest = &following[end..];
    }
    (spelled, rest, false)
}

/// Context in `text`, which follows the opcode; `None` if the opcode is still being written.
fn operand(spelled: Spelled, text: &str) -> Option<SiteKind> {
    let first = text.trim_start();
    if first.len() == text.len() && !text.starts_with(['[', '{', '(']) {
        return None;
    }
    let mut site = OperandSite {
        spelled,
        index: 0,
        begins_with_list: first.starts_with('('),
        bracket: None,
        element: 0,
        before: Vec::new(),
    };
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' | b'(' => open.push((byte, 0)),
            b']' | b'}' | b')' => drop(open.pop()),
            b',' => {
                if let Some((_, commas)) = open.last_mut() {
                    *commas += 1;
                } else {
                    site.before.push(text[from..at].trim().to_owned());
                    from = at + 1;
                    site.index += 1;
                }
            }
            _ => {}
        }
    }
    if let Some((bracket, commas)) = open.last() {
        site.bracket = Some(*bracket);
        site.element = *commas;
    }
    if text.ends_with('.') {
        let end = text.trim_end_matches('.');
        let start = end.rfind(|letter: char| !letter.is_ascii() || !is_of_word(letter as u8));
        let name =
            &end[start.map_or(0, |start| start + end[start..].chars().next().map_or(1, char::len_utf8))..];
        return (!name.is_empty()).then(|| SiteKind::Selector(name.to_owned()));
    }
    Some(SiteKind::Operand(site))
}
