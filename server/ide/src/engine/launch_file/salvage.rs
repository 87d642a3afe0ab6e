//! Recovers the valid statements and launches of a file that is not valid TOML.

use super::entry;
use super::problem::{MAX_REFUSED, RefusedLaunch, Suggestion};
use super::reader::Reader;
use super::statements::{Statement, statements};
use std::ops::Range;
use toml::de::DeTable;

/// Largest number of times that the file is parsed again because two statements conflict, such as duplicate
/// keys.
const ROUNDS: usize = 3; // limit: each parses the whole file

/// Returns a text of the same length in which all statements with errors are blanked out, and the launches
/// that were blanked out.
pub(super) fn salvage(text: &str, reader: &mut Reader<'_>) -> (String, Vec<RefusedLaunch>) {
    let mut salvage = Salvage::new(text);
    salvage.check_each(reader);
    for _ in 0..ROUNDS {
        let errors = DeTable::parse_recoverable(&salvage.kept()).1;
        if errors.is_empty() {
            break;
        }
        for error in errors {
            salvage.lose(error.span().unwrap_or(0..0), error.message(), reader);
        }
    }
    (salvage.kept(), salvage.refused)
}

struct Salvage<'t> {
    text: &'t str,
    statements: Vec<Statement>,
    /// True for each statement that is blanked out.
    is_lost: Vec<bool>,
    parts: Vec<TomlSection>,
    refused: Vec<RefusedLaunch>,
}

/// Statements that may be dropped together: a launch with its subtables, any other table, or all statements
/// before the first table.
struct TomlSection {
    statements: Range<usize>,
    is_launch: bool,
}

impl<'t> Salvage<'t> {
    fn new(text: &'t str) -> Self {
        let statements = statements(text);
        let mut parts: Vec<TomlSection> = Vec::new();
        for (number, statement) in statements.iter().enumerate() {
            let header = statement.is_header.then(|| header_of(&text[statement.range.clone()]));
            match (header, parts.last_mut()) {
                (None | Some(Header::PartOfLaunch), Some(last)) => last.statements.end = number + 1,
                (header, _) => {
                    let is_launch = matches!(header, Some(Header::Launch | Header::PartOfLaunch));
                    parts.push(TomlSection { statements: number..number + 1, is_launch });
                }
            }
        }
        Self { text, is_lost: vec![false; statements.len()], statements, parts, refused: Vec::new() }
    }

    /// Parses each statement separately and reports the invalid statements.
    fn check_each(&mut self, reader: &mut Reader<'_>) {
        for part in 0..self.parts.len() {
            let TomlSection { statements, is_launch } = &self.parts[part];
            let (statements, is_launch) = (statements.clone(), *is_launch);
            reader.watch();
            // Text after an unclosed statement usually belongs to that statement.
            let mut is_reported = false;
            let mut lost = Vec::new();
            for number in statements {
                let Statement { range, is_header, is_unclosed } = self.statements[number].clone();
                let Some((place, message)) = self.fault(&range) else {
                    is_reported = false;
                    continue;
                };
                if !is_reported {
                    let start = range.start;
                    let text = &self.text[range];
                    reader.unreadable(key_of(text), &place, &message, quoted(text, start));
                }
                is_reported |= is_unclosed;
                lost.push(number);
                if is_header {
                    lost.extend(number..self.parts[part].statements.end);
                    break;
                }
            }
            if lost.is_empty() {
                continue;
            }
            if is_launch {
                self.refuse(part, reader);
            } else {
                for number in lost {
                    self.is_lost[number] = true;
                }
            }
        }
    }

    /// Returns the range and message of the first TOML error in a statement. `None` if the statement is
    /// valid.
    fn fault(&self, range: &Range<usize>) -> Option<(Range<usize>, String)> {
        let text = &self.text[range.clone()];
        let error = DeTable::parse(text).err()?;
        let place = error.span().unwrap_or(0..text.trim_end().len());
        Some((range.start + place.start..range.start + place.end, error.message().to_owned()))
    }

    /// Drops a statement that conflicts with an earlier statement. In a launch, drops the whole launch. For a
    /// table header, drops the table.
    fn lose(&mut self, place: Range<usize>, message: &str, reader: &mut Reader<'_>) {
        reader.watch();
        let number = self.statements.partition_point(|statement| statement.range.end <= place.start);
        let part = self.parts.partition_point(|part| part.statements.end <= number);
        let Some(TomlSection { statements, is_launch }) = self.parts.get(part) else { return };
        let key = key_of(&self.text[self.statements[number].range.clone()]).map(str::to_owned);
        reader.unreadable(key.as_deref(), &place, message, None);
        if *is_launch {
            self.refuse(part, reader);
        } else if self.statements[number].is_header {
            let all = number..statements.end;
            self.is_lost[all].fill(true);
        } else {
            self.is_lost[number] = true;
        }
    }

    fn refuse(&mut self, part: usize, reader: &Reader<'_>) {
        let statements = self.parts[part].statements.clone();
        if self.is_lost[statements.start] {
            return;
        }
        self.is_lost[statements.clone()].fill(true);
        if self.refused.len() == MAX_REFUSED {
            return;
        }
        let function = self.statements[statements].iter().find_map(|statement| {
            let text = &self.text[statement.range.clone()];
            entry::named_function(DeTable::parse(text).ok()?.get_ref()).map(str::to_owned)
        });
        self.refused.extend(entry::refused(function, reader));
    }

    fn kept(&self) -> String {
        let mut kept = String::with_capacity(self.text.len());
        let mut at = 0;
        for (statement, _) in self.statements.iter().zip(&self.is_lost).filter(|(_, is_lost)| **is_lost) {
            kept.push_str(&self.text[at..statement.range.start]);
            let bytes = self.text[statement.range.clone()].bytes();
            kept.extend(bytes.map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            at = statement.range.end;
        }
        kept.push_str(&self.text[at..]);
        kept
    }
}

enum Header {
    Launch,
    PartOfLaunch,
    Other,
}

/// Returns the type of table that a header opens. An invalid header is classified by its first name.
fn header_of(text: &str) -> Header {
    let is_list = text.starts_with("[[");
    let name = text.trim_start_matches('[').trim_start();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    match (&name[..end], &name[end..]) {
        ("launch", rest) if rest.starts_with('.') => Header::PartOfLaunch,
        ("launch", _) if is_list => Header::Launch,
        _ => Header::Other,
    }
}

/// Returns the first word of a statement: the key, or the first name in the header. `None` if no word is
/// found.
fn key_of(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['[', ' ', '\t', '"']);
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c)).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// Suggests quotes around a value that is a bare word. `start` is the byte offset of the statement.
fn quoted(statement: &str, start: usize) -> Option<Suggestion> {
    let (_, after) = statement.split_once('=')?;
    let value = after.split(['#', '\n']).next()?.trim();
    let is_word = value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let at = start + statement.len() - after.trim_start().len();
    is_word.then(|| Suggestion { range: at..at + value.len(), text: format!("\"{value}\"") })
}
