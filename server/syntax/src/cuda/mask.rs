//! Masks words that the grammar does not support: the parser reads a text of the same length with blanks in place of
//! these words.

use super::head_macros::{HeadMacro, head_macros};
use std::borrow::Cow;
use std::ops::Range;

/// The attribute that states the cluster size of a kernel. [`cluster_dims`] reads it.
const CLUSTER: &str = "__cluster_dims__";
/// Words with a parenthesised argument.
const WITH_ARGUMENT: [&str; 5] = ["__align__", "__attribute__", "__declspec", "__maxnreg__", CLUSTER];
/// Word in place of a macro with which a declaration starts. It has no meaning for a GPU.
const FIRST: &[u8] = b"inline";
/// Words without arguments.
const ALONE: [&str; 3] = ["__grid_constant__", "__managed__", "__extension__"];

/// Returns the text in a form that the grammar accepts: of the same length, with blanks in place of `#pragma` lines,
/// attributes and macros that expand to attributes.
///
/// Otherwise a pragma between the head of a loop and its body would end the loop in the syntax tree.
pub(super) fn mask(text: &str) -> Cow<'_, str> {
    let (found, macros) = (masked(text), head_macros(text));
    if found.is_empty() && macros.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in found.into_iter().chain(macros.iter().map(|found| found.range.clone())) {
        for byte in &mut bytes[range] {
            if *byte != b'\n' && *byte != b'\r' {
                *byte = b' ';
            }
        }
    }
    // The syntax tree of a declaration starts at its first word, so that its text includes the macro. A macro with a
    // shorter name is left out of the declaration.
    for HeadMacro { range, .. } in macros.into_iter().filter(|found| found.is_first) {
        if let Some(start) = bytes[range].get_mut(..FIRST.len()) {
            start.copy_from_slice(FIRST);
        }
    }
    // Only complete characters were replaced. The text is still valid UTF-8.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn masked(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), "#pragma") {
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        if text[line_start..at].trim().is_empty() {
            let length = text[at..].find('\n').unwrap_or(text.len() - at);
            found.push(at..at + length);
        }
    }
    for word in WITH_ARGUMENT {
        for at in words(text, word) {
            if let Some(end) = arguments_end(text, at + word.len()) {
                found.push(at..end);
            }
        }
    }
    for word in ALONE {
        found.extend(words(text, word).map(|at| at..at + word.len()));
    }
    found
}

fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    memchr::memmem::find_iter(text.as_bytes(), word).filter(move |&at| {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).is_some_and(|before| is_part(&bytes[before]));
        let following = bytes.get(at + word.len()).is_some_and(is_part);
        !before && !following
    })
}

/// End of the parentheses that open at byte `from`, after optional blanks. `None` if no parenthesis opens
/// there, or if the parentheses are not closed.
fn arguments_end(text: &str, from: usize) -> Option<usize> {
    const MAX: usize = 4096; // limit: an argument that never closes is not searched to the end of the text
    let open = from + text[from..].len() - text[from..].trim_start().len();
    let mut depth = 0_u32;
    for (at, byte) in text.as_bytes().iter().enumerate().skip(open).take(MAX) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Argument of the `#pragma unroll` directly before a byte offset; `Some("")` for a pragma without an argument. `None`
/// if no such pragma precedes the offset.
pub(super) fn unroll_before(text: &str, at: usize) -> Option<&str> {
    let before = text[..at].trim_end();
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let words = line.trim_start().strip_prefix("#pragma")?.trim();
    let words = words.strip_prefix("unroll")?;
    Some(words.trim().trim_start_matches('(').trim_end_matches(')').trim())
}

/// The arguments of the `__cluster_dims__` in the head of a function, as written; empty if there is none.
pub(super) fn cluster_dims(head: &str) -> impl Iterator<Item = &str> {
    let list = words(head, CLUSTER).next().and_then(|at| {
        let from = at + CLUSTER.len();
        head.get(from..arguments_end(head, from)?)?.trim_start().strip_prefix('(')?.strip_suffix(')')
    });
    list.into_iter().flat_map(|list| list.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_grammar_does_not_know_is_blank() {
        let text = "for (;;)\n  #pragma unroll 4\n  __align__(16) int x;";
        let masked = mask(text);
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.split_whitespace().collect::<Vec<_>>(), ["for", "(;;)", "int", "x;"]);
        assert!(matches!(mask("int my__align__(3);"), Cow::Borrowed(_)));
    }

    #[test]
    fn the_size_of_a_cluster_is_read() {
        let read = |head| cluster_dims(head).collect::<Vec<_>>();
        assert_eq!(read("__global__ void __cluster_dims__(2, WIDE, 1) k"), ["2", "WIDE", "1"]);
        assert_eq!(read("__global__ void k"), [""; 0]);
        assert_eq!(read("__global__ void __cluster_dims__(2"), [""; 0]);
    }

    #[test]
    fn factors_of_unrolling_are_read() {
        let text = "#pragma unroll (8)\nfor";
        assert_eq!(unroll_before(text, text.len() - 3), Some("8"));
        assert_eq!(unroll_before("#pragma unroll\n  x", 17), Some(""));
        assert_eq!(unroll_before("int a;\nx", 7), None);
    }
}
