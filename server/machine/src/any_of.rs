//! Lists of alternatives in messages.

/// Joins words with commas, and the last word with `or`: `a, b or c`. Empty for no words.
pub fn any_of(words: impl IntoIterator<Item = impl Into<String>>) -> String {
    let mut words: Vec<String> = words.into_iter().map(Into::into).collect();
    let Some(last) = words.pop() else { return String::new() };
    if words.is_empty() { last } else { format!("{} or {last}", words.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::any_of;

    #[test]
    fn the_last_word_follows_or() {
        assert_eq!(any_of(["a", "b", "c"]), "a, b or c");
        assert_eq!((any_of(["a", "b"]), any_of(["a"])), ("a or b".into(), "a".into()));
        assert_eq!(any_of([""; 0]), "");
    }
}
