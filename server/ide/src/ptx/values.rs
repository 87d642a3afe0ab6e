//! Reaching definitions of a register read.

use crate::ptx::view::View;
use model::ptx::{Body, Meaning, Names, Use, UseKind};
use syntax::ptx::Item;

/// Maximum number of instructions in a function for which one request analyses the control flow.
pub(super) const MAX_INSTRUCTIONS: usize = 4000; // limit: a hover must not wait

/// Writes whose value a register read may return.
pub(super) enum ReachingWrites {
    /// Token indices of the reaching writes, in text order; empty if no write reaches the read.
    Known(Vec<u32>),
    /// Token indices of all writes of the register, in text order. Used if the function is too long or
    /// has errors.
    Any(Vec<u32>),
}

impl ReachingWrites {
    pub(super) fn tokens(&self) -> &[u32] {
        let (Self::Known(tokens) | Self::Any(tokens)) = self;
        tokens
    }
}

pub(super) const fn is_write(kind: UseKind) -> bool {
    matches!(kind, UseKind::Write | UseKind::ReadWrite)
}

/// Writes whose value a read may return; `None` if the token is not a register read.
pub(super) fn origins(view: &View<'_>, item: &Item, names: &Names, token: u32) -> Option<ReachingWrites> {
    let used = names.use_at(token).filter(|used| matches!(used.kind, UseKind::Read | UseKind::ReadWrite))?;
    let writes = names.uses().iter().filter(|other| other.what == used.what && is_write(other.kind));
    let writes: Vec<u32> = writes.map(|other| other.token).collect();
    let statement = item.statement_at(item.tokens().get(token as usize)?.start)?;
    let from = item.statements()[statement].tokens.start;
    let is_certain = item.errors().is_empty() && writes.len() <= 1;
    if is_certain && writes.iter().all(|&write| write < from) {
        return Some(ReachingWrites::Known(writes));
    }
    let known = followed(view, item, names, used, statement);
    Some(known.map_or(ReachingWrites::Any(writes), ReachingWrites::Known))
}

fn followed(view: &View<'_>, item: &Item, names: &Names, used: &Use, statement: usize) -> Option<Vec<u32>> {
    let Meaning::Symbol(symbol, number) = used.what else { return None };
    if !item.errors().is_empty() || item.instructions().nth(MAX_INSTRUCTIONS).is_some() {
        return None;
    }
    let body = Body::new(item, names, &view.table).filter(|body| body.flow.is_whole())?;
    let instruction = body.flow.node_of(statement as u32)?;
    let mut registers = body.registers.all().iter();
    let register = registers.position(|one| one.symbol == symbol && one.number == number)? as u32;
    let definitions = body.definitions();
    let reaching = definitions.reaching(&body.flow, instruction, register);
    let mut tokens: Vec<u32> = Vec::new();
    for definition in reaching {
        let writer = definitions.all().get(definition as usize)?.instruction;
        tokens.extend(
            body.registers.writes(writer).filter(|touch| touch.register == register).map(|touch| touch.token),
        );
    }
    tokens.sort_unstable();
    tokens.dedup();
    Some(tokens)
}
