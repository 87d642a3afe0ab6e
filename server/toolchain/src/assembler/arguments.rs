//! Checks of the arguments for ptxas.

use crate::ToolError;
use crate::run::FinishedRun;

/// Rejects arguments that make ptxas read or write the user's files. ptxas runs in a private folder, and its
/// arguments come from settings, which a workspace may contain.
pub(super) fn check(arguments: &[String]) -> Result<(), ToolError> {
    const FILES: [&str; 5] = ["o", "output-file", "optf", "options-file", "apply-controls"];
    for argument in arguments {
        let refused = |why| Err(ToolError::Argument { program: "ptxas", argument: argument.clone(), why });
        if FILES.contains(&name(argument)) {
            return refused("its input and output files cannot be set here");
        }
        if argument.contains(['/', '\\']) {
            return refused("an argument must not name a file in another folder");
        }
        if argument.contains('\0') {
            return refused("it contains a zero byte");
        }
    }
    Ok(())
}

/// True if an argument specifies the architecture to assemble for.
pub(super) fn name_architecture(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| matches!(name(argument), "arch" | "gpu-name"))
}

/// The name of an option: `arch` for `-arch=sm_90`, `-arch` and `--arch`. Empty if the argument is not an
/// option.
fn name(argument: &str) -> &str {
    let option = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')).unwrap_or_default();
    option.split('=').next().unwrap_or_default()
}

/// The target if this ptxas supports it, otherwise the lowest supported architecture above it. PTX for an
/// older GPU can be compiled for a later GPU. `known` is ptxas's list of architectures, one per line, as `75`
/// or `sm_75`.
pub(super) fn nearest(target: &str, known: &FinishedRun) -> String {
    let number = |name: &str| name.strip_prefix("sm_").unwrap_or(name).parse::<u32>().ok();
    let text = String::from_utf8_lossy(&known.output);
    let known = text.lines().filter_map(|line| number(line.trim()));
    // `sm_90a` code runs only on that architecture, so no other architecture can replace it.
    let Some(wanted) = number(target) else { return target.to_owned() };
    known
        .filter(|known| *known >= wanted)
        .min()
        .map_or_else(|| target.to_owned(), |least| format!("sm_{least}"))
}
