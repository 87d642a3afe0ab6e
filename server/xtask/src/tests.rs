//! Checks of the repository as a whole: dependencies between crates and files, links, patterns in its pages, guards.

mod arrows;
mod circles;
mod guards;
mod links;
mod recipes;

use crate::Chore;
use clap::CommandFactory;

#[test]
fn the_command_line_is_well_formed() {
    Chore::command().debug_assert();
}
