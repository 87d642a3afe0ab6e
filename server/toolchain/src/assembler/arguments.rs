//! What ptxas is given.

use crate::ToolError;
use crate::run::Ended;

/// Refuses what would have ptxas read or write files of its user's: it works in a private folder, and arguments come from
/// settings, which a workspace may bring.
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

/// Whether one of them says which architecture to assemble for.
pub(super) fn name_architecture(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| matches!(name(argument), "arch" | "gpu-name"))
}

/// `arch` of `-arch=sm_90`, `-arch` and `--arch`; empty where it is no option.
fn name(argument: &str) -> &str {
    let option = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')).unwrap_or_default();
    option.split('=').next().unwrap_or_default()
}

/// The target itself where this ptxas knows it, else the least architecture above it that it knows: code for an older
/// GPU runs on a later one. `known` is what it said of its architectures: `75`, or `sm_75`, on a line each.
pub(super) fn nearest(target: &str, known: &Ended) -> String {
    let number = |name: &str| name.strip_prefix("sm_").unwrap_or(name).parse::<u32>().ok();
    let text = String::from_utf8_lossy(&known.output);
    let known = text.lines().filter_map(|line| number(line.trim()));
    // `sm_90a` is for that architecture alone, so there is no other to take.
    let Some(wanted) = number(target) else { return target.to_owned() };
    known
        .filter(|known| *known >= wanted)
        .min()
        .map_or_else(|| target.to_owned(), |least| format!("sm_{least}"))
}
