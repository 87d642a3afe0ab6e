//! Trip counts of loops, computed from the exit comparison of each loop.

use super::affine::{Affine, Symbol};
use super::forms::{FormId, Forms};
use super::term::{Op, read32};
use super::words::Relation;

/// Returns the number of iterations before the exiting iteration, which is the first iteration in which `condition`
/// equals `leaves_if`.
///
/// `None` if the condition depends on values other than the loop counter, if the loop never exits, or if a
/// value overflows 32 bits before the exit.
pub(super) fn passes_before(
    forms: &mut Forms,
    condition: FormId,
    leaves_if: bool,
    counter: Symbol,
) -> Option<u32> {
    if let Some(constant) = forms.as_constant(condition) {
        return ((constant != 0) == leaves_if).then_some(0);
    }
    let one = forms.constant32(1);
    let (term, leaves_if) = if let Some(term) = forms.as_term(condition) {
        (term, leaves_if)
    } else {
        let opposite = forms.add32(one, condition, -1)?;
        (forms.as_term(opposite)?, !leaves_if)
    };
    let (Op::Compare { relation, signed }, [a, b, _]) = term else { return None };
    let relation = if leaves_if { relation } else { relation.negated() };
    let a = LinearValue::from_affine(forms.affine(a), counter, signed)?;
    let b = LinearValue::from_affine(forms.affine(b), counter, signed)?;
    first(a, b, relation, signed)
}

/// A value that each iteration changes by the same amount.
#[derive(Debug, Clone, Copy)]
struct LinearValue {
    start: i64,
    step: i64,
}

impl LinearValue {
    fn from_affine(affine: &Affine, counter: Symbol, signed: bool) -> Option<Self> {
        let start = read32(affine.constant(), signed);
        match *affine.terms() {
            [] => Some(Self { start, step: 0 }),
            [(symbol, step)] if symbol == counter => Some(Self { start, step }),
            _ => None,
        }
    }

    fn at(self, pass: i64) -> i64 {
        self.start + self.step * pass
    }

    /// True if the value of iteration `pass` fits in a 32-bit integer, signed if `signed` is true.
    fn stays(self, pass: i64, signed: bool) -> bool {
        read32(self.at(pass), signed) == self.at(pass)
    }
}

/// Returns the index of the first iteration in which the relation between two linear values holds. `None` if it never
/// holds, or if a value no longer fits in 32 bits by then.
fn first(a: LinearValue, b: LinearValue, relation: Relation, signed: bool) -> Option<u32> {
    // The difference changes linearly: `gap` is the initial distance, `speed` the change per iteration.
    let (gap, speed) = (b.start - a.start, a.step - b.step);
    let pass = if relation.holds(a.start, b.start) {
        0
    } else {
        match relation {
            Relation::GreaterEqual if speed > 0 => ceiling(gap, speed),
            Relation::Greater if speed > 0 => gap.div_euclid(speed) + 1,
            Relation::LessEqual if speed < 0 => ceiling(-gap, -speed),
            Relation::Less if speed < 0 => (-gap).div_euclid(-speed) + 1,
            Relation::Equal if speed != 0 && gap % speed == 0 && gap / speed > 0 => gap / speed,
            Relation::NotEqual if speed != 0 => 1,
            _ => return None,
        }
    };
    (a.stays(pass, signed) && b.stays(pass, signed)).then(|| u32::try_from(pass).ok()).flatten()
}

fn ceiling(gap: i64, speed: i64) -> i64 {
    (gap + speed - 1).div_euclid(speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: u32 = 20_000;

    /// Counts the iterations by evaluating the relation in each of them.
    fn counted(a: LinearValue, b: LinearValue, relation: Relation, signed: bool) -> Option<u32> {
        (0..LONGEST).find(|&pass| {
            relation.holds(read32(a.at(pass.into()), signed), read32(b.at(pass.into()), signed))
        })
    }

    #[test]
    fn the_count_is_that_of_running_the_loop() {
        use Relation::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let mut known = 0;
        for relation in [Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater] {
            for signed in [false, true] {
                for start in [-7, 0, 1, 4, 63, 64] {
                    for step in [-3, -1, 0, 1, 4, 7] {
                        for bound in [-9, 0, 1, 60, 64, 1000] {
                            let a = LinearValue { start: read32(start, signed), step };
                            let b = LinearValue { start: read32(bound, signed), step: 0 };
                            let passes = first(a, b, relation, signed);
                            if let Some(passes) = passes.filter(|&passes| passes < LONGEST) {
                                assert_eq!(
                                    counted(a, b, relation, signed),
                                    Some(passes),
                                    "{a:?} {relation:?} {b:?}"
                                );
                                known += 1;
                            }
                        }
                    }
                }
            }
        }
        assert!(known > 1000, "{known} of 2592 are known");
    }
}
