//! Fuzzy search for kernels and functions by letters of their names.

use std::ops::Range;

/// A kernel or function that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSymbol {
    /// Name of the function, demangled if it was mangled.
    pub name: String,
    /// Range of the name in the text.
    pub range: Range<usize>,
    pub is_kernel: bool,
    /// Distance from the query; lower is better.
    pub rank: u32,
}

/// A kernel or function, for [`crate::Analysis::find_symbols`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFunction {
    /// Name in the listing.
    pub(crate) raw: String,
    /// Name of the function, demangled if it was mangled.
    pub name: String,
    /// Range of the name in the text.
    pub range: Range<usize>,
    pub is_kernel: bool,
}

impl NamedFunction {
    /// Returns the name in the listing.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the distance between the name and the query; lower is better. `None` if a letter of the
    /// query is missing.
    pub fn rank(&self, query: &str) -> Option<u32> {
        [rank(&self.name, query), rank(&self.raw, query)].into_iter().flatten().min()
    }
}

/// Returns the functions whose name contains the query's letters in the same order, best match first.
pub(crate) fn find(functions: Vec<NamedFunction>, query: &str) -> Vec<FoundSymbol> {
    let found = functions.into_iter().filter_map(|function| {
        let rank = function.rank(query)?;
        let NamedFunction { name, range, is_kernel, .. } = function;
        Some(FoundSymbol { name, range, is_kernel, rank })
    });
    let mut found: Vec<FoundSymbol> = found.collect();
    found.sort_by_key(|symbol| (symbol.rank, symbol.range.start));
    found
}

/// Returns the distance of a name from a query, summed over the query's letters. A letter that follows
/// the previous letter or starts a word counts 0. Any other letter counts 1 plus the number of skipped
/// bytes. `None` if a letter is missing. Case and blanks are ignored.
fn rank(name: &str, query: &str) -> Option<u32> {
    let lower = |letter: char| letter.to_ascii_lowercase();
    let mut rank = 0;
    let mut rest = name.char_indices();
    let mut last: Option<usize> = None;
    for wanted in query.chars().filter(|letter| !letter.is_whitespace()) {
        let (at, letter) = rest.find(|&(_, letter)| lower(letter) == lower(wanted))?;
        let between = at - last.unwrap_or(0);
        let starts_word = !name[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
        rank += if between == 0 || starts_word { 0 } else { 1 + between as u32 };
        last = Some(at + letter.len_utf8());
    }
    Some(rank)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn letters_must_stand_in_order() {
        assert!(rank("sgemm_nn(float*)", "sgnn").is_some());
        assert!(rank("sgemm_nn(float*)", "SGEMM FLOAT").is_some());
        assert_eq!(rank("sgemm_nn", "nns"), None);
        assert_eq!(rank("", ""), Some(0));
        assert!(rank("äöü", "ü").is_some());
    }

    #[test]
    fn the_nearer_name_is_the_better() {
        assert!(rank("gemm", "gemm") < rank("sgemm", "gemm"));
        assert!(rank("sgemm", "gemm") < rank("g_element_mm", "gemm"));
    }
}
