//! Suggestions for misspelt words.

use std::cmp::Reverse;

/// The known word with the smallest edit distance. Ties go to the word with the longest common prefix. `None`
/// if no word is similar enough to be a misspelling.
pub fn nearest_name<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let most = match word.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let near = known
        .filter(|other| other.len().abs_diff(word.len()) <= most && *other != word)
        .map(|other| (strsim::osa_distance(word, other), Reverse(common_start(word, other)), other))
        .min();
    near.filter(|(distance, ..)| *distance <= most && *distance < word.len()).map(|(.., other)| other)
}

/// Length in characters of the common prefix of two words.
fn common_start(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// `; did you mean ...?` with the word that [`nearest_name`] finds; empty if no word is similar.
pub fn did_you_mean<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> String {
    nearest_name(word, known).map_or_else(String::new, |other| format!("; did you mean `{other}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        assert_eq!(did_you_mean("globl", ["local", "global"].into_iter()), "; did you mean `global`?");
        assert_eq!(did_you_mean("sahred", ["shared"].into_iter()), "; did you mean `shared`?");
        assert_eq!(nearest_name("wran", ["run", "warn"].into_iter()), Some("warn"));
        assert_eq!(nearest_name("hopa", ["aopx", "hopx"].into_iter()), Some("hopx"));
        assert_eq!(did_you_mean("x", ["y"].into_iter()), "");
        assert_eq!(did_you_mean("tensor", ["weights"].into_iter()), "");
        assert_eq!(did_you_mean("", ["a"].into_iter()), "");
    }
}
