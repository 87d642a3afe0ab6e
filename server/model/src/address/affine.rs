//! Affine forms: a constant plus multiples of what a kernel's code cannot change.

/// A quantity that an affine form counts multiples of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    TidX,
    TidY,
    TidZ,
    /// The lane within its warp, 0 to 31.
    Lane,
    CtaidX,
    CtaidY,
    CtaidZ,
    /// The passes of a loop before this one: 0 in the first. By the index of the branch that leads back to the loop's head.
    Loop(u32),
    /// The 32 bits at that offset of constant bank 0: what the driver puts there, and the launch's parameters.
    Param(u32),
    /// The 64 bits at that offset of constant bank 0: mostly a pointer.
    Pointer(u32),
    /// Not known, but the same in all lanes of a warp: numbered within the kernel.
    Opaque(u32),
    /// A value computed from other symbols that is no sum of them.
    ///
    /// [`Addresses::evaluate`](super::Addresses::evaluate) computes it.
    Term(u32),
}

/// `constant + sum of coefficient * symbol`, modulo 2^32 for what a register holds and 2^64 for what a pair does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Affine {
    pub(super) constant: i64,
    /// Coefficients by symbol; none is 0.
    pub(super) terms: Box<[(Symbol, i64)]>,
}

impl Affine {
    /// Returns the term that has no symbol.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// Ascending by symbol; no coefficient is 0.
    pub fn terms(&self) -> &[(Symbol, i64)] {
        &self.terms
    }

    /// 0 for a symbol that the form does not have.
    pub fn coefficient(&self, symbol: Symbol) -> i64 {
        self.terms.iter().find(|term| term.0 == symbol).map_or(0, |term| term.1)
    }

    /// The form without its multiples of a symbol.
    #[must_use]
    pub fn without(&self, symbol: Symbol) -> Self {
        let kept = self.terms.iter().copied().filter(|term| term.0 != symbol);
        Self { constant: self.constant, terms: kept.collect() }
    }

    pub(super) fn of_constant(constant: i64) -> Self {
        Self { constant, terms: Box::default() }
    }

    pub(super) fn of_symbol(symbol: Symbol) -> Self {
        Self { constant: 0, terms: Box::new([(symbol, 1)]) }
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, other: &Self, factor: i64) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (symbol, coefficient) = match (left.peek(), right.peek()) {
                (Some(&&(a, x)), Some(&&(b, _))) if a < b => {
                    left.next();
                    (a, x)
                }
                (Some(&&(a, x)), Some(&&(b, y))) if a == b => {
                    left.next();
                    right.next();
                    (a, x.wrapping_add(y.wrapping_mul(factor)))
                }
                (_, Some(&&(b, y))) => {
                    right.next();
                    (b, y.wrapping_mul(factor))
                }
                (Some(&&(a, x)), None) => {
                    left.next();
                    (a, x)
                }
                (None, None) => break,
            };
            if coefficient != 0 {
                terms.push((symbol, coefficient));
            }
        }
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        Self { constant, terms: terms.into() }
    }

    /// Each symbol's coefficient anew; the constant as it is.
    pub(super) fn map(&self, mut each: impl FnMut(Symbol, i64) -> (Symbol, i64)) -> Self {
        let mut terms: Vec<(Symbol, i64)> = self.terms.iter().map(|&(s, c)| each(s, c)).collect();
        terms.sort_unstable_by_key(|term| term.0);
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.wrapping_add(next.1);
            }
            same
        });
        terms.retain(|term| term.1 != 0);
        Self { constant: self.constant, terms: terms.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_drops_what_cancels() {
        let x = Affine::of_symbol(Symbol::TidX);
        let y = Affine::of_symbol(Symbol::TidY).plus(&Affine::of_constant(3), 1);
        let sum = y.plus(&x, 4);
        assert_eq!(sum.terms(), [(Symbol::TidX, 4), (Symbol::TidY, 1)]);
        assert_eq!(sum.plus(&x, -4), y);
        assert_eq!((sum.constant(), sum.coefficient(Symbol::TidX), sum.coefficient(Symbol::Lane)), (3, 4, 0));
    }
}
