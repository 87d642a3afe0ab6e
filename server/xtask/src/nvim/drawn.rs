//! Checks of the rows on a screen with a listing. An error names the missing part.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

/// Smallest number of instructions in view; with fewer, the listing was not drawn at all.
const ENOUGH: usize = 10;

/// Checks that every row with an instruction shows a hint in addition to the line of the file.
pub(super) fn hints_on_every_instruction(rows: &str, listing: &str) -> Result<()> {
    let mut seen = 0;
    for row in rows.lines() {
        let Some(address) = address(row) else { continue };
        let line = listing
            .lines()
            .find(|line| self::address(line) == Some(address))
            .with_context(|| format!("no instruction at {address} in the file"))?;
        let (row, line) = (dense(row), dense(line));
        ensure!(holds(&row, &line), "the row of {address} lacks a part of the file's line: {row}");
        ensure!(row.len() != line.len(), "no hint next to the instruction at {address}");
        seen += 1;
    }
    ensure!(seen >= ENOUGH, "{seen} instructions in view, expected at least {ENOUGH}");
    Ok(())
}

/// Checks that a hover is shown.
pub(super) fn hover(rows: &str) -> Result<()> {
    let explained = ["latency", "Latency"].iter().any(|word| rows.contains(word));
    ensure!(explained, "no hover that shows a latency");
    Ok(())
}

/// Checks that the lens of a kernel is shown.
pub(super) fn lens(rows: &str) -> Result<()> {
    let found = rows.lines().any(|row| row.contains(" reg") && row.contains("occupancy"));
    ensure!(found, "no row with a kernel's registers and occupancy");
    Ok(())
}

/// Checks that the encodings in view are in one column.
pub(super) fn one_column_of_encodings(rows: &str) -> Result<()> {
    let column = |row: &str| Some(row[..row.rfind("/* 0x")?].chars().count());
    let columns: Vec<usize> = rows.lines().filter_map(column).collect();
    match columns.first() {
        Some(first) if columns.len() > ENOUGH && columns.iter().all(|column| column == first) => Ok(()),
        _ => bail!("expected encodings in one column, not in {columns:?}"),
    }
}

/// Checks that one row contains all of `parts`.
pub(super) fn row(rows: &str, parts: &[&str]) -> Result<()> {
    let found = rows.lines().any(|row| parts.iter().all(|part| row.contains(part)));
    ensure!(found, "no row with {}", parts.join(" and "));
    Ok(())
}

/// Row and column of each opcode in view, by its instruction's address.
pub(super) fn places(rows: &str) -> BTreeMap<String, (usize, usize)> {
    let place = |(number, row): (usize, &str)| {
        let address = address(row)?;
        let following = row.find(address)? + address.len();
        let is_letter = |byte: &u8| byte.is_ascii_uppercase();
        let opcode = row.as_bytes()[following..].windows(2).position(|two| two.iter().all(is_letter))?;
        Some((address.to_owned(), (number, row[..following + opcode].chars().count())))
    };
    rows.lines().enumerate().filter_map(place).collect()
}

/// Checks that the opcodes in view are where they were before.
pub(super) fn unmoved(before: &BTreeMap<String, (usize, usize)>, rows: &str) -> Result<()> {
    ensure!(before.len() >= ENOUGH, "{} instructions in view, expected at least {ENOUGH}", before.len());
    for (address, now) in places(rows) {
        let before = before.get(&address).unwrap_or(&now);
        ensure!(*before == now, "the opcode at {address} moved from row and column {before:?} to {now:?}");
    }
    Ok(())
}

/// The `/*0010*/` at the start of an instruction.
fn address(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let end = text.find("*/")? + 2;
    let digits = text[..end].strip_prefix("/*")?.strip_suffix("*/")?;
    (digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(&text[..end])
}

fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// True if `whole` has all characters of `part` in this order. Hints may be between these characters.
fn holds(whole: &str, part: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|wanted| rest.any(|found| found == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> String {
        let line = |index| format!("        /*{:04x}*/    MOV R{index}, RZ ;    /* 0x1 */\n", index * 16);
        (0..12).map(line).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_listing_without_hints_is_found_out() {
        let plain = listing();
        assert!(
            hints_on_every_instruction(&plain, &plain).unwrap_err().to_string().contains("no hint next to")
        );
        let hinted = plain.replace(" ;", " ; 4 cycles");
        assert!(hints_on_every_instruction(&hinted, &plain).is_ok());
        let one_bare = hinted.replacen(" ; 4 cycles", " ;", 1);
        assert!(hints_on_every_instruction(&one_bare, &plain).unwrap_err().to_string().contains("/*0000*/"));
    }

    #[test]
    fn an_empty_or_garbled_screen_is_found_out() {
        assert!(hints_on_every_instruction("", &listing()).is_err());
        let garbled = listing().replace("MOV", "MO");
        assert!(hints_on_every_instruction(&garbled, &listing()).unwrap_err().to_string().contains("lacks"));
    }

    #[test]
    fn an_opcode_that_moves_is_found_out() {
        let before = places(&listing());
        assert_eq!(before.get("/*0010*/"), Some(&(1, 20)));
        assert!(unmoved(&before, &listing()).is_ok());
        let to_the_right = listing().replacen("    MOV R3", "     MOV R3", 1);
        assert!(unmoved(&before, &to_the_right).unwrap_err().to_string().contains("/*0030*/"));
        assert!(unmoved(&before, &format!("\n{}", listing())).is_err());
        assert!(unmoved(&places(""), &listing()).is_err());
    }
}
