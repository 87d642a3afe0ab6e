//! Two instructions that are marked for dual issue but cannot issue together.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use machine::Hardware;
use model::{Register, TokenKind};
use syntax::sass::{Encoding, SmVersion};

pub(super) const RULE: Rule = Rule {
    code: "impossible-pair",
    rank: 180,
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "Two instructions marked for dual issue that cannot issue together (Kepler, Maxwell, Pascal).",
    page: include_str!("impossible_pair.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if !Hardware::builtin().issues_pairs(codes.program.arch.sm) {
        return;
    }
    for (at, inst) in codes.instructions() {
        let second = at + 1;
        let is_pair = inst.dual && inst.control.is_some() && second < codes.program.instructions.len() as u32;
        if !is_pair
            || !codes.is_final(at)
            || codes.mnemonic(at) == "NOP"
            || !codes.reads_all(&(at..second + 1))
        {
            continue;
        }
        if let Some(why) = obstacle(codes, at, second) {
            let message = format!("cannot dual-issue with {}: {why}", codes.mnemonic(second));
            let related = [(second, "the second of the pair".to_owned())];
            findings.push(Codes::finding(RULE.code, at, codes.at_code(at), message, related));
        }
    }
}

fn obstacle(codes: &Codes<'_>, first: u32, second: u32) -> Option<String> {
    let program = codes.program;
    let registers =
        |accesses: &[model::Access]| accesses.iter().map(|access| access.register).collect::<Vec<Register>>();
    let written = registers(program.writes(codes.inst(first)));
    // A variable-latency result is written after the result of the first instruction, like the result of a
    // later instruction.
    let lands_later =
        codes.inst(second).class.is_some_and(|class| !program.arch.class(class).latency.is_fixed());
    let mut touched = registers(program.reads(codes.inst(second)));
    if !lands_later {
        touched.extend(registers(program.writes(codes.inst(second))));
    }
    // No lane executes two instructions guarded by a predicate and its complement, unless the first
    // instruction writes the predicate.
    let guards = codes.inst(first).guard.zip(codes.inst(second).guard);
    let are_exclusive = guards.is_some_and(|(one, other)| {
        one.predicate == other.predicate && one.negated != other.negated && !written.contains(&one.predicate)
    });
    let collides = |register: &&Register| touched.contains(register) && !are_exclusive;
    if let Some(register) = written.iter().find(collides) {
        return Some(format!("the first writes {}, which the second accesses", codes.register(*register)));
    }
    if SmVersion::new(program.arch.sm).encoding() == Encoding::Kepler {
        let address = codes.chunk.instructions()[first as usize].address?;
        return Encoding::Kepler
            .ends_control_group(address)
            .then(|| "they belong to different control words".to_owned());
    }
    let packs = |inst| matches!(codes.mnemonic(inst), "P2R" | "R2P");
    if packs(first) || packs(second) {
        return Some("P2R and R2P issue alone".to_owned());
    }
    let reads_constant = |inst: u32| {
        let tokens = codes.chunk.tokens(codes.chunk.instructions()[inst as usize].tokens);
        tokens.iter().any(|token| token.kind == TokenKind::ConstantBank)
    };
    if reads_constant(first) && reads_constant(second) {
        return Some("both read a constant bank".to_owned());
    }
    let unit = |inst: u32| {
        codes.inst(inst).class.and_then(|class| program.arch.unit_of(class)).map(|unit| unit.kind.name())
    };
    match (unit(first), unit(second)) {
        (Some(one), Some(other)) if one == other && !shares_its_unit(codes, first, second) => {
            Some(format!("both need {one}"))
        }
        _ => None,
    }
}

/// True if compilers pair these two instructions although one unit executes both. Such pairs are `DADD`, `DMUL` or
/// `DFMA` with a comparison of doubles, a conversion with `MUFU`, or a 64-bit conversion with another conversion.
/// Source: all 605 pairs of one unit in kernels of `CuPy` and JAX for `sm_50` to `sm_61`; 34 pairs of two conversions
/// in `MXNet`, torchvision and `CatBoost` for `sm_60` and `sm_61`.
fn shares_its_unit(codes: &Codes<'_>, first: u32, second: u32) -> bool {
    let converts = |inst| matches!(codes.mnemonic(inst), "F2F" | "F2I" | "I2F" | "I2I");
    match codes.mnemonic(second) {
        "DSETP" | "DSET" | "DMNMX" => matches!(codes.mnemonic(first), "DADD" | "DMUL" | "DFMA"),
        "MUFU" => converts(first),
        _ => converts(first) && converts(second) && codes.inst(first).class != codes.inst(second).class,
    }
}
