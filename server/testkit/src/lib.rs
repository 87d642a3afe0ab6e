//! Fixtures with caret marks: a case is a text in a language, its expectations are comments in that text.
