//! Formulas over integers and names, with `+ - * / %`, `ceil`, `floor`, `min` and `max`, and conditions that
//! compare two formulas.

mod exact;

use exact::Exact;
use std::cmp::Ordering;
use std::ops::Range;

/// Maximum nesting depth that is parsed.
const DEEPEST: usize = 64; // limit: bounds the recursion

/// Maximum length of a text that is parsed, in bytes.
const LONGEST: usize = 1000; // limit: bounds the time to read; formulas in use have some dozens of bytes

/// A formula over names: `ceil(M / TILE_M)`, `(lds_9 - lds_1) / 8`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    root: Node,
    names: Vec<(String, Range<usize>)>,
}

/// A comparison of two formulas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    left: Formula,
    comparison: Comparison,
    right: Formula,
}

/// A syntax error in a formula: its range, and the expected text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaError {
    /// Byte range in the text.
    pub range: Range<usize>,
    pub expected: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Number(i128),
    Name(String),
    Negated(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
    Call(Function, Vec<Self>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Ceil,
    Floor,
    Min,
    Max,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    Unequal,
}

/// Names of functions, each with its maximum number of arguments.
const FUNCTIONS: [(&str, Function, usize); 4] = [
    ("ceil", Function::Ceil, 1),
    ("floor", Function::Floor, 1),
    ("min", Function::Min, usize::MAX),
    ("max", Function::Max, usize::MAX),
];

/// Comparison operators. Longer operators precede shorter operators.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<", Comparison::Less),
    (">", Comparison::More),
];

impl Formula {
    /// Returns the formula that consists of one number.
    pub fn number(number: i128) -> Self {
        Self { root: Node::Number(number), names: Vec::new() }
    }

    /// Parses a formula.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let mut parser = Parser::new(text)?;
        let formula = parser.formula()?;
        parser.end("an operator (+ - * / %) or the end")?;
        Ok(formula)
    }

    /// The names in the formula, each with its byte range in the text.
    pub fn names(&self) -> &[(String, Range<usize>)] {
        &self.names
    }

    /// Returns the value of the formula for given values of its names. `None` if the value is not an integer
    /// or is too large, or if the formula divides by zero or uses a name without a value.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<i128> {
        self.exact(of)?.as_whole()
    }

    /// Returns the value, which may be fractional. `None` if the value is too large, or if the formula
    /// divides by zero or uses a name without a value.
    pub fn fraction(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<f64> {
        self.exact(of).map(Exact::as_float)
    }

    fn exact(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<Exact> {
        self.root.value(of)
    }
}

impl Condition {
    /// Parses a condition.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let mut parser = Parser::new(text)?;
        let left = parser.formula()?;
        let comparison = parser.comparison()?;
        let right = parser.formula()?;
        parser.end("an operator (+ - * / %) or the end")?;
        Ok(Self { left, comparison, right })
    }

    /// The names in the condition, each with its byte range in the text.
    pub fn names(&self) -> impl Iterator<Item = &(String, Range<usize>)> {
        self.left.names().iter().chain(self.right.names())
    }

    /// True if the condition is true; false if either side has no value.
    pub fn holds(&self, of: &dyn Fn(&str) -> Option<i64>) -> bool {
        let sides = self.left.exact(of).zip(self.right.exact(of));
        let Some(order) = sides.and_then(|(left, right)| left.compare(right)) else { return false };
        match self.comparison {
            Comparison::Less => order == Ordering::Less,
            Comparison::AtMost => order != Ordering::Greater,
            Comparison::More => order == Ordering::Greater,
            Comparison::AtLeast => order != Ordering::Less,
            Comparison::Equal => order == Ordering::Equal,
            Comparison::Unequal => order != Ordering::Equal,
        }
    }
}

impl Node {
    fn value(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<Exact> {
        match self {
            Self::Number(number) => Some(Exact::whole(*number)),
            Self::Name(name) => of(name).map(|value| Exact::whole(value.into())),
            Self::Negated(inner) => inner.value(of)?.negated(),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.value(of)?, right.value(of)?);
                match operator {
                    Operator::Plus => left.plus(right),
                    Operator::Minus => left.minus(right),
                    Operator::Times => left.times(right),
                    Operator::Over => left.over(right),
                    Operator::Modulo => left.modulo(right),
                }
            }
            Self::Call(function, values) => {
                let mut values = values.iter().map(|value| value.value(of));
                let first = values.next()??;
                match function {
                    Function::Ceil => first.ceil(),
                    Function::Floor => first.floor(),
                    Function::Min | Function::Max => values.try_fold(first, |best, value| {
                        let value = value?;
                        let wanted =
                            if *function == Function::Min { Ordering::Less } else { Ordering::Greater };
                        Some(if value.compare(best)? == wanted { value } else { best })
                    }),
                }
            }
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    names: Vec<(String, Range<usize>)>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, FormulaError> {
        if text.len() > LONGEST {
            return Err(FormulaError {
                range: 0..text.len(),
                expected: "a formula of at most 1000 characters",
            });
        }
        Ok(Self { text, at: 0, depth: 0, names: Vec::new() })
    }

    fn rest(&mut self) -> &'t str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn no<T>(&mut self, expected: &'static str) -> Result<T, FormulaError> {
        let rest = self.rest();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        Err(FormulaError { range: self.at..self.at + end, expected })
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_there = self.rest().starts_with(word);
        self.at += if is_there { word.len() } else { 0 };
        is_there
    }

    fn end(&mut self, expected: &'static str) -> Result<(), FormulaError> {
        if self.rest().is_empty() { Ok(()) } else { self.no(expected) }
    }

    fn comparison(&mut self) -> Result<Comparison, FormulaError> {
        let found = COMPARISONS.iter().find(|(word, _)| self.takes(word));
        match found {
            Some((_, comparison)) => Ok(*comparison),
            None => self.no("a comparison: <=, <, >=, >, == or !="),
        }
    }

    fn formula(&mut self) -> Result<Formula, FormulaError> {
        let root = self.sum()?;
        Ok(Formula { root, names: std::mem::take(&mut self.names) })
    }

    fn sum(&mut self) -> Result<Node, FormulaError> {
        self.chain(&[("+", Operator::Plus), ("-", Operator::Minus)], Self::product)
    }

    fn product(&mut self) -> Result<Node, FormulaError> {
        let operators = [("*", Operator::Times), ("/", Operator::Over), ("%", Operator::Modulo)];
        self.chain(&operators, Self::factor)
    }

    /// Parses operands with these left-associative operators between them.
    fn chain(
        &mut self,
        operators: &[(&str, Operator)],
        operand: fn(&mut Self) -> Result<Node, FormulaError>,
    ) -> Result<Node, FormulaError> {
        let mut left = operand(self)?;
        while let Some((_, operator)) = operators.iter().find(|(word, _)| self.takes(word)) {
            left = Node::Binary(*operator, Box::new(left), Box::new(operand(self)?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Node, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.no("fewer nested parentheses");
        }
        let node = self.factor_within();
        self.depth -= 1;
        node
    }

    fn factor_within(&mut self) -> Result<Node, FormulaError> {
        if self.takes("-") {
            return Ok(Node::Negated(Box::new(self.factor()?)));
        }
        if self.takes("(") {
            let inner = self.sum()?;
            return if self.takes(")") { Ok(inner) } else { self.no("`)`") };
        }
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let Ok(number) = word.parse() else { return self.no("a whole number") };
            self.at += end;
            return Ok(Node::Number(number));
        }
        if word.is_empty() {
            return self.no("a whole number, a name or `(`");
        }
        if rest[end..].trim_start().starts_with('(') {
            return self.call(word);
        }
        self.names.push((word.to_owned(), self.at..self.at + end));
        self.at += end;
        Ok(Node::Name(word.to_owned()))
    }

    fn call(&mut self, name: &str) -> Result<Node, FormulaError> {
        let Some((_, function, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            let range = self.at..self.at + name.len();
            return Err(FormulaError { range, expected: "a function: ceil, floor, min or max" });
        };
        self.at += name.len();
        self.takes("(");
        let mut values = vec![self.sum()?];
        while self.takes(",") {
            if values.len() == *most {
                return self.no("one value, and `)`");
            }
            values.push(self.sum()?);
        }
        if self.takes(")") { Ok(Node::Call(*function, values)) } else { self.no("`,` or `)`") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Option<i64> {
        match name {
            "M" => Some(2560),
            "N" => Some(17),
            "T_M" => Some(64),
            "most" => Some(i64::MAX),
            _ => None,
        }
    }

    fn value(text: &str) -> Option<i128> {
        Formula::parse(text).expect(text).value(&names)
    }

    #[test]
    fn values_are_exact() {
        for (text, expected) in [
            ("7", Some(7)),
            ("M / T_M", Some(40)),
            ("N / T_M", None),
            ("ceil(N / T_M)", Some(1)),
            ("floor(N / T_M)", Some(0)),
            ("ceil(-N / 2)", Some(-8)),
            ("floor(-N / 2)", Some(-9)),
            ("N / 2 * 2", Some(17)),
            ("2 + 3 * 4 - 1", Some(13)),
            ("(2 + 3) * 4 % 7", Some(6)),
            ("10 - 3 - 2", Some(5)),
            ("min(M, N, 3 * 4)", Some(12)),
            ("max(N, 1/2, T_M)", Some(64)),
            ("- - 3", Some(3)),
            ("M / 0", None),
            ("M % 0", None),
            ("absent", None),
            ("most * most * most", None),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn a_value_need_not_be_whole() {
        let fraction = |text: &str| Formula::parse(text).expect(text).fraction(&names);
        assert_eq!([fraction("N / 4"), fraction("M - N / 2 - 3")], [Some(4.25), Some(2548.5)]);
        assert_eq!([fraction("M - absent"), fraction("N / (M - M)")], [None, None]);
    }

    #[test]
    fn conditions_hold_or_do_not() {
        for (text, expected) in [
            ("T_M <= 64", true),
            ("T_M < 64", false),
            ("M > N", true),
            ("M >= 2561", false),
            ("M % T_M == 0", true),
            ("N % T_M != 0", true),
            ("N / T_M < 1", true),
            ("absent == absent", false),
        ] {
            assert_eq!(Condition::parse(text).expect(text).holds(&names), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (text, place, expected) in [
            ("", "", "a whole number, a name or `(`"),
            ("M +", "", "a whole number, a name or `(`"),
            ("M N", "N", "an operator (+ - * / %) or the end"),
            ("(M", "", "`)`"),
            ("sqrt(M)", "sqrt", "a function: ceil, floor, min or max"),
            ("ceil(M, N)", "N)", "one value, and `)`"),
            ("1.5", ".5", "an operator (+ - * / %) or the end"),
            ("12x + 1", "12x", "a whole number"),
        ] {
            let wrong = Formula::parse(text).expect_err(text);
            assert_eq!((&text[wrong.range], wrong.expected), (place, expected), "{text}");
        }
        let wrong = Condition::parse("M + 1").expect_err("no comparison");
        assert_eq!(wrong.expected, "a comparison: <=, <, >=, >, == or !=");
        let deep = "(".repeat(5000);
        assert!(Formula::parse(&deep).is_err());
        assert!(Formula::parse(&"-(".repeat(400)).is_err());
    }
}
