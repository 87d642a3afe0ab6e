//! `--gpu list`: the names that `--gpu`, the setting `gpu` and warplens.toml accept.

use super::failure::Failure;
use super::output;
use super::palette::Palette;
use super::table::{self, Align, Cell, Column, Row};
use clap::ColorChoice;
use lab::tune::Machine;
use std::ffi::OsStr;

const COLUMNS: [Column; 4] = [
    Column { title: "gpu", align: Align::Left },
    Column { title: "name", align: Align::Left },
    Column { title: "arch", align: Align::Left },
    Column { title: "also", align: Align::Left },
];

/// True if the arguments of the process request the list: `--gpu list`, `--gpu=list`, `-g list`.
pub(super) fn are_asked_for<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> bool {
    let mut before = false;
    for argument in arguments {
        let argument = argument.as_ref();
        if argument == "--" {
            return false;
        }
        if argument == "--gpu=list" || before && argument == "list" {
            return true;
        }
        before = argument == "--gpu" || argument == "-g";
    }
    false
}

/// Prints each GPU with its other names, and each architecture with the GPU that represents it.
pub(super) fn print() -> Result<(), Failure> {
    let machine = Machine::builtin();
    output::print(ColorChoice::Auto, |out, palette| {
        let Palette { plain, dim, strong, .. } = *palette;
        let rows = || {
            machine.parts.iter().map(|part| {
                let others: Vec<&str> = machine
                    .aliases()
                    .filter(|alias| alias.gpu == part.id)
                    .map(|alias| alias.alias.as_str())
                    .collect();
                Row::Cells(vec![
                    Cell::new(strong, part.id.as_str()),
                    Cell::new(plain, part.name.as_str()),
                    Cell::new(plain, format!("sm_{}", part.sm)),
                    Cell::new(dim, others.join(", ")),
                ])
            })
        };
        table::write(out, &COLUMNS, dim, rows)?;
        writeln!(out)?;
        writeln!(out, "The usual GPU of each architecture, used if an architecture is named:")?;
        for arch in &machine.archs {
            writeln!(out, "  sm_{:<4} {}", arch.sm, machine.gpu_for_sm(arch.sm).part.id)?;
        }
        writeln!(out, "Case, blanks, dashes and the words NVIDIA, GeForce and Tesla are ignored.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_asked_for_by_the_name_of_a_gpu() {
        let asked = |line: &str| are_asked_for(line.split(' '));
        assert!(asked("analyze --gpu list") && asked("-g list") && asked("predict x --gpu=list"));
        assert!(!asked("analyze list") && !asked("profile --run -- p --gpu list") && !asked("--gpu t4 list"));
    }
}
