//! Unknown numbers that all lanes of a warp share.

use rustc_hash::FxHashMap;
use syntax::cuda::BinaryOp;

/// Index in [`Symbols`] of an unknown number that all lanes share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct UniformSymbol(u32);

/// Origin of an unknown number. Numbers with the same origin are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// A parameter or a translation-unit variable, identified by name.
    Named(String),
    /// A value loaded from memory, identified by the number of the load.
    Loaded(u64),
    Sum(UniformSymbol, UniformSymbol),
    Scaled(UniformSymbol, i64),
    /// An operation on two operands.
    Operation(BinaryOp, Operand, Operand),
}

/// An operand that all lanes share: an optional symbol plus a constant.
pub(crate) type Operand = (Option<UniformSymbol>, i64);

#[derive(Debug)]
struct Facts {
    /// Known divisor of the number.
    multiple: i64,
    /// True for a size. A size is positive and larger than any index.
    is_size: bool,
}

/// Symbols of a kernel run: unknown numbers that all lanes of a warp share.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    by_origin: FxHashMap<Origin, UniformSymbol>,
    facts: Vec<Facts>,
    origins: Vec<Origin>,
}

impl Symbols {
    fn intern(&mut self, origin: Origin, facts: Facts) -> UniformSymbol {
        let next = UniformSymbol(self.facts.len() as u32);
        let symbol = *self.by_origin.entry(origin.clone()).or_insert(next);
        if symbol == next {
            self.facts.push(facts);
            self.origins.push(origin);
        }
        symbol
    }

    /// Returns the symbol of a named value that is unknown. The value is assumed to be a size, as most kernel
    /// parameters are.
    pub(crate) fn named(&mut self, name: &str) -> UniformSymbol {
        self.intern(Origin::Named(name.to_owned()), Facts { multiple: 1, is_size: true })
    }

    /// Returns the symbol of a named value that is unknown and no size.
    pub(crate) fn flag(&mut self, name: &str) -> UniformSymbol {
        self.intern(Origin::Named(name.to_owned()), Facts { multiple: 1, is_size: false })
    }

    pub(crate) fn loaded(&mut self, place: u64) -> UniformSymbol {
        self.intern(Origin::Loaded(place), Facts { multiple: 1, is_size: false })
    }

    pub(crate) fn sum(&mut self, one: UniformSymbol, other: UniformSymbol) -> UniformSymbol {
        let (one, other) = if one.0 <= other.0 { (one, other) } else { (other, one) };
        let facts = Facts {
            multiple: gcd(self.multiple(one), self.multiple(other)),
            is_size: self.is_size(one) && self.is_size(other),
        };
        self.intern(Origin::Sum(one, other), facts)
    }

    /// Returns the sum of two optional symbols; `None` if both are absent.
    pub(crate) fn joined(
        &mut self,
        one: Option<UniformSymbol>,
        other: Option<UniformSymbol>,
    ) -> Option<UniformSymbol> {
        match (one, other) {
            (Some(one), Some(other)) => Some(self.sum(one, other)),
            (one, other) => one.or(other),
        }
    }

    /// Returns a symbol times a constant; `None` if the constant is 0.
    pub(crate) fn scaled(&mut self, of: UniformSymbol, times: i64) -> Option<UniformSymbol> {
        match times {
            0 => None,
            1 => Some(of),
            _ => {
                let multiple = self.multiple(of).checked_mul(times.checked_abs().unwrap_or(1)).unwrap_or(1);
                let facts = Facts { multiple, is_size: times > 0 && self.is_size(of) };
                Some(self.intern(Origin::Scaled(of, times), facts))
            }
        }
    }

    pub(crate) fn operation(&mut self, op: BinaryOp, left: Operand, right: Operand) -> UniformSymbol {
        // limit: a size divided by at most this much still counts as a size.
        const FEW: i64 = 4096;
        let is_few = right.0.is_none() && right.1 <= FEW;
        let is_share = matches!(op, BinaryOp::Divide | BinaryOp::ShiftRight) && is_few;
        let is_product = op == BinaryOp::Multiply && right.0.is_some_and(|right| self.is_size(right));
        let is_size = (is_share || is_product) && left.0.is_some_and(|left| self.is_size(left));
        self.intern(Origin::Operation(op, left, right), Facts { multiple: 1, is_size })
    }

    /// Splits a symbol into an unscaled symbol and a constant factor. The factor is 1 unless the symbol is
    /// scaled.
    pub(crate) fn factored(&self, of: UniformSymbol) -> (UniformSymbol, i64) {
        match self.origins[of.0 as usize] {
            Origin::Scaled(inner, times) => {
                let (inner, more) = self.factored(inner);
                (inner, times.wrapping_mul(more))
            }
            _ => (of, 1),
        }
    }

    /// Returns the symbol as a source expression; `None` if the symbol contains anything other than sums and
    /// products of named values.
    pub(crate) fn in_words(&self, of: UniformSymbol) -> Option<String> {
        let operand = |(symbol, more): Operand| match (symbol, more) {
            (None, more) => Some(more.to_string()),
            (Some(symbol), 0) => self.in_words(symbol),
            (Some(symbol), more) => {
                let sign = if more < 0 { '-' } else { '+' };
                Some(format!("({} {sign} {})", self.in_words(symbol)?, more.unsigned_abs()))
            }
        };
        match &self.origins[of.0 as usize] {
            Origin::Named(name) => Some(name.clone()),
            Origin::Sum(one, other) => {
                Some(format!("({} + {})", self.in_words(*one)?, self.in_words(*other)?))
            }
            Origin::Scaled(symbol, times) => Some(format!("{times} * {}", self.in_words(*symbol)?)),
            Origin::Operation(BinaryOp::Multiply, left, right) => {
                Some(format!("{} * {}", operand(*left)?, operand(*right)?))
            }
            Origin::Loaded(_) | Origin::Operation(..) => None,
        }
    }

    pub(crate) fn multiple(&self, of: UniformSymbol) -> i64 {
        self.facts[of.0 as usize].multiple
    }

    pub(crate) fn is_size(&self, of: UniformSymbol) -> bool {
        self.facts[of.0 as usize].is_size
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a.max(1)).unwrap_or(1)
}
