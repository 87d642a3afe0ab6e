//! Symbols of PTX declarations.

use syntax::ptx::{Item, Token, Variable, literal};

/// A named object: a register, a parameter, a variable, a label or a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub kind: SymbolKind,
    /// Index of the declaring token.
    pub token: u32,
    /// Index of the statement whose `{` opens the symbol's scope. `None` for the function of the item and for
    /// declarations at module scope.
    pub scope: Option<u32>,
    /// Index of the declaring statement.
    pub statement: u32,
    /// State space. `None` for labels and functions.
    pub space: Option<Space>,
    /// Index of the type token, such as `.u32`. `None` for labels and functions.
    pub ty: Option<u32>,
    /// Vector length: 2 for `.v2`; 1 for a scalar.
    pub vector: u8,
    /// Number of registers: 10 for `%r<10>`, which declares `%r0` to `%r9`. `None` if the declaration has no
    /// such range.
    pub count: Option<u32>,
    pub dimensions: Box<[Dimension]>,
    /// Alignment in bytes from `.align`. `None` if `.align` is missing.
    pub align: Option<u64>,
}

/// Kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Register,
    /// A parameter in the parentheses after a function's name.
    Parameter,
    /// A result in the parentheses before a function's name.
    Result,
    /// A variable in memory, or a call argument that a body declares in `.param`.
    Variable,
    Label,
    /// The label of a `.branchtargets` or `.calltargets` list.
    Targets,
    /// The label of a `.callprototype`.
    Prototype,
    Function,
}

/// Size between a pair of brackets in a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Empty brackets, `[]`.
    Open,
    Of(u64),
    /// A number that could not be parsed.
    Unknown,
}

/// A state space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    Reg,
    Param,
    Global,
    Shared,
    Local,
    Const,
    Sreg,
    Tex,
}

impl Space {
    /// State spaces in the order of their discriminants, each with its keyword.
    const WORDS: [(Self, &str); 8] = [
        (Self::Reg, "reg"),
        (Self::Param, "param"),
        (Self::Global, "global"),
        (Self::Shared, "shared"),
        (Self::Local, "local"),
        (Self::Const, "const"),
        (Self::Sreg, "sreg"),
        (Self::Tex, "tex"),
    ];

    /// Returns the state space of a keyword with or without its dot: `.shared::cta`, `const[2]`. `None` for
    /// other words.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.strip_prefix('.').unwrap_or(word);
        let stem = word.split([':', '[']).next().unwrap_or(word);
        Self::WORDS.iter().find(|(_, word)| *word == stem).map(|(space, _)| *space)
    }

    /// Returns the keyword without its dot.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize].1
    }
}

impl Symbol {
    /// Returns the declaring name: `%r` of `%r<10>`.
    pub fn name<'i>(&self, item: &'i Item) -> &'i str {
        item.token_text(&item.tokens()[self.token as usize])
    }

    /// Returns the type without its dot, such as `u32`. `None` for labels and functions, and if the type is
    /// missing.
    pub fn type_word<'i>(&self, item: &'i Item) -> Option<&'i str> {
        let token = item.tokens().get(self.ty? as usize)?;
        Some(item.token_text(token).trim_start_matches('.'))
    }

    /// Returns the number of elements: the product of the dimensions. `None` if a bracket is empty or the
    /// number is unknown or overflows.
    pub fn elements(&self) -> Option<u64> {
        self.dimensions.iter().try_fold(1_u64, |product, dimension| match dimension {
            Dimension::Of(number) => product.checked_mul(*number),
            Dimension::Open | Dimension::Unknown => None,
        })
    }

    /// Returns the symbols of a declaration, one per name.
    pub fn all_of<'a>(
        item: &'a Item,
        variable: Variable<'a>,
        kind: SymbolKind,
        statement: u32,
    ) -> impl Iterator<Item = Self> + 'a {
        let text = item.text();
        let space = variable.space().and_then(|token| Space::from_word(token.text(text)));
        let ty = variable.ty().map(|token| index_of(item, token));
        let digits = |token: &Token| literal::integer(token.text(text));
        let vector = variable.vector().and_then(|token| token.text(text).get(2..)?.parse().ok()).unwrap_or(1);
        let align = variable.align().and_then(digits);
        variable.declarators().map(move |one| Self {
            kind: if space == Some(Space::Reg) && kind == SymbolKind::Variable {
                SymbolKind::Register
            } else {
                kind
            },
            token: index_of(item, one.name),
            scope: None,
            statement,
            space,
            ty,
            vector,
            count: one.count.and_then(digits).map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            dimensions: one
                .dimensions()
                .map(|token| match token {
                    None => Dimension::Open,
                    Some(token) => digits(token).map_or(Dimension::Unknown, Dimension::Of),
                })
                .collect(),
            align,
        })
    }

    /// Creates a label, a target list or a function. Only the name is known.
    pub(super) fn named(kind: SymbolKind, token: u32, statement: u32) -> Self {
        Self {
            kind,
            token,
            scope: None,
            statement,
            space: None,
            ty: None,
            vector: 1,
            count: None,
            dimensions: Box::default(),
            align: None,
        }
    }
}

/// Returns the index of a token within its item.
pub fn index_of(item: &Item, token: &Token) -> u32 {
    let tokens = item.tokens();
    let is_same = |at: &usize| tokens[*at].start == token.start;
    // A copied token is found by its start offset.
    let at = tokens.element_offset(token).filter(is_same);
    at.unwrap_or_else(|| tokens.partition_point(|other| other.start < token.start)) as u32
}

#[cfg(test)]
mod tests {
    use super::Space;

    #[test]
    fn each_space_has_its_own_word() {
        for (at, (space, word)) in Space::WORDS.into_iter().enumerate() {
            assert_eq!((space as usize, space.word()), (at, word));
        }
    }
}
