//! Laws of affine forms and of polynomials.

use super::polynomial::Product;
use super::{Affine, Polynomial};
use proptest::prelude::*;
use std::fmt;

type Form = Affine<char>;

fn form(constant: i64, terms: &[(char, i64)]) -> Form {
    Form::collect(constant, terms.iter().copied()).unwrap()
}

fn symbol(name: char) -> Polynomial<char> {
    Polynomial::of_symbol(name)
}

/// Prints a form such as `4 * x - y + 3`.
impl<S: fmt::Display> fmt::Display for Affine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (symbol, coefficient)) in self.terms.iter().enumerate() {
            let sign = match (at, *coefficient < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            match coefficient.unsigned_abs() {
                1 => write!(f, "{sign}{symbol}")?,
                factor => write!(f, "{sign}{factor} * {symbol}")?,
            }
        }
        match self.constant {
            constant if self.terms.is_empty() => write!(f, "{constant}"),
            0 => Ok(()),
            constant => {
                let sign = if constant < 0 { '-' } else { '+' };
                write!(f, " {sign} {}", constant.unsigned_abs())
            }
        }
    }
}

impl<S: fmt::Display + Ord + Clone> fmt::Display for Product<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, symbol) in self.symbols().iter().enumerate() {
            write!(f, "{}{symbol}", if at > 0 { " * " } else { "" })?;
        }
        Ok(())
    }
}

#[test]
fn a_sum_drops_what_cancels() {
    let (x, y) = (Form::from_symbol('x'), form(3, &[('y', 1)]));
    let sum = y.plus(&x, 4).unwrap();
    assert_eq!(sum.terms(), [('x', 4), ('y', 1)]);
    assert_eq!(sum.plus(&x, -4), Some(y));
    assert_eq!((sum.constant(), sum.coefficient(&'x'), sum.coefficient(&'z')), (3, 4, 0));
    assert_eq!(form(7, &[('x', 2), ('x', -2)]).as_constant(), Some(7));
    assert_eq!(sum.as_constant(), None);
}

#[test]
fn overflow_is_no_form_or_wraps() {
    let most = form(i64::MAX, &[('x', i64::MAX)]);
    assert_eq!(most.plus(&form(1, &[]), 1), None);
    assert_eq!(most.plus(&form(0, &[('x', 1)]), 1), None);
    assert_eq!(most.times(2), None);
    assert_eq!(form(0, &[('x', i64::MIN)]).times(-1), None);
    assert_eq!(symbol('x').times(i64::MAX).unwrap().multiply(&symbol('y').times(2).unwrap()), None);
    assert_eq!(most.wrapping_plus(&form(1, &[('x', 1)]), 1), form(i64::MIN, &[('x', i64::MIN)]));
    assert_eq!(most.range(|_| Some((0, 2))), Some((i64::MAX, i64::MAX)));
}

#[test]
fn ranges_turn_with_the_sign() {
    let of = |symbol: &char| (*symbol != 'n').then_some((0, 31));
    assert_eq!(form(5, &[('x', 2), ('y', -1)]).range(of), Some((-26, 67)));
    assert_eq!(form(5, &[('n', 1)]).range(of), None);
}

#[test]
fn quotients_are_whole_or_absent() {
    let row = form(0, &[('n', 2), ('m', 4)]);
    assert_eq!(form(0, &[('n', 6), ('m', 12)]).quotient(&row), Some(3));
    assert_eq!(form(0, &[('n', -2), ('m', -4)]).quotient(&row), Some(-1));
    for other in
        [form(1, &[('n', 6), ('m', 12)]), form(0, &[('n', 6)]), form(0, &[('n', 3), ('m', 6)]), form(6, &[])]
    {
        assert_eq!(other.quotient(&row), None, "{other}");
    }
    assert_eq!(form(12, &[]).quotient(&form(4, &[])), Some(3));
    assert_eq!(form(12, &[]).quotient(&form(0, &[])), None);
    assert_eq!(form(0, &[]).quotient(&form(4, &[])), None);
}

#[test]
fn forms_read_as_they_are_written() {
    let cases = [
        (form(0, &[]), "0"),
        (form(-3, &[('x', -1), ('y', 4)]), "-x + 4 * y - 3"),
        (form(3, &[('x', 1), ('y', -1)]), "x - y + 3"),
    ];
    for (form, text) in cases {
        assert_eq!(form.to_string(), text);
    }
    let area = symbol('x').multiply(&symbol('w')).unwrap().plus(&symbol('x'), 2).unwrap();
    assert_eq!(area.to_string(), "w * x + 2 * x");
}

#[test]
fn a_polynomial_splits_by_a_symbol() {
    // (b + 1) * n * m + x
    let b = symbol('b').plus(&Polynomial::from_constant(1), 1).unwrap();
    let place = b.multiply(&symbol('n')).and_then(|form| form.multiply(&symbol('m'))).unwrap();
    let place = place.plus(&symbol('x'), 1).unwrap();
    let (slope, rest) = place.split(&'b').unwrap();
    assert_eq!((slope.to_string(), rest.to_string()), ("m * n".to_owned(), "m * n + x".to_owned()));
    assert_eq!(place.split(&'z'), Some((Polynomial::default(), place.clone())));
    assert_eq!(symbol('b').multiply(&symbol('b')).unwrap().split(&'b'), None);
}

#[test]
fn long_products_are_not_followed() {
    let mut power = symbol('x');
    for _ in 0..5 {
        power = power.multiply(&symbol('x')).unwrap();
    }
    assert_eq!(power.multiply(&symbol('x')), None);
}

const NAMES: [char; 3] = ['x', 'y', 'z'];

prop_compose! {
    fn forms()(constant in -50_i64..50, factors in prop::array::uniform3(-5_i64..5)) -> Form {
        Form::collect(constant, NAMES.into_iter().zip(factors)).unwrap()
    }
}

prop_compose! {
    /// Polynomials that are products of two affine forms.
    fn polynomials()(factors in prop::array::uniform2(forms())) -> Polynomial<char> {
        let [one, other] = factors.map(|form| {
            let start = Polynomial::from_constant(form.constant());
            let mut terms = form.terms().iter();
            terms.try_fold(start, |sum, (name, factor)| sum.plus(&symbol(*name), *factor)).unwrap()
        });
        one.multiply(&other).unwrap()
    }
}

fn valued(form: &Polynomial<char>, at: &[i64; 3]) -> i64 {
    let value = |name: &char| at[NAMES.iter().position(|own| own == name).unwrap()];
    form.wrapping_evaluate(|product| Some(product.symbols().iter().map(value).product())).unwrap()
}

proptest! {
    #[test]
    fn sums_are_a_module(a in forms(), b in forms(), c in forms(), k in -9_i64..9) {
        prop_assert_eq!(a.plus(&b, 1), b.plus(&a, 1));
        prop_assert_eq!(a.plus(&b, 1).unwrap().plus(&c, 1), a.plus(&b.plus(&c, 1).unwrap(), 1));
        prop_assert_eq!(a.plus(&b, 1).unwrap().times(k), a.times(k).unwrap().plus(&b, k));
        prop_assert_eq!(a.plus(&a, -1), Some(Form::default()));
        prop_assert_eq!(a.plus(&b, k), Some(a.wrapping_plus(&b, k)));
        prop_assert!(a.terms().is_sorted_by(|one, other| one.0 < other.0));
        prop_assert!(a.plus(&b, k).unwrap().terms().iter().all(|term| term.1 != 0));
    }

    #[test]
    fn substitution_commutes_with_evaluation(a in forms(), b in forms(), at in prop::array::uniform3(-9_i64..9)) {
        let value = |name: &char| Some(at[NAMES.iter().position(|own| own == name).unwrap()]);
        let (one, other) = (a.wrapping_evaluate(value).unwrap(), b.wrapping_evaluate(value).unwrap());
        prop_assert_eq!(a.plus(&b, 3).unwrap().wrapping_evaluate(value), Some(one + 3 * other));
        let replaced = a.wrapping_substitute(&'x', &b);
        let inner = a.wrapping_evaluate(|name| if *name == 'x' { Some(other) } else { value(name) });
        prop_assert_eq!(replaced.wrapping_evaluate(value), inner);
        // If neither replacement contains the other symbol, the order does not matter.
        let (b, c) = (b.without(&'x').without(&'y'), b.without(&'x').without(&'y').times(2).unwrap());
        let one = a.wrapping_substitute(&'x', &b).wrapping_substitute(&'y', &c);
        prop_assert_eq!(one, a.wrapping_substitute(&'y', &c).wrapping_substitute(&'x', &b));
    }

    #[test]
    fn a_range_has_every_value(a in forms(), at in prop::array::uniform3(-9_i64..=9)) {
        let value = a.wrapping_evaluate(|name| Some(at[NAMES.iter().position(|own| own == name).unwrap()])).unwrap();
        let (least, most) = a.range(|_| Some((-9, 9))).unwrap();
        prop_assert!((least..=most).contains(&value));
    }

    #[test]
    fn polynomials_are_a_ring(
        a in polynomials(), b in polynomials(), c in polynomials(), at in prop::array::uniform3(-9_i64..9),
    ) {
        let product = a.multiply(&b).unwrap();
        prop_assert_eq!(&product, &b.multiply(&a).unwrap());
        prop_assert_eq!(valued(&product, &at), valued(&a, &at) * valued(&b, &at));
        let sum = a.plus(&c, 1).unwrap().multiply(&b).unwrap();
        prop_assert_eq!(Some(sum), product.plus(&c.multiply(&b).unwrap(), 1));
        prop_assert_eq!(a.multiply(&Polynomial::from_constant(1)), Some(a.clone()));
        if let Some(replaced) = a.substitute(&'x', &c) {
            prop_assert_eq!(valued(&replaced, &at), valued(&a, &[valued(&c, &at), at[1], at[2]]));
        }
        if let Some((slope, rest)) = a.split(&'x') {
            prop_assert_eq!(slope.multiply(&symbol('x')).unwrap().plus(&rest, 1), Some(a));
        }
    }

    #[test]
    fn quotients_undo_products(a in forms(), k in -9_i64..9) {
        let is_zero = a == Form::default();
        prop_assert_eq!(a.times(k).unwrap().quotient(&a), (k != 0 && !is_zero).then_some(k));
    }
}
