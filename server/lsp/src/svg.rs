//! The frame that all pictures share: size, title, and colours for light and dark pages.

use crate::printable::Escaped;
use std::fmt::{self, Display, Formatter};

/// Colours by name, each for a light page and for a dark one.
const COLOURS: &[(&str, [&str; 2])] = &[
    ("$ink", ["#1f2328", "#e6edf3"]),
    ("$quiet", ["#59636e", "#9198a1"]),
    ("$page", ["#ffffff", "#0d1117"]),
    ("$surface", ["#f6f8fa", "#161b22"]),
    ("$grid", ["#d9dee3", "#262c36"]),
    ("$line", ["#8c959f", "#656c76"]),
    ("$blue", ["#0969da", "#4493f8"]),
    ("$orange", ["#bc4c00", "#f0883e"]),
    ("$purple", ["#8250df", "#ab7df8"]),
    ("$red", ["#cf222e", "#f85149"]),
    ("$green", ["#1a7f37", "#3fb950"]),
    ("$pale-green", ["#dafbe1", "#12261e"]),
];

/// CSS rules of every picture.
const SHARED: &[(&str, &str)] = &[
    ("text", "font: 12px system-ui, sans-serif; fill: $ink"),
    (".title", "font-size: 15px; font-weight: 600"),
    (".page", "fill: $page"),
];

/// The beginning of a picture, up to and including its title. The text of the title starts `left` pixels from
/// the left edge.
pub(crate) struct PictureHead<'a> {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) title: &'a str,
    pub(crate) left: f64,
    /// CSS selectors with their declarations, in which names such as `$ink` are colours.
    pub(crate) style: &'a [(&'a str, &'a str)],
}

impl Display for PictureHead<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { width, height, left, .. } = self;
        let title = Escaped(self.title);
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\">\n<title>{title}</title>\n<style>"
        )?;
        let rules = || SHARED.iter().chain(self.style);
        for (selector, declarations) in rules() {
            writeln!(f, "{selector} {{ {} }}", coloured(declarations, 0))?;
        }
        writeln!(f, "@media (prefers-color-scheme: dark) {{")?;
        for (selector, declarations) in rules() {
            let declarations: Vec<&str> = declarations.split("; ").filter(|one| one.contains('$')).collect();
            if !declarations.is_empty() {
                writeln!(f, "{selector} {{ {} }}", coloured(&declarations.join("; "), 1))?;
            }
        }
        writeln!(
            f,
            "}}\n</style>\n<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n\
             <text class=\"title\" x=\"{left}\" y=\"26\">{title}</text>"
        )
    }
}

fn coloured(declarations: &str, page: usize) -> String {
    COLOURS.iter().fold(declarations.to_owned(), |text, (name, colours)| text.replace(name, colours[page]))
}
