//! Which known word was meant.

/// `; did you mean …?` for the word nearest to this one; empty where none is near enough to be a slip.
pub fn did_you_mean<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> String {
    let most = match word.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let near = known
        .filter(|other| other.len().abs_diff(word.len()) <= most && *other != word)
        .map(|other| (strsim::osa_distance(word, other), other))
        .min();
    match near {
        Some((distance, other)) if distance <= most && distance < word.len() => {
            format!("; did you mean `{other}`?")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        assert_eq!(did_you_mean("globl", ["local", "global"].into_iter()), "; did you mean `global`?");
        assert_eq!(did_you_mean("sahred", ["shared"].into_iter()), "; did you mean `shared`?");
        assert_eq!(did_you_mean("x", ["y"].into_iter()), "");
        assert_eq!(did_you_mean("tensor", ["weights"].into_iter()), "");
        assert_eq!(did_you_mean("", ["a"].into_iter()), "");
    }
}
