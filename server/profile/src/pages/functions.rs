//! Tables of the source page. Each table belongs to a function. If the page is by line, each table belongs to
//! one file of a function.

use super::table::rows;
use csv::StringRecord;
use std::sync::Arc;

/// The instructions of a function in a launch. If the page is by line, the instructions of one file of the
/// function.
pub(super) struct Table {
    /// The function's name with its parameter types.
    pub function: String,
    /// Empty if the page is by instruction.
    pub file: Arc<str>,
    /// True if the file name directly precedes the table.
    pub opens_file: bool,
    pub titles: StringRecord,
    pub rows: Vec<StringRecord>,
    /// The lowest address.
    pub first: u64,
    /// True if an `EXIT` instruction is listed. A kernel has an `EXIT`, whereas functions that it calls
    /// return.
    pub has_exit: bool,
    address: usize,
    line: Option<usize>,
}

impl Table {
    fn new(function: String, file: Arc<str>, opens_file: bool) -> Self {
        let (titles, rows) = (StringRecord::new(), Vec::new());
        Self { function, file, opens_file, titles, rows, first: 0, has_exit: false, address: 0, line: None }
    }

    /// Finds the columns and evaluates the rows; `None` if the rows have no addresses.
    fn read(mut self) -> Option<Self> {
        let column = |title: &str| self.titles.iter().position(|own| own == title);
        (self.address, self.line) = (column("Address")?, column("Line No"));
        self.first = self.rows.iter().filter_map(|row| self.address(row)).min()?;
        self.has_exit = self.rows.iter().any(|row| is_exit(self.text(row)));
        Some(self)
    }

    /// The number of the source line that a row begins; `None` for other rows.
    pub(super) fn line(&self, row: &StringRecord) -> Option<u32> {
        row.get(self.line?)?.parse().ok()
    }

    /// The address of a row's instruction.
    pub(super) fn address(&self, row: &StringRecord) -> Option<u64> {
        row.get(self.address).and_then(number)
    }

    /// The text of a row's instruction.
    pub(super) fn text<'r>(&self, row: &'r StringRecord) -> &'r str {
        row.get(self.address + 1).unwrap_or_default().trim()
    }
}

/// The tables of a page.
pub(super) fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut file: Arc<str> = "".into();
    let mut opens_file = false;
    for row in rows(text) {
        match (row.get(0), tables.last_mut()) {
            (Some("File Path"), _) => {
                file = row.get(1).unwrap_or_default().into();
                opens_file = true;
            }
            (Some("Kernel Name" | "Function Name"), _) => {
                let function = row.get(1).unwrap_or_default().to_owned();
                tables.push(Table::new(function, Arc::clone(&file), opens_file));
                opens_file = false;
            }
            (_, Some(table)) if table.titles.is_empty() => table.titles = row,
            // The file was truncated inside an incomplete row.
            (_, Some(table)) if row.len() == table.titles.len() => table.rows.push(row),
            _ => {}
        }
    }
    tables.into_iter().filter_map(Table::read).collect()
}

/// True if an instruction is `EXIT`, which may have a guard and modifiers.
fn is_exit(text: &str) -> bool {
    text.split_whitespace().any(|word| word == "EXIT" || word.starts_with("EXIT."))
}

/// Reads an address: `0x7ff8437ae300`, or decimal digits.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
