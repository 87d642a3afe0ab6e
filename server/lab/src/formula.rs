//! Arithmetic over the cycles of programs: `(lds_9 - lds_1) / 8`.

/// A formula of `values.toml`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Formula {
    Number(f64),
    Program(String),
    Operation(Box<Formula>, char, Box<Formula>),
}

impl Formula {
    /// Parses a formula; `None` if the text is not a formula.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text.trim() };
        let formula = reader.sum()?;
        reader.rest.is_empty().then_some(formula)
    }

    /// The names of its programs, in order of appearance.
    pub(crate) fn programs(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Program(name) => vec![name],
            Self::Operation(left, _, right) => [left.programs(), right.programs()].concat(),
        }
    }

    /// Evaluates the formula; `None` if a program has no cycles.
    pub(crate) fn value(&self, cycles: &impl Fn(&str) -> Option<u64>) -> Option<f64> {
        Some(match self {
            Self::Number(number) => *number,
            Self::Program(name) => cycles(name)? as f64,
            Self::Operation(left, operator, right) => {
                let (left, right) = (left.value(cycles)?, right.value(cycles)?);
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ => left / right,
                }
            }
        })
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn sum(&mut self) -> Option<Formula> {
        self.chain(&['+', '-'], Self::product)
    }

    fn product(&mut self) -> Option<Formula> {
        self.chain(&['*', '/'], Self::term)
    }

    /// Parses operands joined by these operators, which are left-associative.
    fn chain(
        &mut self,
        operators: &[char],
        operand: impl Fn(&mut Self) -> Option<Formula>,
    ) -> Option<Formula> {
        let mut left = operand(self)?;
        while let Some(operator) = self.one_of(operators) {
            left = Formula::Operation(Box::new(left), operator, Box::new(operand(self)?));
        }
        Some(left)
    }

    fn term(&mut self) -> Option<Formula> {
        if self.one_of(&['(']).is_some() {
            let inner = self.sum()?;
            self.one_of(&[')'])?;
            return Some(inner);
        }
        let word = self.word();
        match word.chars().next()? {
            '0'..='9' => word.parse().ok().map(Formula::Number),
            _ => Some(Formula::Program(word.to_owned())),
        }
    }

    fn one_of(&mut self, characters: &[char]) -> Option<char> {
        let found = self.rest.chars().next().filter(|c| characters.contains(c))?;
        self.rest = self.rest[found.len_utf8()..].trim_start();
        Some(found)
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let cycles = |name: &str| match name {
            "long_17" => Some(34),
            "short" => Some(2),
            _ => None,
        };
        Formula::parse(text).unwrap_or_else(|| panic!("{text}")).value(&cycles)
    }

    #[test]
    fn the_usual_order_of_operations() {
        assert_eq!(value("(long_17 - short) / 16"), Some(2.0));
        assert_eq!(value("long_17 - short / 2 - 3"), Some(30.0));
        assert_eq!(value("1 + 2 * 3"), Some(7.0));
        assert_eq!(value("long_17 - unknown"), None);
        let formula = Formula::parse("2 * (b - a) + b").unwrap();
        assert_eq!(formula.programs(), ["b", "a", "b"]);
    }

    #[test]
    fn what_is_no_formula() {
        for text in ["", "a -", "(a", "a b", "a)", "a ^ 2", "2a"] {
            assert_eq!(Formula::parse(text), None, "{text}");
        }
    }
}
