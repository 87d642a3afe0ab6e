//! Names of functions: demangled for people, and matched however people write them.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};
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

/// A text that refuses to grow past what anyone reads: back references let a short name stand for a huge one.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const MAX_BYTES: usize = 16 << 10;
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
    fn a_name_that_unfolds_without_end_is_left_alone() {
        // Each back reference doubles what stands before it.
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
