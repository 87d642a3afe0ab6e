//! Aligned columns of styled text.

use anstyle::Style;
use std::fmt;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) align: Align,
}

/// A cell: pieces of text, each with its style.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell(Vec<(Style, String)>);

impl Cell {
    pub(super) fn new(style: Style, text: impl Into<String>) -> Self {
        Self::default().and(style, text)
    }

    #[must_use]
    pub(super) fn and(mut self, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some((last, before)) if *last == style => before.push_str(&text),
            _ => self.0.push((style, text)),
        }
        self
    }

    /// Width in terminal columns.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| columns_of(text)).sum()
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.iter().try_for_each(|(style, text)| {
            if style.is_plain() {
                out.write_all(text.as_bytes())
            } else {
                write!(out, "{style}{text}{style:#}")
            }
        })
    }
}

impl fmt::Display for Cell {
    /// The text without its styles.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(_, text)| f.write_str(text))
    }
}

/// Width of a text without control characters, in terminal columns.
pub(super) fn columns_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Returns the longest prefix of a text that fits into this many columns.
pub(super) fn first_columns(text: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    text.take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= columns
    })
    .collect()
}

/// Number of blanks between columns.
pub(super) const GAP: usize = 2; // limit: layout of the table, in columns

#[derive(Debug, Clone)]
pub(super) enum Row {
    /// The cells, one for each column.
    Cells(Vec<Cell>),
    /// An empty line.
    Gap,
}

/// Maximum number of rows held between measuring their widths and writing them.
const HELD: usize = 4096; // limit: memory for rows whose widths are looked at

/// Writes the rows under the columns' titles. Each column is as wide as its widest cell. A column without any
/// text is omitted.
///
/// Calls `rows` a second time for a table of more than [`HELD`] rows, so a long table is never completely in
/// memory.
pub(super) fn write<I: Iterator<Item = Row>>(
    out: &mut dyn Write,
    columns: &[Column],
    title_style: Style,
    rows: impl Fn() -> I,
) -> io::Result<()> {
    let mut widths = vec![0; columns.len()];
    let mut all = rows();
    let mut held: Vec<Row> = all.by_ref().take(HELD).collect();
    for row in &held {
        widen(&mut widths, row);
    }
    let rest: Option<Row> = all.next();
    let is_held = rest.is_none();
    for row in rest.into_iter().chain(all) {
        widen(&mut widths, &row);
    }
    let shown: Vec<(usize, Column, usize)> = columns
        .iter()
        .enumerate()
        .filter(|(index, _)| widths[*index] > 0)
        .map(|(index, column)| (index, *column, widths[index].max(columns_of(column.title))))
        .collect();
    let titles = columns.iter().map(|column| Cell::new(title_style, column.title)).collect();
    write_row(out, &shown, &Row::Cells(titles))?;
    if is_held {
        return held.iter().try_for_each(|row| write_row(out, &shown, row));
    }
    held.clear();
    rows().try_for_each(|row| write_row(out, &shown, &row))
}

fn widen(widths: &mut [usize], row: &Row) {
    if let Row::Cells(cells) = row {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = cell.width().max(*width);
        }
    }
}

fn write_row(out: &mut dyn Write, shown: &[(usize, Column, usize)], row: &Row) -> io::Result<()> {
    let Row::Cells(cells) = row else { return writeln!(out) };
    // Blanks are written only once text follows, so that no line ends in them.
    let mut owed = 0;
    for (index, column, width) in shown {
        let cell = &cells[*index];
        let taken = cell.width();
        let pad = width - taken;
        if taken == 0 {
            owed += width + GAP;
            continue;
        }
        let (before, after) = if column.align == Align::Right { (pad, 0) } else { (0, pad) };
        write!(out, "{:1$}", "", owed + before)?;
        cell.write(out)?;
        owed = after + GAP;
    }
    writeln!(out)
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the snapshots so")]
mod tests {
    use super::*;
    use anstyle::AnsiColor;
    use expect_test::expect;

    const COLUMNS: [Column; 3] = [
        Column { title: "count", align: Align::Right },
        Column { title: "never", align: Align::Left },
        Column { title: "text", align: Align::Left },
    ];

    fn written(rows: &[[&str; 3]], style: Style) -> String {
        let mut out = Vec::new();
        let make = || {
            rows.iter()
                .map(|row| Row::Cells(row.iter().map(|text| Cell::new(style, *text)).collect()))
                .chain([Row::Gap])
        };
        write(&mut out, &COLUMNS, style, make).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_fit_their_text_and_empty_ones_go() {
        expect![[r#"
              count  text
                  1  short
            1234567
                     全角 text
                  2  end

        "#]]
        .assert_eq(&written(
            &[["1", "", "short"], ["1234567", "", ""], ["", "", "全角 text"], ["2", "", "end"]],
            Style::new(),
        ));
    }

    #[test]
    fn long_tables_are_written_whole() {
        let rows: Vec<[&str; 3]> =
            (0..=HELD).map(|row| if row == HELD { ["7", "", "last"] } else { ["1", "", "a"] }).collect();
        for rows in [&rows[..], &rows[1..]] {
            let text = written(rows, Style::new());
            assert_eq!(text.lines().count(), rows.len() + 2);
            assert_eq!(text.matches("    7  last").count(), 1);
        }
    }

    #[test]
    fn colour_does_not_count_as_width() {
        let rows = [["1", "a", "short"], ["1234567", "全", "long"]];
        let coloured = written(&rows, AnsiColor::Red.on_default());
        assert!(coloured.contains("\u{1b}[31m1234567\u{1b}[0m"));
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), written(&rows, Style::new()));
    }
}
