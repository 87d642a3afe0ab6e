//! Suites that span crates: marked fixtures, corpora, and the real binary over its protocol.
