//! Hovers of the language, with measurements from profiles. Compiled code contributes nothing to hovers.

use super::contributors::{Contribution, Contributor, Contributors};
use crate::Hover;
use crate::engine::cancel::Cancellable;
use crate::kernels::hover::headline_end;
use crate::measured::view::ProfileView;

pub(crate) fn hover(all: &Contributors<'_>, offset: usize) -> Cancellable<Option<Hover>> {
    all.without_code().merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.hover(offset)?),
            Contributor::Code(_) => Contribution::Nothing,
            Contributor::Profile(profile) => {
                Contribution::joins(move |hover| with_figures(profile, offset, hover))
            }
        })
    })
}

fn with_figures(
    profile: &ProfileView<'_>,
    offset: usize,
    hover: Option<Hover>,
) -> Cancellable<Option<Hover>> {
    let Some((range, words)) = profile.hover(offset)? else { return Ok(hover) };
    let Some(mut hover) = hover else { return Ok(Some(Hover { range, markdown: words, links: Vec::new() })) };
    let headline_end = profile.sass.and_then(|sass| headline_end(sass, offset, &hover.markdown));
    if let Some(at) = headline_end {
        // A user with a profile looks for the measurements first, and the full hover is longer than a screen.
        insert(&mut hover, at, &format!("\n{}\n", words.trim_end()));
    } else {
        hover.markdown.push_str("\n\n---\n\n");
        hover.markdown.push_str(&words);
    }
    Ok(Some(hover))
}

/// Inserts text into a hover at offset `at` and shifts the offsets of all links after the insertion.
fn insert(hover: &mut Hover, at: usize, text: &str) {
    hover.markdown.insert_str(at, text);
    hover.links.iter_mut().filter(|link| **link >= at).for_each(|link| *link += text.len());
}
