//! Macros in the heads of declarations that expand to attributes: `CUDF_KERNEL` in `CUDF_KERNEL void k()`.
//!
//! The grammar accepts one unknown word before a declared name, the type. The parser therefore reads a text without the
//! other macros ([`head_macros`]). [`attributes_of`] returns the attributes that a macro expands to.

use super::item::Attribute;
use super::lexer::{Lexer, is_word};
use std::ops::Range;

/// A macro in the head of a declaration, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeadMacro {
    pub range: Range<usize>,
    /// True if the declaration starts with the macro.
    pub is_first: bool,
}

/// Returns the macros that the grammar does not accept in the heads of declarations, in text order.
pub(super) fn head_macros(text: &str) -> Vec<HeadMacro> {
    let bytes = text.as_bytes();
    let (mut found, mut head) = (Vec::new(), Vec::<Range<usize>>::new());
    let mut may_have_one = false;
    for token in Lexer::new(text) {
        let byte = bytes[token.start];
        if matches!(byte, b';' | b'{' | b'}') {
            if may_have_one {
                found.extend(Head::read(text, &head).macros(byte == b'{'));
            }
            head.clear();
            may_have_one = false;
        } else {
            may_have_one |= (byte == b'(' || is_name(&text[token.clone()]))
                && head.last().is_some_and(|last| is_macro_name(&text[last.clone()]));
            head.push(token);
        }
    }
    found
}

/// True for a word that is written as macros are: capitals, digits and underscores, with at least one capital.
fn is_macro_name(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    word.len() >= 3
        && is_name(word)
        && word.bytes().all(is_part)
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn is_name(word: &str) -> bool {
    word.bytes().next().is_some_and(|byte| is_word(byte) && !byte.is_ascii_digit())
}

/// First words of statements that declare nothing.
const STATEMENTS: [&str; 18] = [
    "return",
    "goto",
    "case",
    "throw",
    "delete",
    "new",
    "else",
    "using",
    "if",
    "for",
    "while",
    "do",
    "switch",
    "break",
    "continue",
    "default",
    "co_return",
    "asm",
];
/// Words of a head that are not a type. Words between double underscores are not types either.
const SPECIFIERS: [&str; 14] = [
    "static",
    "inline",
    "extern",
    "constexpr",
    "consteval",
    "const",
    "volatile",
    "virtual",
    "explicit",
    "friend",
    "mutable",
    "thread_local",
    "register",
    "typedef",
];
/// First words of declarations in which a macro may precede the name.
const CONTAINERS: [&str; 5] = ["struct", "class", "union", "enum", "namespace"];
/// Words that may follow the parameters of a function.
const AFTER_PARAMETERS: [&str; 7] = ["const", "noexcept", "override", "final", "requires", "try", "volatile"];

/// A part of a head.
enum Part {
    Word(Range<usize>),
    /// Parentheses with their content.
    Group(Range<usize>),
    /// Angle brackets with their content.
    Angles,
    Scope,
    /// `*` or `&`.
    Pointer,
    Literal,
    Other,
}

/// Words that precede the name in the head of a declaration.
#[derive(Default)]
struct Head {
    specifiers: Vec<Specifier>,
    /// First word, if it is among [`CONTAINERS`].
    is_container: bool,
    /// True if the name is followed by parentheses.
    is_function: bool,
}

struct Specifier {
    /// The word, with its arguments if there are any.
    range: Range<usize>,
    role: Role,
    is_first: bool,
}

/// Possible meaning of a word in a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A macro, or a type that is written as macros are.
    Macro,
    MacroWithArguments,
    /// Only a type.
    Type,
    /// Neither: `static`, `__launch_bounds__(64)`.
    Other,
}

impl Head {
    fn read(text: &str, tokens: &[Range<usize>]) -> Self {
        let parts = parts(text, tokens);
        let word = |at: usize| match parts.get(at) {
            Some(Part::Word(range)) => Some(&text[range.clone()]),
            _ => None,
        };
        let mut head = Self::default();
        let mut at = 0;
        while word(at) == Some("template") && matches!(parts.get(at + 1), Some(Part::Angles)) {
            at += 2;
        }
        if word(at).is_none_or(|first| STATEMENTS.contains(&first)) {
            return head;
        }
        head.is_container = word(at).is_some_and(|first| CONTAINERS.contains(&first));
        let mut has_name = false;
        while let Some(part) = parts.get(at) {
            match part {
                Part::Word(range) => {
                    let own = &text[range.clone()];
                    let mut specifier =
                        Specifier { range: range.clone(), role: Role::of_word(own), is_first: at == 0 };
                    at += 1;
                    while let Some(part @ (Part::Scope | Part::Angles)) = parts.get(at) {
                        at += if matches!(part, Part::Scope) && word(at + 1).is_some() { 2 } else { 1 };
                        specifier.role = Role::Type;
                    }
                    let group = match parts.get(at) {
                        Some(Part::Group(group)) => Some(group),
                        _ => None,
                    };
                    let goes_on = word(at + 1).is_some_and(|word| !AFTER_PARAMETERS.contains(&word));
                    if own == "operator" || group.is_some() && !goes_on {
                        (has_name, head.is_function) = (true, true);
                        break;
                    }
                    if let Some(group) = group {
                        at += 1;
                        specifier.range.end = group.end;
                        specifier.role = match specifier.role {
                            Role::Macro => Role::MacroWithArguments,
                            Role::Type if own == "decltype" => Role::Type,
                            _ => Role::Other,
                        };
                    }
                    head.specifiers.push(specifier);
                }
                Part::Pointer => {
                    if let Some(last) = head.specifiers.last_mut() {
                        last.role = Role::Type;
                    }
                    at += 1;
                }
                Part::Literal => at += 1,
                _ => break,
            }
        }
        if !has_name {
            head.specifiers.pop();
        }
        head
    }

    /// Returns the macros that the grammar does not accept. `has_body` is true if a brace follows the head.
    fn macros(self, has_body: bool) -> Vec<HeadMacro> {
        if self.is_container && (self.is_function || !has_body) {
            return Vec::new();
        }
        let has_type = self.is_container || self.specifiers.iter().any(|word| word.role == Role::Type);
        // Without another type, the last macro is the type.
        let last = self.specifiers.iter().rposition(|word| word.role == Role::Macro);
        let of = if has_type { None } else { last };
        if !has_type && of.is_none() {
            return Vec::new();
        }
        let others = self.specifiers.into_iter().enumerate().filter(|(at, word)| {
            matches!(word.role, Role::Macro | Role::MacroWithArguments) && of != Some(*at)
        });
        others.map(|(_, word)| HeadMacro { range: word.range, is_first: word.is_first }).collect()
    }
}

impl Role {
    fn of_word(word: &str) -> Self {
        if is_macro_name(word) {
            Self::Macro
        } else if is_specifier(word) {
            Self::Other
        } else {
            Self::Type
        }
    }
}

fn is_specifier(word: &str) -> bool {
    SPECIFIERS.contains(&word) || word.starts_with("__") && word.ends_with("__")
}

/// Groups the tokens of a head. A label in front of the declaration (`public:`) is left out.
fn parts(text: &str, tokens: &[Range<usize>]) -> Vec<Part> {
    let byte = |at: usize| tokens.get(at).map(|token| text.as_bytes()[token.start]);
    let mut all = Vec::new();
    let is_label = byte(1) == Some(b':') && byte(2) != Some(b':');
    let mut at = if is_label { 2 } else { 0 };
    while let Some(first) = byte(at) {
        let mut next = at + 1;
        all.push(match first {
            b'(' => {
                let end = closing(text, tokens, at, (b'(', b')'));
                next = end.map_or(tokens.len(), |end| end + 1);
                Part::Group(tokens[at].start..end.map_or(text.len(), |end| tokens[end].end))
            }
            b'<' => match closing(text, tokens, at, (b'<', b'>')) {
                Some(end) => {
                    next = end + 1;
                    Part::Angles
                }
                None => Part::Other,
            },
            b':' if byte(at + 1) == Some(b':') => {
                next += 1;
                Part::Scope
            }
            b'*' | b'&' => Part::Pointer,
            b'"' => Part::Literal,
            _ if is_name(&text[tokens[at].clone()]) => Part::Word(tokens[at].clone()),
            _ => Part::Other,
        });
        at = next;
    }
    all
}

/// Index of the token that closes the bracket at index `open`.
fn closing(text: &str, tokens: &[Range<usize>], open: usize, (opens, closes): (u8, u8)) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().enumerate().skip(open).find_map(|(at, token)| {
        let byte = text.as_bytes()[token.start];
        if byte == opens {
            depth += 1;
        } else if byte == closes {
            depth -= 1;
        }
        (depth == 0).then_some(at)
    })
}

/// Returns the macros in the head of a function, given the text before its name.
pub(super) fn macros_in(head: &str) -> Box<[String]> {
    let (mut depth, mut found) = (0_usize, Vec::new());
    for token in Lexer::new(head) {
        match head.as_bytes()[token.start] {
            b'(' | b'<' => depth += 1,
            b')' | b'>' => depth = depth.saturating_sub(1),
            _ if depth == 0 && is_macro_name(&head[token.clone()]) => found.push(head[token].to_owned()),
            _ => {}
        }
    }
    found.into()
}

/// Maximum number of macros that expand to each other.
const MAX_NESTED: usize = 8; // limit: a macro may name itself

/// Returns the attributes that a macro expands to. `text` returns the text of a macro; `None` if the macro is defined in
/// no text that is known. The name of such a macro is then interpreted by convention: `RAFT_KERNEL`, `CUTLASS_DEVICE`.
pub(super) fn attributes_of<'t>(name: &str, text: &impl Fn(&str) -> Option<&'t str>) -> Vec<Attribute> {
    expanded(name, text, MAX_NESTED)
}

fn expanded<'t>(name: &str, text: &impl Fn(&str) -> Option<&'t str>, deeper: usize) -> Vec<Attribute> {
    let Some(own) = text(name) else { return by_convention(name) };
    let Some(deeper) = deeper.checked_sub(1) else { return Vec::new() };
    let words = Lexer::new(own).map(|token| &own[token]);
    let each = words.flat_map(|word| match Attribute::named(word) {
        Some(attribute) => vec![attribute],
        None if is_macro_name(word) && text(word).is_some() => expanded(word, text, deeper),
        None => Vec::new(),
    });
    each.collect()
}

fn by_convention(name: &str) -> Vec<Attribute> {
    let mut parts = name.split('_').filter(|part| !part.is_empty());
    let has = |part: &str| name.split('_').any(|own| own == part);
    if matches!(parts.next_back(), Some("KERNEL" | "GLOBAL")) {
        return vec![Attribute::Global];
    }
    match (has("HOST"), has("DEVICE")) {
        (true, true) => vec![Attribute::Host, Attribute::Device],
        (false, true) => vec![Attribute::Device],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        head_macros(text).into_iter().map(|found| &text[found.range]).collect()
    }

    #[test]
    fn macros_before_a_type_are_found() {
        for (text, expected) in [
            ("CUDF_KERNEL void __launch_bounds__(block) k(int a) {", &["CUDF_KERNEL"][..]),
            ("template <int N> __global__ BOUNDS(N, (2)) void k() {", &["BOUNDS(N, (2))"]),
            ("static API DEVICE_FUNC ns::T<int> const *f(int);", &["API", "DEVICE_FUNC"]),
            ("public: HOST_DEVICE INLINE bool operator()(int) const {", &["HOST_DEVICE", "INLINE"]),
            ("HDI RET f(int);", &["HDI"]),
            ("__launch_bounds__(8) RAFT_KERNEL BOUNDS(2) k() {", &["BOUNDS(2)"]),
            ("namespace CUDF_EXPORT cudf {", &["CUDF_EXPORT"]),
            ("struct ALIGN(16) EXPORT P : Q {", &["ALIGN(16)", "EXPORT"]),
            ("extern \"C\" API int x = 3;", &["API"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn types_and_calls_in_capitals_are_no_macros_of_a_head() {
        for text in [
            "RAFT_KERNEL k(int a) {",
            "RAFT_KERNEL __launch_bounds__(64) k(int a) {",
            "FILE *open(int);",
            "struct TILE tile;",
            "struct TILE next(int) {",
            "CHECK(a) g(b);",
            "return A_B c(d);",
            "x = MAX (a);",
            "LOOP(i, n) { f(); }",
            "enum COLOUR : int {",
            "// NOTE void f();\n/* API void g(); */ const char *s = \"API void h();\";",
            "#define API void f();\\\n API void g();\n",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_macro_has_the_attributes_of_its_text_or_of_its_name() {
        let text = |name: &str| match name {
            "ONE" => Some("static TWO void"),
            "TWO" => Some("ONE __global__"),
            "OLD_KERNEL" => Some("inline"),
            _ => None,
        };
        let own = |name| attributes_of(name, &text);
        assert!(own("ONE").contains(&Attribute::Global));
        assert_eq!(own("OLD_KERNEL"), []);
        assert_eq!(own("RAFT_KERNEL"), [Attribute::Global]);
        assert_eq!(own("CUTE_HOST_DEVICE"), [Attribute::Host, Attribute::Device]);
        assert_eq!(own("KERNEL_LIMIT"), []);
    }
}
