//! Names of functions: demangled for people, and found from what people write.

use super::failure::{Failure, list};
use cpp_demangle::{BorrowedSymbol, DemangleOptions};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// The name as C++ has it, with parameters and, of a template, the result; `None` for a name that is not mangled.
pub(super) fn demangle(name: &str) -> Option<String> {
    demangle_with(name, &DemangleOptions::new())
}

fn demangle_with(name: &str, options: &DemangleOptions) -> Option<String> {
    // Anything that does not start so is a name of C, which the grammar would take for a type (`f` is `float`).
    if !name.starts_with("_Z") {
        return None;
    }
    let symbol = BorrowedSymbol::new(name.as_bytes()).ok()?;
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, options).ok()?;
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

/// The one of `names` that the user means by `wanted`: the same name, mangled or demangled, else the only one that
/// starts so. Fails with the names that there are, or those that fit.
pub(super) fn find<'a>(names: impl IntoIterator<Item = &'a str>, wanted: &str) -> Result<&'a str, Failure> {
    let names: BTreeSet<&str> = names.into_iter().collect();
    let spelled: Vec<(&str, Vec<String>)> = names.iter().map(|name| (*name, spellings(name))).collect();
    let key = canonical(wanted);
    let fitting = |fits: &dyn Fn(&str) -> bool| -> Vec<&'a str> {
        let fitting = spelled.iter().filter(|(_, spellings)| spellings.iter().any(|text| fits(text)));
        fitting.map(|(name, _)| *name).collect()
    };
    let same = fitting(&|text| text == key);
    let candidates = if same.is_empty() { fitting(&|text| text.starts_with(&key)) } else { same };
    match candidates[..] {
        [name] => Ok(name),
        [] => {
            let known: Vec<String> = names.iter().map(|name| display(name)).collect();
            Err(Failure::new(format!("no function `{wanted}`; expected one of: {}", list(&known))))
        }
        _ => {
            let fitting: Vec<String> = candidates.iter().map(|name| display(name)).collect();
            Err(Failure::new(format!(
                "`{wanted}` fits several functions; expected one of: {}",
                list(&fitting)
            )))
        }
    }
}

fn display(name: &str) -> String {
    demangle(name).map_or_else(|| name.to_owned(), |demangled| format!("{name} ({demangled})"))
}

/// What a user may write for a name: mangled, demangled, and demangled without the result.
fn spellings(name: &str) -> Vec<String> {
    let options = [DemangleOptions::new(), DemangleOptions::new().no_return_type()];
    let demangled = options.iter().filter_map(|options| demangle_with(name, options));
    std::iter::once(canonical(name)).chain(demangled.map(|text| canonical(&text))).collect()
}

/// The name without blanks and with `const` before the type that it speaks of: the vendor's tools write
/// `const float *`, others `float const*`.
fn canonical(name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] =
        ["_Z8sgemm_nnPKfS0_Pfi", "_Z8sgemm_ntPKfS0_Pfi", "_Z3addIfEvPT_", "plain", "plain_two"];

    fn found(wanted: &str) -> Result<&'static str, String> {
        find(NAMES, wanted).map_err(|failure| failure.to_string())
    }

    #[test]
    fn demangles_only_what_is_mangled() {
        assert_eq!(demangle(NAMES[0]).as_deref(), Some("sgemm_nn(float const*, float const*, float*, int)"));
        assert_eq!(demangle("f"), None);
        assert_eq!(demangle("_Z"), None);
        assert_eq!(demangle("_Z8short"), None);
    }

    #[test]
    fn finds_a_function_however_it_is_written() {
        for wanted in [
            NAMES[0],
            "_Z8sgemm_nn",
            "sgemm_nn",
            "sgemm_nn(float const*, float const*, float*, int)",
            "sgemm_nn(const float *, const float *, float *, int)",
        ] {
            assert_eq!(found(wanted), Ok(NAMES[0]), "{wanted}");
        }
        for wanted in ["add", "add<float>", "void add<float>(float*)", "add<float>(float *)"] {
            assert_eq!(found(wanted), Ok(NAMES[2]), "{wanted}");
        }
    }

    #[test]
    fn a_whole_name_goes_before_a_longer_one() {
        assert_eq!(found("plain"), Ok("plain"));
    }

    #[test]
    fn what_does_not_fit_names_what_there_is() {
        let several = found("sgemm").unwrap_err();
        assert!(several.contains("sgemm_nn") && several.contains("sgemm_nt") && !several.contains("plain"));
        let none = found("gemv").unwrap_err();
        assert!(NAMES.iter().all(|name| none.contains(name)), "{none}");
    }

    #[test]
    fn a_name_that_unfolds_without_end_is_left_alone() {
        // Each back reference doubles what stands before it.
        let mut name = "_Z1fSt4pairIiiE".to_owned();
        for depth in 0..40 {
            let last = if depth == 0 { "S_".to_owned() } else { format!("S{}_", seq(depth - 1)) };
            name.push_str(&format!("St4pairI{last}{last}E"));
        }
        assert!(demangle(&name).is_none_or(|text| text.len() <= 16 << 10));
    }

    /// A substitution's number in base 36, as mangled names count.
    fn seq(number: usize) -> String {
        char::from_digit(number as u32, 36)
            .map_or_else(|| "10".into(), |digit| digit.to_ascii_uppercase().into())
    }
}
