//! Figures of work that a launch need not do, by the opcodes that it executed.

use super::count::Executed;
use super::figures::{Computed, Figures};
use super::stalls;

/// Instructions of divisions and remainders of integers: each has one conversion of a reciprocal that no other code has.
pub(super) fn integer_divisions(figures: &Figures<'_>) -> Option<Computed> {
    let is_one = |own: &Executed| own.mnemonic() == "F2I" && own.opcode.ends_with(".TRUNC.NTZ");
    let (share, source) = figures.share(|own| is_one(own) && own.opcode.contains("U32"))?;
    let each = figures.thresholds.known("division_instructions").value;
    Some(((share * each).min(100.0), source))
}

/// Instructions of functions that are computed exactly: each has an instruction by which it is known.
pub(super) fn special_work(figures: &Figures<'_>) -> Option<Computed> {
    let each = |name: &str| figures.thresholds.known(name).value;
    // A division checks its operands. Sine, cosine and powers find the nearest integer. Exponentials scale their argument.
    let (divisions, source) = figures.share_of("FCHK", |_| true)?;
    let is_nearest = |opcode: &str| opcode.contains(".NTZ") && !opcode.contains("TRUNC");
    let (reductions, _) = figures.share_of("F2I", is_nearest)?;
    // Rounding the argument down distinguishes it from the fast form, which has the exponential's instruction as well.
    let (exponentials, _) = figures.share_of("FFMA", |opcode| opcode.contains(".RM"))?;
    // A power also rounds an exponent.
    let (rounded, _) = figures.share_of("FRND", |opcode| opcode == "FRND")?;
    let work = divisions * each("exact_division_instructions")
        + reductions * each("reduction_instructions")
        + reductions.min(rounded) * each("power_instructions")
        + exponentials * each("exponential_instructions");
    Some((work.min(100.0), source))
}

/// The time left, in percent, where loads of bytes and halves take four values each: their waits are a quarter, or the work of
/// unpacking them goes.
pub(super) fn narrow_time(figures: &Figures<'_>) -> Option<Computed> {
    let work = figures.get("byte_work")?;
    let (narrow, all) = (figures.get("narrow_loads")?.value, figures.share_of("LDG", |_| true)?.0);
    let waits = stalls::of_warp_time(figures.launch, stalls::is_of_memory).unwrap_or(0.0);
    let waits = waits * figures.get("other_waits").map_or(1.0, |other| other.value / 100.0);
    let part = if all > 0.0 { (narrow / all).min(1.0) } else { 0.0 };
    let less = work.value.max(75.0 * part * waits);
    Some((100.0 - less.min(100.0), work.source))
}

/// The part of the accesses of memory that are of local memory, in percent.
pub(super) fn local_requests(figures: &Figures<'_>) -> Option<Computed> {
    const ALL: [&str; 6] = ["LDG", "STG", "LDL", "STL", "LDS", "STS"];
    let (all, source) = figures.share(|own| ALL.contains(&own.mnemonic()))?;
    let own = figures.get("local_accesses")?;
    (all > 0.0).then(|| (100.0 * own.value / all, source))
}
