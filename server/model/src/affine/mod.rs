//! Affine forms: a constant plus symbols with integer coefficients. The symbol type is generic.
//!
//! Forms of SASS addresses ([`crate::address`]) use thread indices and registers as symbols. The arithmetic
//! on these forms wraps modulo 2^64. Forms of CUDA expressions (`crate::cuda`) use products of indices and
//! unknown sizes as symbols ([`Polynomial`]). The arithmetic on these forms is checked: an overflow yields
//! `None`.

mod polynomial;
#[cfg(test)]
mod tests;

pub(crate) use polynomial::Polynomial;

/// `constant + sum of coefficient * symbol`, in 64-bit integers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Affine<S> {
    constant: i64,
    /// Coefficients in ascending order of their symbols. No coefficient is 0.
    terms: Box<[(S, i64)]>,
}

impl<S> Default for Affine<S> {
    fn default() -> Self {
        Self::from_constant(0)
    }
}

impl<S> Affine<S> {
    pub(crate) fn from_constant(constant: i64) -> Self {
        Self { constant, terms: Box::default() }
    }

    /// Returns the form that consists of one symbol with coefficient 1.
    pub(crate) fn from_symbol(symbol: S) -> Self {
        Self { constant: 0, terms: Box::new([(symbol, 1)]) }
    }

    /// Returns the constant term.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// Returns the symbols with their coefficients, in ascending order of the symbols. No coefficient is 0.
    pub fn terms(&self) -> &[(S, i64)] {
        &self.terms
    }

    /// Returns the value of a form without symbols; `None` if the form has a symbol.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the least and the greatest value of the form. `of` returns the bounds of a symbol. `None` if a
    /// symbol has no bounds. The result saturates at the limits of `i64`.
    pub(crate) fn range(&self, of: impl Fn(&S) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
        self.terms.iter().try_fold((self.constant, self.constant), |sum, (symbol, coefficient)| {
            let (least, most) = of(symbol)?;
            let (one, other) = (least.saturating_mul(*coefficient), most.saturating_mul(*coefficient));
            Some((sum.0.saturating_add(one.min(other)), sum.1.saturating_add(one.max(other))))
        })
    }
}

impl<S: Ord + Clone> Affine<S> {
    /// Builds a form from terms in any order, adding the coefficients of equal symbols; `None` on overflow.
    pub(crate) fn collect(constant: i64, terms: impl IntoIterator<Item = (S, i64)>) -> Option<Self> {
        merged(constant, terms, i64::checked_add)
    }

    /// Builds a form from terms in any order, adding the coefficients of equal symbols modulo 2^64.
    pub(crate) fn wrapping_collect(constant: i64, terms: impl IntoIterator<Item = (S, i64)>) -> Self {
        merged(constant, terms, |one, other| Some(one.wrapping_add(other))).unwrap_or_default()
    }

    /// Returns the coefficient of a symbol; 0 if the form does not contain the symbol.
    pub fn coefficient(&self, symbol: &S) -> i64 {
        self.terms.iter().find(|term| term.0 == *symbol).map_or(0, |term| term.1)
    }

    /// Returns the form without the term of a symbol.
    #[must_use]
    pub fn without(&self, symbol: &S) -> Self {
        let kept = self.terms.iter().filter(|term| term.0 != *symbol).cloned();
        Self { constant: self.constant, terms: kept.collect() }
    }

    /// `self + factor * other`; `None` on overflow.
    pub(crate) fn plus(&self, other: &Self, factor: i64) -> Option<Self> {
        self.joined(other, |one, more| one.checked_add(more.checked_mul(factor)?))
    }

    /// `self + factor * other` modulo 2^64, like register arithmetic.
    pub(crate) fn wrapping_plus(&self, other: &Self, factor: i64) -> Self {
        self.joined(other, |one, more| Some(one.wrapping_add(more.wrapping_mul(factor)))).unwrap_or_default()
    }

    /// `factor * self`; `None` on overflow.
    pub(crate) fn times(&self, factor: i64) -> Option<Self> {
        Self::default().plus(self, factor)
    }

    /// Returns the factor for which `self == factor * other`; `None` if no integer satisfies the equation or
    /// if the factor is 0.
    pub(crate) fn quotient(&self, other: &Self) -> Option<i64> {
        let (own, others) = match (self.terms.first(), other.terms.first()) {
            (Some(own), Some(others)) if own.0 == others.0 => (own.1, others.1),
            (None, None) => (self.constant, other.constant),
            _ => return None,
        };
        let factor = own.checked_div(others).filter(|factor| *factor != 0)?;
        (other.times(factor)? == *self).then_some(factor)
    }

    /// Replaces a symbol with the form `by`, modulo 2^64.
    pub(crate) fn wrapping_substitute(&self, symbol: &S, by: &Self) -> Self {
        self.without(symbol).wrapping_plus(by, self.coefficient(symbol))
    }

    /// Evaluates the form modulo 2^64. `value` returns the value of a symbol. `None` if `value` returns
    /// `None` for any symbol of the form.
    pub(crate) fn wrapping_evaluate(&self, value: impl Fn(&S) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(self.constant, |sum, (symbol, coefficient)| {
            Some(sum.wrapping_add(coefficient.wrapping_mul(value(symbol)?)))
        })
    }

    /// Merges two forms. `join` combines the two coefficients of a symbol, or the two constants.
    fn joined(&self, other: &Self, join: impl Fn(i64, i64) -> Option<i64>) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (symbol, coefficient) = match (left.peek(), right.peek()) {
                (Some((a, x)), Some((b, y))) if a == b => {
                    left.next();
                    right.next();
                    (a, join(*x, *y)?)
                }
                (Some((a, x)), None) => {
                    left.next();
                    (a, *x)
                }
                (Some((a, x)), Some((b, _))) if a < b => {
                    left.next();
                    (a, *x)
                }
                (_, Some((b, y))) => {
                    right.next();
                    (b, join(0, *y)?)
                }
                (None, None) => break,
            };
            if coefficient != 0 {
                terms.push((symbol.clone(), coefficient));
            }
        }
        Some(Self { constant: join(self.constant, other.constant)?, terms: terms.into() })
    }
}

fn merged<S: Ord>(
    constant: i64,
    terms: impl IntoIterator<Item = (S, i64)>,
    add: impl Fn(i64, i64) -> Option<i64>,
) -> Option<Affine<S>> {
    let mut all: Vec<(S, i64)> = terms.into_iter().collect();
    all.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let mut terms: Vec<(S, i64)> = Vec::with_capacity(all.len());
    for (symbol, coefficient) in all {
        match terms.last_mut().filter(|last| last.0 == symbol) {
            Some(last) => last.1 = add(last.1, coefficient)?,
            None => terms.push((symbol, coefficient)),
        }
    }
    terms.retain(|term| term.1 != 0);
    Some(Affine { constant, terms: terms.into() })
}
