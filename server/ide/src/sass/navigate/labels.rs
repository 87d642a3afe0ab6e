//! Definitions and references of labels and functions.

use super::named_lines::{function, label_line};
use super::registers::target;
use crate::engine::cancel::Cancellable;
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::{NavigationTarget, Reference, Usage};
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, Token, TokenKind};

/// Line of the label in the kernel, otherwise of the function with this name in the listing.
pub(super) fn definitions(sass: &SassView, chunk: usize, name: &str) -> Vec<NavigationTarget> {
    let own = label_line(&sass.listing().chunks()[chunk], name).map(|found| (chunk, found));
    let found = own.or_else(|| function(sass, name));
    found.into_iter().map(|(chunk, (line, range))| place(sass, chunk, line, &range)).collect()
}

/// Mentions of a label in its kernel, or of a function in the complete listing.
pub(super) fn references(sass: &SassView, chunk: usize, name: &str) -> Cancellable<Vec<Reference>> {
    let chunks = sass.listing().chunks();
    let is_local = chunks[chunk].name() != Some(name)
        && label_line(&chunks[chunk], name).is_some()
        && function(sass, name).is_none();
    let searched = if is_local { chunk..chunk + 1 } else { 0..chunks.len() };
    let mut found = Vec::new();
    for index in searched {
        sass.cancel.check()?;
        let chunk: &Chunk = &chunks[index];
        if !chunk.text().contains(name) {
            continue;
        }
        for line in 0..chunk.lines().len() {
            let text = chunk.line_text(line);
            for token in chunk.line_tokens(line) {
                let start = sass.line_range(index, line).start + token.start as usize;
                match token.kind {
                    TokenKind::Name if is_local && is_bare_target(chunk, line, token, name) => {
                        found
                            .push(Reference { range: start..start + token.len as usize, usage: Usage::Read });
                    }
                    TokenKind::Label if token.text(text) == name => {
                        let usage = match chunk.lines()[line].kind {
                            LineKind::Instruction => Usage::Read,
                            LineKind::Label | LineKind::Header => Usage::Write,
                            _ => Usage::Text,
                        };
                        found.push(Reference { range: start..start + token.len as usize, usage });
                    }
                    TokenKind::Targets => {
                        for at in words(token.text(text), name) {
                            let range = start + at..start + at + name.len();
                            found.push(Reference { range, usage: Usage::Read });
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(found)
}

/// True if a name is the last operand of an instruction. Branches name labels in this position in
/// sources for maxas, KeplerAs and TuringAs.
fn is_bare_target(chunk: &Chunk, line: usize, token: &Token, name: &str) -> bool {
    let last = chunk
        .instruction_on(line as u32)
        .and_then(|inst| chunk.tokens(chunk.instructions()[inst].tokens).last());
    token.text(chunk.line_text(line)) == name && last == Some(token)
}

/// The instruction at the target address of a branch.
pub(super) fn target_of(kernel: &KernelView<'_>, inst: usize) -> Vec<NavigationTarget> {
    let to = kernel.program().instructions[inst].target;
    let place = |to| target(kernel, to, &address_of(kernel.chunk, to));
    to.into_iter().map(|to| place(to as usize)).collect()
}

/// All branches to the address that a branch names, and the instruction at the address.
pub(super) fn references_to_target(
    kernel: &KernelView<'_>,
    inst: usize,
    origin: Range<usize>,
) -> Vec<Reference> {
    let Some(to) = kernel.program().instructions[inst].target else {
        return vec![Reference { range: origin, usage: Usage::Read }];
    };
    let there = target(kernel, to as usize, &address_of(kernel.chunk, to as usize)).selection;
    let mut found = vec![Reference { range: there, usage: Usage::Write }];
    for (from, inst) in kernel.program().instructions.iter().enumerate() {
        if inst.target == Some(to) {
            let tokens = kernel.chunk.tokens(kernel.text(from).tokens).iter();
            if let Some(token) = tokens.rev().find(|token| token.kind == TokenKind::Integer) {
                let range = target(kernel, from, token).selection;
                found.push(Reference { range, usage: Usage::Read });
            }
        }
    }
    found
}

/// Token of the address printed on an instruction's line, otherwise of the mnemonic.
fn address_of(chunk: &Chunk, inst: usize) -> Token {
    let instruction = &chunk.instructions()[inst];
    let tokens = chunk.line_tokens(instruction.line as usize);
    let address = tokens.first().filter(|token| token.kind == TokenKind::Address);
    *address.unwrap_or_else(|| chunk.mnemonic_token(instruction))
}

fn place(sass: &SassView, chunk: usize, line: usize, name: &Range<usize>) -> NavigationTarget {
    let range = sass.line_range(chunk, line);
    let selection = range.start + name.start..range.start + name.end;
    NavigationTarget { range, selection }
}

/// Offsets of a name in a list of targets. Only complete names match.
fn words(list: &str, name: &str) -> Vec<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let ends = |at: usize| !list.as_bytes().get(at).copied().is_some_and(is_part);
    let starts = |at: usize| at == 0 || !is_part(list.as_bytes()[at - 1]);
    let found = list.match_indices(name).map(|(at, _)| at);
    found.filter(|&at| starts(at) && ends(at + name.len())).collect()
}
