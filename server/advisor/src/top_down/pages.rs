//! The pages of all guides: the files of `guides`, sorted by name.

/// Each page starts with its code and a block with its conditions.
pub(super) static PAGES: &[&str] = include!(concat!(env!("OUT_DIR"), "/guides.rs"));
