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
        .map(|other| (distance(word, other), other))
        .min();
    match near {
        Some((distance, other)) if distance <= most && distance < word.len() => {
            format!("; did you mean `{other}`?")
        }
        _ => String::new(),
    }
}

/// Characters to insert, remove, replace or swap with the next one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let is_other = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + is_other);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
