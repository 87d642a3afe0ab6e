//! Words for the values that have to be stated of a launch.

pub use crate::engine::to_state::ToState;

use crate::words::numbers::listed;

/// Names that a phrase has room for.
const NAMED: usize = 3;

impl ToState {
    /// What to do, in a few words: ``state `n` and `m` ``.
    pub fn in_words(&self) -> String {
        let names = |all: &[String]| {
            let mut words: Vec<String> = all.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
            if let Some(more) = all.len().checked_sub(NAMED).filter(|more| *more > 0) {
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

    /// True where `warplens.toml` can state what is missing.
    pub fn is_for_launch_file(&self) -> bool {
        !self.parameters.is_empty() || !self.trips.is_empty()
    }

    /// Why there are no cycles, and what to do.
    pub(crate) fn note(&self) -> String {
        format!("No cycles: they depend on {}. Set them in warplens.toml: {}.", self.cause(), self.in_words())
    }

    /// The values that the cycles depend on, as a sentence names them.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self { parameters, .. } if !parameters.is_empty() => {
                "parameters that the launch does not state".to_owned()
            }
            Self { trips, .. } if !trips.is_empty() => "loop counts that come from memory".to_owned(),
            Self { .. } => "values in memory".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_what_to_do() {
        let of = |parameters: &[&str], trips: &[&str]| {
            let owned = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect();
            ToState { parameters: owned(parameters), trips: owned(trips) }.in_words()
        };
        assert_eq!(of(&["n", "m"], &[]), "state `n` and `m`");
        assert_eq!(of(&["a", "b", "c", "d", "e"], &["0x2a0"]), "state `a`, `b`, `c` and 2 more");
        assert_eq!(of(&[], &["0x2a0"]), "state `trips` of `0x2a0`");
        assert_eq!(of(&[], &[]), "attach a profile");
    }
}
