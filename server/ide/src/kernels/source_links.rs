//! Source lines that a listing names in comments: `//## File "x.cu", line 7 inlined at "y.cu", line 9`.

use crate::SourceLink;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use syntax::source_path;

pub(crate) fn links(sass: &SassView) -> Cancellable<Vec<SourceLink>> {
    let mut links = Vec::new();
    for (index, chunk) in sass.listing().chunks().iter().enumerate() {
        sass.cancel.check()?;
        let start = sass.start(index);
        let text = chunk.text();
        for (at, _) in text.match_indices("//## File \"") {
            let line = &text[at..];
            let line = &line[..line.find(['\n', '\r']).unwrap_or(line.len())];
            links.extend(of_line(line).into_iter().map(|link| SourceLink {
                range: start + at + link.range.start..start + at + link.range.end,
                ..link
            }));
        }
    }
    Ok(links)
}

/// Paths and 1-based lines that one comment names.
pub(crate) fn named_places(line: &str) -> impl Iterator<Item = (String, u32)> {
    of_line(line).into_iter().map(|link| (link.path, link.line))
}

/// References to source lines in one comment.
fn of_line(line: &str) -> Vec<SourceLink> {
    const BETWEEN: &str = "\", line ";
    let mut links = Vec::new();
    let mut at = 0;
    while let Some(quote) = line[at..].find('"').map(|quote| at + quote + 1) {
        let Some(end) = line[quote..].find(BETWEEN).map(|end| quote + end) else { break };
        let number = end + BETWEEN.len();
        let digits = line[number..].bytes().take_while(u8::is_ascii_digit).count();
        at = number + digits;
        if let Ok(found) = line[number..at].parse() {
            links.push(SourceLink {
                range: quote..at,
                path: source_path(&line[quote..end]).into_owned(),
                line: found,
            });
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_comment_is_a_link() {
        let line = "//## File \"/a b/x.hpp\", line 153 inlined at \"y.cu\", line 73";
        let found = of_line(line);
        let found: Vec<_> =
            found.iter().map(|link| (&*link.path, link.line, &line[link.range.clone()])).collect();
        assert_eq!(found, [("/a b/x.hpp", 153, "/a b/x.hpp\", line 153"), ("y.cu", 73, "y.cu\", line 73")]);
    }

    #[test]
    fn what_is_cut_off_is_none() {
        for line in [
            "//## File \"",
            "//## File \"x.cu",
            "//## File \"x.cu\", line ",
            "//## File \"x\", line 99999999999",
        ] {
            assert_eq!(of_line(line), []);
        }
    }
}
