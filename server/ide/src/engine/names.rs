//! Function names: demangling, and matching of all common spellings.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};
use model::cuda::TemplateValue;
use std::fmt::{self, Write};
use syntax::sass::Chunk;

/// Returns the demangled C++ name with parameters, and with the result type for a template. `None` if the
/// name is not mangled.
pub fn demangle(name: &str) -> Option<String> {
    demangle_with(name, DemangleOptions::new())
}

fn demangle_with(name: &str, options: DemangleOptions) -> Option<String> {
    // A name without `_Z` is a C name. The demangler would parse it as a type: `f` would become `float`.
    if !name.starts_with("_Z") {
        return None;
    }
    let symbol = BorrowedSymbol::new(name.as_bytes()).ok()?;
    let mut text = BoundedString(String::new());
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// A string of limited length. Back references can expand a short mangled name to a huge name.
struct BoundedString(String);

impl Write for BoundedString {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const MAX_BYTES: usize = 16 << 10; // limit: the longest template names in real code have some KiB
        if self.0.len() + text.len() > MAX_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// True if `written` refers to the function `name`. `written` may be mangled, or demangled with or without
/// the result type.
pub fn is_same_function(name: &str, written: &str) -> bool {
    name == written || {
        let written = canonical(written);
        spellings(name).contains(&written)
    }
}

/// True if `written` in a launches file refers to the function `name`: as in [`is_same_function`], or without
/// parameters. `tile<4>` refers to a single instance of a template. `tile` refers to all instances and
/// overloads.
pub fn is_launched_as(name: &str, written: &str) -> bool {
    if is_same_function(name, written) {
        return true;
    }
    let bare = instance(written);
    // The parameters select an overload. Most names differ in any case and need not be demangled.
    if bare.has_parameters || bare.path.is_empty() || !name.contains(bare.own_name()) {
        return false;
    }
    let Some(demangled) = demangle(name) else { return false };
    let own = instance(&demangled);
    let is_its =
        own.path == bare.path || own.path.strip_suffix(bare.path).is_some_and(|rest| rest.ends_with("::"));
    is_its
        && bare.arguments.is_none_or(|arguments| {
            let values = bare.values();
            // Arguments that are user-defined types are compared by their spelling.
            own.arguments.is_some_and(|own| canonical(own) == canonical(arguments))
                || (values == own.values() && !values.contains(&TemplateValue::Unknown))
        })
}

/// A demangled name, split into its path and its template arguments. Parameters are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instance<'a> {
    /// The name with its namespaces and classes.
    pub(crate) path: &'a str,
    /// The template arguments between the angle brackets. `None` if there are no angle brackets.
    pub(crate) arguments: Option<&'a str>,
    pub(crate) has_parameters: bool,
}

impl<'a> Instance<'a> {
    /// Returns the name without namespaces and classes.
    pub(crate) fn own_name(&self) -> &'a str {
        self.path.rsplit(':').next().unwrap_or(self.path)
    }

    /// Returns the values of the template arguments. Empty if there are no arguments.
    pub(crate) fn values(&self) -> Vec<TemplateValue> {
        let mut depth = 0_i32;
        let parts = self.arguments.unwrap_or_default().split(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            c == ',' && depth == 0
        });
        let parts = parts.map(str::trim).filter(|part| !part.is_empty());
        parts.map(TemplateValue::parse).collect()
    }
}

/// Splits a name that is not mangled. Drops the result type.
pub(crate) fn instance(written: &str) -> Instance<'_> {
    // The only parentheses that a name itself can contain.
    const UNNAMED: &str = "(anonymous namespace)";
    let (mut depth, mut within) = (0_i32, 0);
    let end = written.char_indices().find(|&(at, c)| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        if c == '(' && written[at..].starts_with(UNNAMED) {
            within = at + UNNAMED.len();
        }
        c == '(' && depth == 0 && at >= within
    });
    let head = end.map_or(written, |(at, _)| &written[..at]).trim();
    let (head, arguments) = match opening(head) {
        Some(open) => (&head[..open], Some(&head[open + 1..head.len() - 1])),
        None => (head, None),
    };
    // The path starts after the result type. Blanks within brackets belong to the template arguments of a
    // class.
    let mut depth = 0_i32;
    let start = head.rfind(|c| {
        depth += i32::from(c == '>') - i32::from(c == '<');
        matches!(c, ' ' | '*' | '&') && depth == 0
    });
    let path = start.map_or(head, |at| &head[at + 1..]);
    // In `(anonymous namespace)::k`, the blank has cut off the first word.
    let path = path.strip_prefix("namespace)::").unwrap_or(path);
    Instance { path, arguments, has_parameters: end.is_some() }
}

/// Returns the offset of the `<` that opens the template arguments at the end of a name. `None` if the name
/// does not end in `>`.
fn opening(head: &str) -> Option<usize> {
    let mut depth = 0_i32;
    let all = head.ends_with('>').then_some(head)?;
    all.rfind(|c| {
        depth += i32::from(c == '>') - i32::from(c == '<');
        c == '<' && depth == 0
    })
}

/// Returns the spellings that a user may write for a name, in canonical form: mangled, demangled, and
/// demangled without the result type.
pub fn spellings(name: &str) -> Vec<String> {
    let options = [DemangleOptions::new(), DemangleOptions::new().no_return_type()];
    let demangled = options.into_iter().filter_map(|options| demangle_with(name, options));
    std::iter::once(canonical(name)).chain(demangled.map(|text| canonical(&text))).collect()
}

/// Returns the name without optional blanks and with `const` before the qualified type. NVIDIA's tools write
/// `const float *`, other tools write `float const*`.
pub fn canonical(name: &str) -> String {
    const ENDS: [char; 7] = ['(', ')', ',', '<', '>', '*', '&'];
    let mut text = String::with_capacity(name.len());
    for part in name.split_inclusive(ENDS) {
        let words = part.strip_suffix(ENDS).unwrap_or(part);
        let (qualifiers, rest): (Vec<&str>, Vec<&str>) =
            words.split_whitespace().partition(|word| *word == "const");
        if !qualifiers.is_empty() {
            text.push_str("const ");
        }
        text.push_str(&rest.join(" "));
        text.push_str(&part[words.len()..]);
    }
    text
}

/// Returns the demangled name of a kernel without its parameters.
pub(crate) fn short_name(chunk: &Chunk) -> String {
    let name = kernel_name(chunk);
    let demangled = demangle_with(name, DemangleOptions::new().no_params().no_return_type());
    demangled.unwrap_or_else(|| name.to_owned())
}

/// Returns the kernel's name in the listing, or `kernel` if the listing has no name.
pub(crate) fn kernel_name(chunk: &Chunk) -> &str {
    chunk.name().unwrap_or("kernel")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SGEMM: &str = "_Z8sgemm_nnPKfS0_Pfi";

    #[test]
    fn demangles_only_what_is_mangled() {
        assert_eq!(demangle(SGEMM).as_deref(), Some("sgemm_nn(float const*, float const*, float*, int)"));
        assert_eq!(demangle("f"), None);
        assert_eq!(demangle("_Z"), None);
        assert_eq!(demangle("_Z8short"), None);
    }

    #[test]
    fn a_function_is_known_however_it_is_written() {
        for written in [
            SGEMM,
            "sgemm_nn(float const*, float const*, float*, int)",
            "sgemm_nn(const float *, const float *, float *, int)",
        ] {
            assert!(is_same_function(SGEMM, written), "{written}");
        }
        assert!(is_same_function("_Z3addIfEvPT_", "void add<float>(float*)"));
        assert!(is_same_function("_Z3addIfEvPT_", "add<float>(float *)"));
        assert!(!is_same_function(SGEMM, "sgemm_nn"));
        assert!(!is_same_function(SGEMM, "sgemm_nn(float*)"));
    }

    #[test]
    fn a_launch_may_leave_out_parameters_and_arguments() {
        const FOUR: &str = "_Z4softILi4EEvPf";
        const OF_TYPE: &str = "_ZN2ns3addIfLb1EEEvPT_";
        const UNNAMED: &str = "_ZN12_GLOBAL__N_14copyEPf";
        for (name, written) in [
            (FOUR, "soft"),
            (FOUR, "soft<4>"),
            (FOUR, "soft< 4 >"),
            (FOUR, "void soft<4>(float*)"),
            (OF_TYPE, "add"),
            (OF_TYPE, "ns::add"),
            (OF_TYPE, "ns::add<float, true>"),
            ("_Z3addI4TileEvT_", "add<Tile>"),
            (UNNAMED, "copy"),
            (SGEMM, "sgemm_nn"),
            ("plain", "plain"),
        ] {
            assert!(is_launched_as(name, written), "{written}");
        }
        for (name, written) in [
            (FOUR, "soft<8>"),
            (FOUR, "oft"),
            (FOUR, "soft(int)"),
            (OF_TYPE, "other::add"),
            (OF_TYPE, "add<double, true>"),
            (OF_TYPE, "add<Shape, true>"),
            ("_Z3addI4TileEvT_", "add<Shape>"),
            (SGEMM, "sgemm"),
            (SGEMM, ""),
            ("plain", "plain_two"),
        ] {
            assert!(!is_launched_as(name, written), "{written}");
        }
    }

    #[test]
    fn a_name_that_unfolds_without_end_is_left_alone() {
        // Each back reference doubles the length of the text.
        let mut name = "_Z1fSt4pairIiiE".to_owned();
        for depth in 0..40 {
            let last = if depth == 0 { "S_".to_owned() } else { format!("S{}_", seq(depth - 1)) };
            name += &["St4pairI", &last, &last, "E"].concat();
        }
        assert!(demangle(&name).is_none_or(|text| text.len() <= 16 << 10));
    }

    /// Returns a substitution number in base 36, in the encoding of mangled names.
    fn seq(number: usize) -> String {
        char::from_digit(number as u32, 36)
            .map_or_else(|| "10".into(), |digit| digit.to_ascii_uppercase().into())
    }
}
