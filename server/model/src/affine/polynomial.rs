//! Affine forms of products of symbols, such as `row * width + column` where the width is unknown.

use super::Affine;
use smallvec::SmallVec;

/// A product of symbols in ascending order. A symbol may occur more than once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Product<S>(SmallVec<[S; 2]>);

/// A sum of products of symbols.
pub(crate) type Polynomial<S> = Affine<Product<S>>;

// limit: hand-written code multiplies fewer factors and sums fewer products; longer forms cost only time.
const MAX_FACTORS: usize = 6;
const MAX_PRODUCTS: usize = 64; // limit: as above

impl<S: Ord + Clone> Product<S> {
    pub(crate) fn symbols(&self) -> &[S] {
        &self.0
    }
}

impl<S: Ord + Clone> Polynomial<S> {
    /// Returns the form that consists of one symbol with coefficient 1.
    pub(crate) fn of_symbol(symbol: S) -> Self {
        Self::from_symbol(Product(SmallVec::from_iter([symbol])))
    }

    /// Iterates over the symbols of all products. A symbol is repeated as often as it occurs.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = &S> {
        self.terms().iter().flat_map(|(product, _)| product.symbols())
    }

    /// Returns the coefficient of the product that consists of only this symbol; 0 if the form has no such
    /// product.
    pub(crate) fn multiples(&self, symbol: &S) -> i64 {
        let is_own = |(product, _): &&(Product<S>, i64)| product.symbols() == std::slice::from_ref(symbol);
        self.terms().iter().find(is_own).map_or(0, |term| term.1)
    }

    /// `self * other`; `None` on overflow or if the result exceeds `MAX_FACTORS` or `MAX_PRODUCTS`.
    pub(crate) fn multiply(&self, other: &Self) -> Option<Self> {
        let mut sum = other.times(self.constant())?;
        for (one, factor) in self.terms() {
            let products = other.terms().iter().map(|(other, more)| {
                let mut all = one.0.clone();
                all.extend(other.0.iter().cloned());
                all.sort_unstable();
                (all.len() <= MAX_FACTORS).then_some((Product(all), factor.checked_mul(*more)?))
            });
            let products = products.collect::<Option<Vec<_>>>()?;
            let own = (one.clone(), factor.checked_mul(other.constant())?);
            sum = sum.plus(&Self::collect(0, products.into_iter().chain([own]))?, 1)?;
        }
        (sum.terms().len() <= MAX_PRODUCTS).then_some(sum)
    }

    /// Replaces a symbol with the form `by`. `None` on overflow, if a product contains the symbol twice, or
    /// if [`Self::multiply`] fails.
    pub(crate) fn substitute(&self, symbol: &S, by: &Self) -> Option<Self> {
        let (slope, rest) = self.split(symbol)?;
        rest.plus(&slope.multiply(by)?, 1)
    }

    /// Splits the form into `slope * symbol + rest`, where neither `slope` nor `rest` contains the symbol.
    /// `None` if a product contains the symbol twice.
    pub(crate) fn split(&self, symbol: &S) -> Option<(Self, Self)> {
        let (mut slope, mut constant) = (Vec::new(), 0);
        let mut rest = Vec::new();
        for (product, factor) in self.terms() {
            let others: SmallVec<[S; 2]> = product.0.iter().filter(|own| *own != symbol).cloned().collect();
            match product.0.len() - others.len() {
                0 => rest.push((product.clone(), *factor)),
                1 if others.is_empty() => constant = *factor,
                1 => slope.push((Product(others), *factor)),
                _ => return None,
            }
        }
        Some((Self::collect(constant, slope)?, Self::collect(self.constant(), rest)?))
    }
}
