//! Value of a condition: preprocessor arithmetic in which any operand may be unknown.

use super::definitions::{Definitions, Meaning};
use crate::cuda::BinaryOp;

/// Maximum depth of macro expansion, and maximum number of tokens in a condition. A macro that is nested more deeply has
/// an unknown value, and a condition with more tokens is not evaluated.
const DEEPEST: usize = 32; // limit: macros and parentheses may nest without end
const MAX_TOKENS: usize = 512; // limit: expansions may grow without end

/// Returns the value of a condition's text; `None` if the value depends on code outside the text, or if the
/// condition does not parse.
pub(super) fn value(text: &str, definitions: &Definitions<'_>) -> Option<i64> {
    let mut tokens = Vec::new();
    expand(text, definitions, &mut Vec::new(), &mut tokens)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let value = parser.conditional()?;
    if parser.at == tokens.len() { value.0 } else { None }
}

/// A number; `None` if unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Number(Option<i64>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'t> {
    Number(Number),
    Symbol(&'t str),
}

/// Appends the tokens of a text after macro expansion; `None` if there are too many tokens, or if a token is
/// invalid in a condition.
fn expand<'t>(
    text: &'t str,
    definitions: &Definitions<'t>,
    within: &mut Vec<&'t str>,
    tokens: &mut Vec<Token<'t>>,
) -> Option<()> {
    let mut rest = text;
    loop {
        rest = after_blanks(rest);
        let Some(first) = rest.chars().next() else { return Some(()) };
        if tokens.len() >= MAX_TOKENS {
            return None;
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let token = if is_part(first) {
            let is_number = first.is_ascii_digit();
            let is_own = |c: char| is_part(c) || is_number && matches!(c, '\'' | '.');
            let (word, following) = rest.split_at(rest.find(|c| !is_own(c)).unwrap_or(rest.len()));
            rest = following;
            if is_number {
                Token::Number(Number(Some(number(word)?)))
            } else if word == "defined" {
                let (name, following) = operand(rest)?;
                rest = following;
                Token::Number(Number(definitions.is_defined(name).map(i64::from)))
            } else if let Some(op) = spelled(word) {
                Token::Symbol(op)
            } else {
                match definitions.stated(word) {
                    Some(Meaning::Text(value)) if !within.contains(&word) && within.len() < DEEPEST => {
                        within.push(word);
                        expand(value, definitions, within, tokens)?;
                        within.pop();
                        continue;
                    }
                    Some(Meaning::Undefined) => Token::Number(Number(Some(0))),
                    Some(_) => {
                        rest = after_arguments(rest);
                        Token::Number(Number(None))
                    }
                    None => {
                        let known = definitions.built_in(word);
                        if known.is_none() {
                            rest = after_arguments(rest);
                        }
                        Token::Number(Number(known))
                    }
                }
            }
        } else {
            const SYMBOLS: [&str; 25] = [
                "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "!", "~", "+", "-", "*", "/", "%", "<", ">",
                "&", "|", "^", "(", ")", "?", ":", ",",
            ];
            let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol))?;
            rest = &rest[symbol.len()..];
            Token::Symbol(symbol)
        };
        tokens.push(token);
    }
}

/// The text after leading blanks, comments and line continuations.
fn after_blanks(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.starts_with("//") {
            return "";
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if let Some(joined) = rest.strip_prefix('\\') {
            rest = joined;
        } else {
            return rest;
        }
    }
}

/// The text after the arguments of a macro, or the same text if no arguments follow.
fn after_arguments(text: &str) -> &str {
    let rest = after_blanks(text);
    if !rest.starts_with('(') {
        return text;
    }
    let mut depth = 0_u32;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return &rest[at + 1..],
            b')' => depth -= 1,
            _ => {}
        }
    }
    ""
}

/// The operand of `defined`, with or without parentheses, and the text after it.
fn operand(text: &str) -> Option<(&str, &str)> {
    let rest = after_blanks(text);
    let inner = rest.strip_prefix('(').map(after_blanks);
    let start = inner.unwrap_or(rest);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (name, following) = start.split_at(start.find(|c| !is_part(c)).unwrap_or(start.len()));
    let following = if inner.is_some() { after_blanks(following).strip_prefix(')')? } else { following };
    (!name.is_empty()).then_some((name, following))
}

/// The operator that a word such as `and` spells; `None` for other words.
fn spelled(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "&&",
        "or" => "||",
        "not" => "!",
        "not_eq" => "!=",
        "bitand" => "&",
        "bitor" => "|",
        "xor" => "^",
        "compl" => "~",
        _ => return None,
    })
}

/// Reads an integer literal.
fn number(word: &str) -> Option<i64> {
    let digits = word.replace('\'', "").to_ascii_lowercase();
    let digits = digits.trim_end_matches(['u', 'l', 'z']);
    let (radix, digits) = match digits {
        hex if hex.starts_with("0x") => (16, &hex[2..]),
        binary if binary.starts_with("0b") => (2, &binary[2..]),
        octal if octal.len() > 1 && octal.starts_with('0') => (8, &octal[1..]),
        decimal => (10, decimal),
    };
    i64::from_str_radix(digits, radix).ok()
}

/// Parser for the tokens of a condition. Methods return `None` if the tokens do not parse.
struct Parser<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, symbol: &str) -> bool {
        let is_next = self.tokens.get(self.at) == Some(&Token::Symbol(symbol));
        self.at += usize::from(is_next);
        is_next
    }

    fn conditional(&mut self) -> Option<Number> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Some(condition);
        }
        self.deeper(|all| {
            let then = all.conditional()?;
            let otherwise = if all.takes(":") { all.conditional()? } else { return None };
            Some(match condition {
                Number(Some(0)) => otherwise,
                Number(Some(_)) => then,
                Number(None) => Number(then.0.filter(|_| then == otherwise)),
            })
        })
    }

    fn binary(&mut self, least: u8) -> Option<Number> {
        let mut left = self.unary()?;
        while let Some(Token::Symbol(symbol)) = self.tokens.get(self.at)
            && let Some(op) = BinaryOp::parse(symbol)
            && precedence(op) >= least
        {
            self.at += 1;
            let right = self.deeper(|all| all.binary(precedence(op) + 1))?;
            left = Number(applied(op, left.0, right.0));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Number> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Number(number) => Some(number),
            Token::Symbol("(") => self.deeper(|all| {
                let inner = all.conditional()?;
                all.takes(")").then_some(inner)
            }),
            Token::Symbol(op @ ("!" | "-" | "+" | "~")) => {
                let of = self.deeper(Self::unary)?;
                Some(Number(of.0.and_then(|of| match op {
                    "!" => Some(i64::from(of == 0)),
                    "-" => of.checked_neg(),
                    "~" => Some(!of),
                    _ => Some(of),
                })))
            }
            Token::Symbol(_) => None,
        }
    }

    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        const DEEPEST: usize = 128; // limit: macros and parentheses may nest without end
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }
}

/// Precedence of an operator; higher binds tighter. Source: the C++ standard, expressions.
const fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Either => 0,
        BinaryOp::Both => 1,
        BinaryOp::Or => 2,
        BinaryOp::Xor => 3,
        BinaryOp::And => 4,
        BinaryOp::Equal | BinaryOp::NotEqual => 5,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 6,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 7,
        BinaryOp::Add | BinaryOp::Subtract => 8,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 9,
    }
}

fn applied(op: BinaryOp, left: Option<i64>, right: Option<i64>) -> Option<i64> {
    match (op, left, right) {
        (BinaryOp::Both, Some(0), _) | (BinaryOp::Both, _, Some(0)) => return Some(0),
        (BinaryOp::Either, Some(one), _) | (BinaryOp::Either, _, Some(one)) if one != 0 => return Some(1),
        _ => {}
    }
    let (left, right) = (left?, right?);
    match op {
        // Bits that are shifted out are dropped.
        BinaryOp::ShiftLeft => {
            let bits = u32::try_from(right).ok().filter(|bits| *bits < i64::BITS)?;
            Some(left << bits)
        }
        _ => op.applied(left, right),
    }
}
