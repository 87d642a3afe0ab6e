//! Breaks texts into lines that fit a width, for pictures shown in an unknown font.

/// Widths of the printable ASCII characters in thousandths of the font size, for DejaVu Sans, from its `hmtx` table.
/// This font is wider than the default fonts of other systems.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
    500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// Width of any other character, which may be as wide as its height.
const OTHER: u16 = 1000; // limit: a character as wide as it is high, in thousandths

/// The properties of a font that determine the widths of texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Font {
    /// Font size in pixels.
    pub(super) size: f64,
    pub(super) is_bold: bool,
}

impl Font {
    /// An upper estimate of a text's width in pixels.
    pub(super) fn width(self, text: &str) -> f64 {
        text.chars().map(|c| self.width_of(c)).sum()
    }

    fn width_of(self, c: char) -> f64 {
        // Bold letters are a quarter wider at most, words a tenth on average.
        let weight = if self.is_bold { 1.2 } else { 1.0 };
        let at = u32::from(c).checked_sub(u32::from(' ')).and_then(|at| usize::try_from(at).ok());
        let width = at.and_then(|at| WIDTHS.get(at)).copied().unwrap_or(OTHER);
        f64::from(width) * weight * self.size / 1000.0
    }

    /// Breaks a text into lines of at most this width; also breaks words that are wider.
    pub(super) fn wrapped(self, text: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(line) = lines.last_mut()
                && self.width(line) + self.width(" ") + self.width(word) <= width
            {
                line.push(' ');
                line.push_str(word);
                continue;
            }
            let mut line = String::new();
            let mut used = 0.0;
            for c in word.chars() {
                let own = self.width_of(c);
                if used + own > width && !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                    used = 0.0;
                }
                line.push(c);
                used += own;
            }
            lines.push(line);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Font = Font { size: 12.0, is_bold: false };
    const BOLD: Font = Font { is_bold: true, ..PLAIN };

    #[test]
    fn wide_letters_take_more_of_a_line_than_narrow_ones() {
        let words = |word: &str| [word; 40].join(" ");
        let first = |font: Font, word: &str| font.wrapped(&words(word), 200.0)[0].split(' ').count();
        assert_eq!(first(PLAIN, "illi"), 11);
        assert_eq!(first(PLAIN, "MWMW"), 4);
        assert_eq!(first(BOLD, "MWMW"), 3);
    }

    #[test]
    fn no_line_is_wider_than_asked_for_and_no_character_is_lost() {
        let text = "Threads of a warp wait at MUFU.EX2_and_a_name_that_is_longer_than_any_line_could_ever_be here, 32 of 64 \u{4e16}\u{754c}";
        for font in [PLAIN, BOLD] {
            for width in [40.0, 120.0, 234.0] {
                let lines = font.wrapped(text, width);
                assert!(lines.iter().all(|line| font.width(line) <= width && !line.is_empty()), "{lines:?}");
                let whole = |text: &str| text.replace(' ', "");
                assert_eq!(whole(&lines.concat()), whole(text));
            }
        }
        assert_eq!(PLAIN.wrapped("  ", 100.0), Vec::<String>::new());
    }
}
