//! Implications between predicates.

use crate::program::bound::{compared, joined_with};
use crate::{Bound, Guard, Inst, Program, Register, RegisterFile};
use smallvec::SmallVec;

/// Predicates whose truth implies a guard, tracked within a block.
///
/// Hand-scheduled kernels rely on such implications. Kernels in the vendor's libraries clear the guards of their
/// loads under the negation of the predicate of the loop's branch (`@!P1 R2P PR, RZ, 0x78`). They also set predicates
/// that are never both true. Loops in maxas code load if a counter is at least 32, and repeat if it is at least
/// 16. Other loops set such predicates in two steps, each combined with an earlier predicate (`ISETP.GE.AND P3,
/// PT, R2, 0x8, P1`).
#[derive(Debug, Default)]
pub(super) struct GuardImplications {
    /// Pairs of a predicate and a guard that is true wherever the predicate is true.
    known: Vec<(Register, Guard)>,
    /// Predicates, each with the register that was compared to set it, and the bound that the predicate
    /// implies for the register.
    bounds: Vec<(Register, Register, Bound)>,
}

impl GuardImplications {
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.bounds.clear();
    }

    /// Returns the guards that `guard` implies.
    pub(super) fn by(&self, guard: Option<Guard>) -> GuardSet {
        guard.into_iter().flat_map(|guard| self.all(guard).skip(1)).collect()
    }

    /// Returns a guard and all guards that it implies.
    fn all(&self, guard: Guard) -> impl Iterator<Item = Guard> {
        let known =
            self.known.iter().filter(move |(predicate, _)| !guard.negated && *predicate == guard.predicate);
        std::iter::once(guard).chain(known.map(|(_, implied)| *implied))
    }

    /// Updates the implications after an instruction.
    pub(super) fn pass(&mut self, program: &Program, inst: &Inst) {
        let is_predicate = |file| matches!(file, RegisterFile::Predicate | RegisterFile::UniformPredicate);
        let writes = program.writes(inst).iter().map(|write| write.register);
        let is_changed =
            |register: &Register| is_predicate(register.file) && !leaves(program, inst, *register);
        let results: SmallVec<[Register; 8]> = writes.filter(is_changed).collect();
        if !self.bounds.is_empty() {
            for write in program.writes(inst) {
                self.bounds.retain(|(predicate, compared, _)| {
                    *predicate != write.register && *compared != write.register
                });
            }
        }
        // `ISETP.GE.AND P3, PT, R2, 0x8, P1` is true only where `P1` is.
        let joined = inst.bound.filter(|bound| inst.guard.is_none() && !bound.is_exact);
        let joined = joined.and_then(|_| joined_with(program.reads(inst)));
        let joined: SmallVec<[Guard; 4]> = joined.into_iter().flat_map(|guard| self.all(guard)).collect();
        if !self.known.is_empty() {
            let clears = clears(program, inst);
            // A predicate that is written only where the guard holds keeps the implications of the guard.
            let by_guard: SmallVec<[Guard; 4]> =
                inst.guard.into_iter().flat_map(|guard| self.all(guard)).collect();
            self.known.retain(|(predicate, implied)| {
                let stays = clears || by_guard.contains(implied);
                !results.contains(&implied.predicate) && (!results.contains(predicate) || stays)
            });
        }
        match inst.guard {
            Some(guard) if clears(program, inst) => {
                let otherwise = Guard { negated: !guard.negated, ..guard };
                let all: SmallVec<[Guard; 4]> = self.all(otherwise).collect();
                for &register in &results {
                    self.known.extend(all.iter().map(|&implied| (register, implied)));
                }
            }
            None if inst.are_exclusive => {
                if let [one, other] = results[..] {
                    let not = |predicate| Guard { predicate, negated: true };
                    self.known.extend([(one, not(other)), (other, not(one))]);
                } else if let ([predicate], Some(bound)) = (&results[..], inst.bound)
                    && let Some(register) = compared(program.reads(inst))
                {
                    let joined = joined.iter().filter(|joined| joined.predicate != *predicate);
                    self.known.extend(joined.map(|&joined| (*predicate, joined)));
                    self.compare(*predicate, register, bound);
                }
            }
            _ => {}
        }
    }

    /// Adds a comparison of a register, and the implications between this comparison and earlier comparisons
    /// of the same value.
    fn compare(&mut self, predicate: Register, register: Register, bound: Bound) {
        let guard = |predicate, negated| Guard { predicate, negated };
        for &(earlier, _, known) in self.bounds.iter().filter(|(_, compared, _)| *compared == register) {
            let implications = [(predicate, bound, earlier, known), (earlier, known, predicate, bound)];
            for (one, own, other, others) in implications {
                if others.is_exact && others.holds(own) {
                    self.known.push((one, guard(other, false)));
                } else if !others.meets(own) {
                    self.known.push((one, guard(other, true)));
                }
            }
        }
        self.bounds.push((predicate, register, bound));
    }
}

/// A set of guards, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct GuardSet(u32);

impl GuardSet {
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn contains(self, guard: Guard) -> bool {
        self.0 & bit(guard) != 0
    }

    pub(super) const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Removes the guards `@P` and `@!P` of a predicate register.
    pub(super) fn remove(&mut self, predicate: Register) {
        self.0 &= !(bit(Guard { predicate, negated: false }) | bit(Guard { predicate, negated: true }));
    }
}

impl FromIterator<Guard> for GuardSet {
    fn from_iter<I: IntoIterator<Item = Guard>>(guards: I) -> Self {
        Self(guards.into_iter().fold(0, |bits, guard| bits | bit(guard)))
    }
}

/// Returns the bit of a guard in a [`GuardSet`]; 0 for a guard that no set contains, because its predicate does not
/// exist.
fn bit(Guard { predicate: Register { file, index }, negated }: Guard) -> u32 {
    const PREDICATES: u16 = 8; // limit: three bits of an encoding name a predicate
    let group = match file {
        RegisterFile::Predicate => u16::from(negated),
        RegisterFile::UniformPredicate => 2 + u16::from(negated),
        _ => return 0,
    };
    if index < PREDICATES { 1 << (group * PREDICATES + index) } else { 0 }
}

/// True if the instruction writes the predicate but cannot change it: the instruction clears only lanes in
/// which the predicate is already false.
pub(super) fn leaves(program: &Program, inst: &Inst, register: Register) -> bool {
    inst.guard == Some(Guard { predicate: register, negated: true }) && clears(program, inst)
}

/// True if an instruction clears predicates: `R2P PR, RZ, 0x78`.
fn clears(program: &Program, inst: &Inst) -> bool {
    let form = inst.opcode.map(|opcode| program.arch.isa.form(opcode));
    let reads_value = || program.reads(inst).iter().any(|read| read.register.file == RegisterFile::General);
    form.is_some_and(|form| &*form.mnemonic == "R2P") && !reads_value() && inst.first_source > 0
}

#[cfg(test)]
mod tests {
    use crate::{fixture, hazards};

    #[test]
    fn a_guard_excludes_the_opposites_of_all_guards_that_it_implies() {
        let is_pair = |reader: &str| {
            let lines = [
                "ISETP.GE.AND P0, PT, R2, 0x8, PT",
                "ISETP.GE.AND P1, PT, R3, 0x8, P0",
                "ISETP.GE.AND P2, PT, R4, 0x8, P1",
                "ISETP.GE.AND P3, PT, R5, 0x8, P2",
                "@P3 LDG.E R8, [R6.64]",
                reader,
                "EXIT",
            ];
            let mut is_pair = false;
            let program = fixture::decode(90, &lines);
            hazards::pairs(&program, |pair| is_pair |= (pair.first, pair.second) == (4, 5));
            is_pair
        };
        for predicate in ["P0", "P1", "P2", "P3"] {
            assert!(!is_pair(&format!("@!{predicate} MOV R9, R8")), "{predicate}");
            assert!(is_pair(&format!("@{predicate} MOV R9, R8")), "{predicate}");
        }
    }
}
