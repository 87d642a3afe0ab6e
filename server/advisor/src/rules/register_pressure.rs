//! More live values than registers per thread.

use super::low_occupancy::{number, threads};
use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Body;

pub(super) const RULE: Rule = Rule {
    code: "register-pressure",
    rank: 420,
    group: Group::Occupancy,
    severity: Severity::Hint,
    summary: "More live values than registers per thread: some are likely to be spilled to local memory.",
    page: include_str!("register_pressure.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(body) = subject.fast_body().filter(|body| body.flow.is_whole()) else { return };
    let (most, why) = budget(subject);
    // A function with fewer registers than the limit cannot exceed it.
    if body.registers.all().len() <= most as usize / 2 {
        return;
    }
    let Some((live, at)) = peak(subject, body).filter(|(live, _)| *live > most) else { return };
    let message = format!(
        "about {live} registers are live here, but a thread has {most} ({why}): ptxas is likely to spill to local \
         memory. Estimated: ptxas reorders instructions and needs some registers itself"
    );
    findings.push(Finding::new(RULE.code, body.opcode_range(at), message));
}

/// Maximum registers per thread, and the source of the limit.
fn budget(subject: &Subject<'_>) -> (u32, String) {
    let resources = &subject.gpu.arch.resources;
    let mut best =
        (resources.max_registers_per_thread.value, format!("the limit of sm_{}", subject.gpu.arch.sm));
    if let Some(most) = number(subject, ".maxnreg").filter(|most| *most < best.0) {
        best = (most, "`.maxnreg`".to_owned());
    }
    if let Some(threads) = threads(subject).filter(|threads| *threads > 0) {
        let blocks = number(subject, ".minnctapersm").unwrap_or(1).max(1);
        let all = threads.saturating_mul(blocks);
        let unit = resources.register_unit_per_warp.value / resources.warp_size.max(1);
        let most = resources.registers.value / all / unit.max(1) * unit.max(1);
        if most > 0 && most < best.0 {
            best = (most, format!("{all} threads share {}", resources.registers.value));
        }
    }
    best
}

/// The highest number of simultaneously live 32-bit registers, and the instruction after which it occurs;
/// `None` for a function without registers.
fn peak(subject: &Subject<'_>, body: &Body<'_>) -> Option<(u32, u32)> {
    let sizes: Vec<u32> = body
        .registers
        .all()
        .iter()
        .map(|register| {
            let symbol = &body.names.symbols()[register.symbol as usize];
            let ty = symbol.type_word(body.item).and_then(|word| subject.tables.type_of(word));
            // Predicates are in a separate register file.
            let bits = ty.map_or(32, |ty| u32::from(ty.bits)) * u32::from(symbol.vector);
            if bits < 8 { 0 } else { bits.div_ceil(32) }
        })
        .collect();
    let blocks =
        (0..body.flow.blocks().len() as u32).filter(|&at| body.flow.blocks()[at as usize].is_reached);
    let mut found: Option<(u32, u32)> = None;
    for block in blocks {
        body.liveness().count(&body.flow, &body.registers, block, &sizes, |instruction, live| {
            if found.is_none_or(|(most, _)| live > most) {
                found = Some((live, instruction));
            }
        });
    }
    found
}
