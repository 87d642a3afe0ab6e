//! Generated files, and the texts that they are generated from.

use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use std::fs;

/// A file's path from the root of the repository, and its contents.
pub(super) type File = (String, String);

pub(super) fn text(repo: &Repo, path: &str) -> Result<String> {
    fs::read_to_string(repo.path(path)).with_context(|| path.to_owned())
}

/// Returns a page with the text between two marks replaced; the marks stay.
pub(super) fn between(page: &str, begin: &str, end: &str, text: &str) -> Result<String> {
    let (before, rest) = page.split_once(begin).with_context(|| format!("no mark {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("no mark {end}"))?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

/// Returns the columns `wanted` of each row of a CSV table.
pub(super) fn rows<const N: usize>(table: &str, wanted: [&str; N]) -> Result<Vec<[String; N]>> {
    let mut lines = table.lines();
    let header = cells(lines.next().context("no header")?);
    let mut columns = [0; N];
    for (column, name) in columns.iter_mut().zip(wanted) {
        *column =
            header.iter().position(|had| had == name).with_context(|| format!("no column \"{name}\""))?;
    }
    let row = |(index, line)| {
        let cells = cells(line);
        ensure!(cells.len() == header.len(), "line {}: not as many cells as the header", index + 2);
        Ok(columns.map(|column| cells[column].clone()))
    };
    lines.enumerate().map(row).collect()
}

/// The cells of a line; a cell in quotes may contain commas.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().into_iter().for_each(|cell| cell.push(letter)),
        }
    }
    cells
}
