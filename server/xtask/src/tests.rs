//! Checks of the repository as a whole: which crates and files use which, and where links lead; what its recipes match.

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
