//! Tests whether a text consists of words, and splits texts into sentences.

/// True if a text has two separate words, or a word and a placeholder, which excludes keys, paths and
/// patterns.
pub(super) fn reads_as_words(text: &str) -> bool {
    let is_pattern = ["\\d", "\\s", "\\w", "\\b", "(?:", "(?<", "[^"].iter().any(|part| text.contains(part));
    let is_word = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '{' && c != '}');
        let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
        let is_plain = bare.chars().all(|c| c.is_alphabetic() || "-'’{}:._".contains(c));
        letters >= 2 && is_plain && bare.chars().any(char::is_lowercase)
    };
    let is_hole = |word: &&str| word.contains('{') && word.contains('}');
    let words = text.split_whitespace().filter(|word| is_word(word) && !is_hole(word)).count();
    let holes = text.split_whitespace().filter(is_hole).count();
    !is_pattern && (words >= 2 || words == 1 && holes >= 1)
}

/// Splits prose into sentences: at a full stop before a space, at empty lines, and at entries of lists.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut sentence = String::new();
    let mut end = |sentence: &mut String| {
        let trimmed = sentence.trim();
        if !trimmed.is_empty() {
            sentences.push(trimmed.to_owned());
        }
        sentence.clear();
    };
    for line in text.lines() {
        let line = line.trim();
        let is_entry = line.starts_with("- ") || line.starts_with("* ") || line.starts_with("| ");
        if line.is_empty() || is_entry {
            end(&mut sentence);
        }
        for word in line.split_whitespace() {
            sentence.push_str(word);
            sentence.push(' ');
            let bare = word.trim_end_matches(['"', '`', ')', '*', '_']);
            let is_short = ["e.g.", "i.e.", "etc.", "al.", "vs."].contains(&bare.trim_start_matches('('));
            if bare.ends_with(['.', '?', '!']) && !is_short && bare.len() > 1 {
                end(&mut sentence);
            }
        }
    }
    end(&mut sentence);
    sentences
}

/// Number of words of a sentence; separate punctuation marks do not count.
pub(super) fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}
