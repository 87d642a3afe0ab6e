//! Finds the function that a user means.

use super::failure::{Failure, list};
use ide::names::{canonical, demangle, spellings};
use std::collections::BTreeSet;

/// The function that `--function` names; `None` if the option is absent. Fails if the file has no functions, or if
/// not exactly one function matches.
pub(super) fn chosen<'a>(
    file: &str,
    names: impl IntoIterator<Item = &'a str>,
    wanted: Option<&str>,
) -> Result<Option<&'a str>, Failure> {
    let mut names = names.into_iter().peekable();
    if names.peek().is_none() {
        return Err(Failure::new(format!("`{file}` names an architecture but has no instructions")));
    }
    wanted.map(|wanted| find(names, wanted)).transpose()
}

/// Finds the name that the user means by `wanted`: an equal name, mangled or demangled, or else the only one with this
/// prefix. If no name matches, the failure lists all names; if several match, it lists these.
fn find<'a>(names: impl IntoIterator<Item = &'a str>, wanted: &str) -> Result<&'a str, Failure> {
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
                "`{wanted}` matches several functions; expected one of: {}",
                list(&fitting)
            )))
        }
    }
}

fn display(name: &str) -> String {
    demangle(name).map_or_else(|| name.to_owned(), |demangled| format!("{name} ({demangled})"))
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
}
