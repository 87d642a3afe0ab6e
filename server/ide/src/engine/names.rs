//! Names of functions: demangled for people, and matched however people write them.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};
use model::cuda::TemplateValue;
use std::fmt::{self, Write};
use syntax::sass::Chunk;

/// The name as C++ has it, with parameters and, of a template, the result; `None` for a name that is not mangled.
pub fn demangle(name: &str) -> Option<String> {
    demangle_with(name, DemangleOptions::new())
}

fn demangle_with(name: &str, options: DemangleOptions) -> Option<String> {
    // Anything that does not start so is a name of C, which the grammar would take for a type (`f` is `float`).
    if !name.starts_with("_Z") {
        return None;
    }
    let symbol = BorrowedSymbol::new(name.as_bytes()).ok()?;
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &options).ok()?;
    Some(text.0)
}

/// A text of limited length: back references let a short name expand to a huge one.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const MAX_BYTES: usize = 16 << 10; // limit: the longest names of templates in use have some KiB
        if self.0.len() + text.len() > MAX_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// True where `written` names the function `name`: mangled, or demangled with or without the result.
pub fn is_same_function(name: &str, written: &str) -> bool {
    name == written || {
        let written = canonical(written);
        spellings(name).contains(&written)
    }
}

/// True where a launches file means the function `name` by `written`: as [`is_same_function`] has it, or by the name without
/// parameters. `tile<4>` is that instance of a template, `tile` each of its instances and each overload.
pub fn is_launched_as(name: &str, written: &str) -> bool {
    if is_same_function(name, written) {
        return true;
    }
    let bare = instance(written);
    // The parameters choose among overloads, and most names differ: those need not be demangled.
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
            // Types of the user's are known by their text alone.
            own.arguments.is_some_and(|own| canonical(own) == canonical(arguments))
                || (values == own.values() && !values.contains(&TemplateValue::Unknown))
        })
}

/// A demangled name in its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instance<'a> {
    /// With the namespaces and classes that are written before it.
    pub(crate) path: &'a str,
    /// Arguments of the template, as they are between the angle brackets; `None` without those.
    pub(crate) arguments: Option<&'a str>,
    pub(crate) has_parameters: bool,
}

impl<'a> Instance<'a> {
    /// The name without namespaces and classes.
    pub(crate) fn own_name(&self) -> &'a str {
        self.path.rsplit(':').next().unwrap_or(self.path)
    }

    /// The values of the template's arguments; none without arguments.
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

/// The parts of a name that is not mangled: its result is dropped.
pub(crate) fn instance(written: &str) -> Instance<'_> {
    // The only parenthesis that a name itself has.
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
    // After the result's type: blanks within brackets belong to arguments of a class.
    let mut depth = 0_i32;
    let start = head.rfind(|c| {
        depth += i32::from(c == '>') - i32::from(c == '<');
        matches!(c, ' ' | '*' | '&') && depth == 0
    });
    let path = start.map_or(head, |at| &head[at + 1..]);
    // Of `(anonymous namespace)::k` the blank has split the first part off.
    let path = path.strip_prefix("namespace)::").unwrap_or(path);
    Instance { path, arguments, has_parameters: end.is_some() }
}

/// The bracket that opens the arguments at the end of a name.
fn opening(head: &str) -> Option<usize> {
    let mut depth = 0_i32;
    let all = head.ends_with('>').then_some(head)?;
    all.rfind(|c| {
        depth += i32::from(c == '>') - i32::from(c == '<');
        c == '<' && depth == 0
    })
}

/// Returns the spellings that a user may write for a name, in canonical form: mangled, demangled, and demangled without
/// the result.
pub fn spellings(name: &str) -> Vec<String> {
    let options = [DemangleOptions::new(), DemangleOptions::new().no_return_type()];
    let demangled = options.into_iter().filter_map(|options| demangle_with(name, options));
    std::iter::once(canonical(name)).chain(demangled.map(|text| canonical(&text))).collect()
}

/// The name without blanks and with `const` before the type that it speaks of: the vendor's tools write
/// `const float *`, others `float const*`.
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

/// The name of a kernel without its parameters: demangled, where it was mangled.
pub(crate) fn short_name(chunk: &Chunk) -> String {
    let name = kernel_name(chunk);
    let demangled = demangle_with(name, DemangleOptions::new().no_params().no_return_type());
    demangled.unwrap_or_else(|| name.to_owned())
}

/// Returns the kernel's name in the listing.
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
        // Each back reference doubles the text before it.
        let mut name = "_Z1fSt4pairIiiE".to_owned();
        for depth in 0..40 {
            let last = if depth == 0 { "S_".to_owned() } else { format!("S{}_", seq(depth - 1)) };
            name += &["St4pairI", &last, &last, "E"].concat();
        }
        assert!(demangle(&name).is_none_or(|text| text.len() <= 16 << 10));
    }

    /// A substitution's number in base 36, as mangled names count.
    fn seq(number: usize) -> String {
        char::from_digit(number as u32, 36)
            .map_or_else(|| "10".into(), |digit| digit.to_ascii_uppercase().into())
    }
}
