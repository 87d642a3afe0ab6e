//! Figures about avoidable work of a launch, computed from its executed opcodes.

use super::count::OpcodeCount;
use super::figures::{Computed, Figures};
use super::stalls;

/// Percentage of executed instructions that belong to integer divisions. A division is recognised by a conversion
/// that only divisions contain.
pub(super) fn integer_divisions(figures: &Figures<'_>) -> Option<Computed> {
    let is_one = |own: &OpcodeCount| own.mnemonic() == "F2I" && own.opcode.ends_with(".TRUNC.NTZ");
    let (share, source) = figures.share(|own| is_one(own) && own.opcode.contains("U32"))?;
    let each = figures.thresholds.known("division_instructions").value;
    Some(((share * each).min(100.0), source))
}

/// Percentage of executed instructions that compute exact quotients, sines, cosines, powers and exponentials. Each
/// function is recognised by an instruction specific to it.
pub(super) fn special_work(figures: &Figures<'_>) -> Option<Computed> {
    let each = |name: &str| figures.thresholds.known(name).value;
    // A division checks its operands. Sine, cosine and powers find the nearest integer. Exponentials scale their argument.
    let (divisions, source) = figures.share_of("FCHK", |_| true)?;
    let is_nearest = |opcode: &str| opcode.contains(".NTZ") && !opcode.contains("TRUNC");
    let (reductions, _) = figures.share_of("F2I", is_nearest)?;
    // Rounding down the argument distinguishes the exact exponential from the fast form, which has the
    // exponential instruction as well.
    let (exponentials, _) = figures.share_of("FFMA", |opcode| opcode.contains(".RM"))?;
    // A power also rounds an exponent.
    let (rounded, _) = figures.share_of("FRND", |opcode| opcode == "FRND")?;
    let work = divisions * each("exact_division_instructions")
        + reductions * each("reduction_instructions")
        + reductions.min(rounded) * each("power_instructions")
        + exponentials * each("exponential_instructions");
    Some((work.min(100.0), source))
}

/// Percentage of the time that remains if each 8-bit or 16-bit load loads four values. Either the waits for
/// these loads fall to a quarter, or the unpacking instructions disappear.
pub(super) fn narrow_time(figures: &Figures<'_>) -> Option<Computed> {
    let work = figures.get("byte_work")?;
    let (narrow, all) = (figures.get("narrow_loads")?.value, figures.share_of("LDG", |_| true)?.0);
    let waits = stalls::of_warp_time(figures.launch, stalls::is_of_memory).unwrap_or(0.0);
    let waits = waits * figures.get("other_waits").map_or(1.0, |other| other.value / 100.0);
    let part = if all > 0.0 { (narrow / all).min(1.0) } else { 0.0 };
    let less = work.value.max(75.0 * part * waits);
    Some((100.0 - less.min(100.0), work.source))
}

/// Local-memory accesses as a percentage of all memory accesses.
pub(super) fn local_requests(figures: &Figures<'_>) -> Option<Computed> {
    const ALL: [&str; 6] = ["LDG", "STG", "LDL", "STL", "LDS", "STS"];
    let (all, source) = figures.share(|own| ALL.contains(&own.mnemonic()))?;
    let own = figures.get("local_accesses")?;
    (all > 0.0).then(|| (100.0 * own.value / all, source))
}
