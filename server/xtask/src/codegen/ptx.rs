//! The PTX words that the grammars know, read from the tables of PTX.

use super::file::rows;
use super::opcodes::{Group, Opcodes};
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// The first word of each instruction's name. Its group is the group of most of its forms: `cp` accesses
/// memory, although `cp.async.commit_group` does not.
pub(super) fn opcodes(instructions: &str) -> Result<Opcodes> {
    let mut forms: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for [name, operands] in rows(instructions, ["name", "operands"])? {
        let word = name.split('.').next().unwrap_or_default();
        forms.entry(word.to_owned()).or_default()[group(&operands) as usize] += 1;
    }
    Ok(forms.into_iter().map(|(word, counts)| (word, most(counts))).collect())
}

/// The group of an instruction's form, by its operands.
///
/// A form with an address operand accesses memory. Any other form with a target or without a result is control flow.
fn group(operands: &str) -> Group {
    let starts_one = |marks: &[char]| operands.split_whitespace().any(|one| one.starts_with(marks));
    if operands.contains('[') {
        Group::Memory
    } else if starts_one(&['=', '+']) && !starts_one(&['@']) {
        Group::Other
    } else {
        Group::Control
    }
}

fn most(counts: [usize; 3]) -> Group {
    let half = counts.iter().sum::<usize>().div_ceil(2);
    let has_half = |group: &&Group| counts[**group as usize] >= half;
    *[Group::Memory, Group::Control].iter().find(has_half).unwrap_or(&Group::Other)
}

/// All special registers with their `%`; `%envreg<32>` names 32 registers.
pub(super) fn special_registers(table: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for [register] in rows(table, ["register"])? {
        match register.strip_suffix('>').and_then(|name| name.split_once('<')) {
            Some((name, count)) => {
                let count: u32 = count.parse().with_context(|| format!("{register}: no count"))?;
                names.extend((0..count).map(|index| format!("{name}{index}")));
            }
            None => names.push(register),
        }
    }
    names.sort();
    Ok(names)
}

/// All directives, without their dots.
pub(super) fn directives(table: &str) -> Result<Vec<String>> {
    let words = rows(table, ["directive"])?;
    words
        .into_iter()
        .map(|[word]| Ok(word.strip_prefix('.').with_context(|| format!("{word}: no dot"))?.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_is_where_most_of_its_forms_are() {
        let table = "name,operands\nadd,=d:T a:T b:T\nbar.sync,#a:u32\nbar.red,=d:u32 #a:u32 p:pred\nret,\ncall,=(results)? @function\n\
                     cp.async,\"[dst] [map,coords]\"\ncp.async.commit_group,\nbar.arrive,#a:u32\n";
        let opcodes = opcodes(table).expect("a table with every column");
        assert_eq!(opcodes.opcodes_in_group(Group::Control), ["bar", "call", "ret"]);
        assert_eq!(opcodes.opcodes_in_group(Group::Memory), ["cp"]);
        assert_eq!(opcodes.opcodes_in_group(Group::Other), ["add"]);
    }

    #[test]
    fn a_counted_register_matches_its_whole_family() {
        let table = "register,meaning\n%tid,\"One, two.\"\n%pm<2>,Counts.\n";
        assert_eq!(special_registers(table).expect("a table"), ["%pm0", "%pm1", "%tid"]);
        assert_eq!(directives("directive\n.loc\n").expect("a table"), ["loc"]);
        assert_eq!(
            special_registers("name\n").expect_err("no such column").to_string(),
            "no column \"register\""
        );
        assert!(directives("directive,meaning\n.loc\n").is_err());
    }
}
