//! Keys for matching instructions, without register numbers and without tokens that depend on the schedule or layout.

use model::Program;
use syntax::sass::{Chunk, Token, TokenKind};

/// Returns the tokens that determine the operation of an instruction. Skips `.reuse`, which depends on the
/// schedule. Also skips branch targets, whose address or label changes when an instruction is inserted.
fn telling<'a>(
    chunk: &'a Chunk,
    program: &Program,
    inst: usize,
) -> impl Iterator<Item = (&'a str, TokenKind)> {
    let instruction = &chunk.instructions()[inst];
    let has_target = program.instructions.get(inst).is_some_and(|inst| inst.target.is_some());
    let tokens = chunk.tokens(instruction.tokens);
    let text = |token: &Token| chunk.token_text(instruction.line, token);
    tokens.iter().map(move |token| (text(token), token.kind)).filter(move |(text, kind)| match kind {
        TokenKind::Modifier => *text != ".reuse",
        TokenKind::Integer => !has_target,
        TokenKind::Label => !text.starts_with(".L"),
        _ => true,
    })
}

/// Returns a register name without its number: `R` for `R12`. Constant registers (`RZ`, `PT`) keep their
/// names.
fn without_number(text: &str, kind: TokenKind) -> &str {
    if is_register(kind) { text.trim_end_matches(|at: char| at.is_ascii_digit()) } else { text }
}

fn is_register(kind: TokenKind) -> bool {
    use TokenKind::{Barrier, Predicate, Register, Scoreboard, UniformPredicate, UniformRegister};
    matches!(kind, Register | UniformRegister | Predicate | UniformPredicate | Barrier | Scoreboard)
}

/// Returns the key for matching an instruction with the instructions of another version.
pub(super) fn words(chunk: &Chunk, program: &Program, inst: usize) -> String {
    let mut words = String::new();
    for (text, kind) in telling(chunk, program, inst) {
        words.push_str(without_number(text, kind));
        words.push(' ');
    }
    words
}

/// Returns the registers that differ between two instructions with the same [`words`], as `R3 -> R4`. Lists
/// each pair once.
pub(super) fn other_registers(
    one: (&Chunk, &Program, usize),
    other: (&Chunk, &Program, usize),
) -> Vec<String> {
    let mut found = Vec::new();
    for ((old, kind), (new, _)) in telling(one.0, one.1, one.2).zip(telling(other.0, other.1, other.2)) {
        let pair = format!("{old} -> {new}");
        if is_register(kind) && old != new && !found.contains(&pair) {
            found.push(pair);
        }
    }
    found
}
