//! Messages that ask the user to state missing values of a launch.

pub use crate::engine::to_state::UnstatedInputs;

use crate::words::numbers::listed;

/// Maximum number of names in a message.
const NAMED: usize = 3; // limit: a sentence stays one line

/// Maximum total length of the names in a lens, in characters.
const LENS_NAMES: usize = 24; // limit: the rest of the lens fits next to them in 1280 pixels

impl UnstatedInputs {
    /// Returns a short request: ``state `n` and `m` ``.
    pub fn in_words(&self) -> String {
        self.naming(|_| NAMED)
    }

    /// Returns the request of [`Self::in_words`] for a lens, with only as many names as fit, but at least one.
    pub(crate) fn in_short(&self) -> String {
        self.naming(|all| {
            let lengths = all.iter().scan(0, |letters, name| {
                *letters += name.chars().count();
                Some(*letters)
            });
            lengths.take(NAMED).take_while(|letters| *letters <= LENS_NAMES).count().max(1)
        })
    }

    /// Returns the request. `room` returns the number of names to list, given all names.
    fn naming(&self, room: impl Fn(&[String]) -> usize) -> String {
        let names = |all: &[String]| {
            let named = room(all);
            let mut words: Vec<String> = all.iter().take(named).map(|name| format!("`{name}`")).collect();
            if let Some(more) = all.len().checked_sub(named).filter(|more| *more > 0) {
                words.push(format!("{more} more"));
            }
            listed(&words, "and")
        };
        match self {
            Self { parameters, .. } if !parameters.is_empty() => format!("state {}", names(parameters)),
            Self { trips, .. } if !trips.is_empty() => format!("state `trips` of {}", names(trips)),
            Self { .. } => "attach a profile".to_owned(),
        }
    }

    /// True if the user can state the missing values in `warplens.toml`.
    pub fn is_for_launch_file(&self) -> bool {
        !self.parameters.is_empty() || !self.trips.is_empty()
    }

    /// Returns a note that says why no cycles are shown, and which values the user should state.
    pub(crate) fn note(&self) -> String {
        format!(
            "Cycles unknown, because they depend on {}. To get a prediction, {}. Values of a launch belong in warplens.toml.",
            self.cause(),
            self.in_words()
        )
    }

    /// Returns a phrase that names the missing values on which the cycles depend.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self { parameters, .. } if !parameters.is_empty() => {
                "parameters that the launch does not state".to_owned()
            }
            Self { trips, .. } if !trips.is_empty() => {
                "trip counts that depend on values in memory".to_owned()
            }
            Self { .. } => "values in memory".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_state(parameters: &[&str], trips: &[&str]) -> UnstatedInputs {
        let owned = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect();
        UnstatedInputs { parameters: owned(parameters), trips: owned(trips) }
    }

    #[test]
    fn a_lens_names_no_more_than_it_has_room_for() {
        let short = |parameters: &[&str]| to_state(parameters, &[]).in_short();
        assert_eq!(short(&["n", "m", "k"]), "state `n`, `m` and `k`");
        assert_eq!(short(&["c[0x0][0x228]", "c[0x0][0x22c]", "n"]), "state `c[0x0][0x228]` and 2 more");
        assert_eq!(short(&["a_name_of_more_than_24_letters"]), "state `a_name_of_more_than_24_letters`");
        assert_eq!(to_state(&[], &["0x2a0"]).in_short(), "state `trips` of `0x2a0`");
    }

    #[test]
    fn the_words_say_what_to_do() {
        let of = |parameters: &[&str], trips: &[&str]| to_state(parameters, trips).in_words();
        assert_eq!(of(&["n", "m"], &[]), "state `n` and `m`");
        assert_eq!(of(&["a", "b", "c", "d", "e"], &["0x2a0"]), "state `a`, `b`, `c` and 2 more");
        assert_eq!(of(&[], &["0x2a0"]), "state `trips` of `0x2a0`");
        assert_eq!(of(&[], &[]), "attach a profile");
    }
}
