//! Wording of a prediction's assumptions.

use crate::words::numbers::first_of;

/// Maximum number of addresses that a sentence lists per type of assumption.
const PLACES: usize = 4; // limit: one line of text

/// Returns a phrase for assumptions such as `gpu` and `trips:0x2a0`. Consecutive assumptions of the same type
/// are combined: `the trip counts of the loops at 0x2a0, 0x300`.
pub(crate) fn assumed_in_words(words: &[String]) -> String {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in words {
        let (kind, place) =
            word.split_once(':').map_or((word.as_str(), None), |(kind, place)| (kind, Some(place)));
        if kinds.last().is_none_or(|(last, _)| *last != kind) {
            kinds.push((kind, Vec::new()));
        }
        if let (Some((_, places)), Some(place)) = (kinds.last_mut(), place) {
            places.push(place);
        }
    }
    let parts: Vec<String> = kinds.iter().map(|(kind, places)| in_words(kind, places)).collect();
    parts.join("; ")
}

fn in_words(kind: &str, places: &[&str]) -> String {
    let named = first_of(places, PLACES);
    let s = if places.len() == 1 { "" } else { "s" };
    match kind {
        "trips" => {
            format!("the trip count{s} of the loop{s} at {named}")
        }
        "addresses" => format!("the address{} of the access{} at {named}", es(places), es(places)),
        "counters" => {
            format!("counters that start at 0 and count the blocks in turn, for the atomic{s} at {named}")
        }
        "slow_paths" => {
            format!("that the branches to slow paths (of divisions, for example) at {named} are not taken")
        }
        "constants" => format!("constant cache hits for the load{s} at {named}"),
        "width" => format!("the width{s} of {named}"),
        "registers" => "the registers, inferred from the code".to_owned(),
        "shared" => "no shared memory beyond what is stated".to_owned(),
        "params" => "the parameters: pointers to separate memory, numbers unknown".to_owned(),
        "gpu" => "the usual GPU for the code's architecture".to_owned(),
        "launch" => "the launch, one full wave".to_owned(),
        other if places.is_empty() => other.to_owned(),
        other => format!("{other} {named}"),
    }
}

fn es(places: &[&str]) -> &'static str {
    if places.len() == 1 { "" } else { "es" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> String {
        assumed_in_words(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn words_of_one_kind_are_one_part() {
        let text = of(&["launch", "gpu", "registers", "trips:0x10", "trips:0x20", "addresses:0x40", "later"]);
        assert_eq!(
            text,
            "the launch, one full wave; the usual GPU for the code's architecture; the registers, inferred from the code; \
             the trip counts of the loops at 0x10, 0x20; the address of the access at 0x40; later"
        );
        assert_eq!(of(&["trips:0x760"]), "the trip count of the loop at 0x760");
        let many: Vec<String> = (0..6).map(|at| format!("trips:{at}")).collect();
        assert_eq!(assumed_in_words(&many), "the trip counts of the loops at 0, 1, 2, 3 and 2 more");
        assert_eq!(of(&[]), "");
    }
}
