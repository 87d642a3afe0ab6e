//! The column `modifiers`: slots in order.
//!
//! * `T=.f32|<half>` is a slot named `T` that accepts `f32` or a word of the set `half`.
//! * `.ftz` is a slot that accepts only `ftz`. A suffix `?`: the slot may be empty.
//! * `(.relaxed|.acquire <scope>)?` are slots that may only be omitted together.
//! * `{.min T=.u32 / .and T=.b32}` are alternative sequences of slots. The row gives one form for each.

use super::Sets;
use crate::ptx::Slot;
use std::sync::Arc;

/// Slots, the number of slots that belong to the name, and the ranges of slots that may be omitted (first,
/// end).
pub(super) type Slots = (Box<[Slot]>, usize, Box<[(usize, usize)]>);

/// Expands the braces of a column into one column per choice. An error states what was expected.
pub(super) fn alternatives(column: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = column.split_once('{') else {
        return Ok(vec![column.into()]);
    };
    let (choices, following) = rest.split_once('}').ok_or("`}` after `{`")?;
    let following = alternatives(following)?;
    let both =
        |choice: &str| following.iter().map(|end| format!("{before}{choice}{end}")).collect::<Vec<_>>();
    Ok(choices.split(" / ").flat_map(both).collect())
}

/// Reads a column of slots. An error states what was expected.
pub(super) fn read(name: &str, column: &str, sets: &Sets) -> Result<Slots, String> {
    let mut slots: Vec<Slot> = name.split('.').skip(1).map(literal).collect();
    let fixed = slots.len();
    let mut optional = Vec::new();
    let mut group = None;
    for token in column.split_whitespace() {
        let (token, opens) = token.strip_prefix('(').map_or((token, false), |token| (token, true));
        if opens && group.replace(slots.len()).is_some() {
            return Err("groups of modifiers that are not nested".into());
        }
        let (token, closes) = token.strip_suffix(")?").map_or((token, false), |token| (token, true));
        let (token, may_miss) = token.strip_suffix('?').map_or((token, false), |token| (token, true));
        if may_miss {
            optional.push((slots.len(), slots.len() + 1));
        }
        slots.push(slot(token, sets)?);
        if closes {
            let first = group.take().ok_or("`(` before `)?`")?;
            optional.push((first, slots.len()));
        }
    }
    if group.is_some() {
        return Err("`)?` after `(`".into());
    }
    // The search for the next modifiers represents positions in a form as bits of a word.
    if slots.len() > 60 {
        return Err("at most 60 modifiers".into());
    }
    Ok((slots.into(), fixed, optional.into()))
}

fn literal(word: &str) -> Slot {
    Slot { name: word.into(), words: Arc::from([Box::from(word)]) }
}

fn slot(token: &str, sets: &Sets) -> Result<Slot, String> {
    let (name, words) = token.split_once('=').map_or((None, token), |(name, words)| (Some(name), words));
    if let Some(set) = set_name(words) {
        let found = sets.get(set).ok_or_else(|| format!("a set of sets.csv, not `{set}`"))?;
        return Ok(Slot { name: name.unwrap_or(set).into(), words: found.clone() });
    }
    let mut all: Vec<Box<str>> = Vec::new();
    for word in words.split('|') {
        if let Some(set) = set_name(word) {
            let found = sets.get(set).ok_or_else(|| format!("a set of sets.csv, not `{set}`"))?;
            all.extend(found.iter().cloned());
        } else if let Some(word) = word.strip_prefix('.').filter(|word| !word.is_empty()) {
            all.push(word.into());
        } else {
            return Err(format!("a modifier like `.word` or `<set>`, not `{word}`"));
        }
    }
    let name = name.unwrap_or(&all[0]).into();
    Ok(Slot { name, words: all.into() })
}

fn set_name(word: &str) -> Option<&str> {
    word.strip_prefix('<')?.strip_suffix('>').filter(|set| !set.contains(['<', '|']))
}
