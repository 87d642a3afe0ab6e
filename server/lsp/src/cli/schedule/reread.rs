//! Checks a rewritten cubin with the disassembler: every instruction must read as before.

use crate::cli::binary::disassemble;
use crate::cli::failure::Failure;
use crate::cli::files::Source;
use ide::ScheduledKernel;
use std::collections::HashMap;
use std::path::Path;

/// Fails if an instruction of the new cubin differs from the listing of the old one, apart from control codes and, in
/// kernels with renamed values, registers.
pub(super) fn prove(
    old: &Source,
    new: &[u8],
    kernels: &[ScheduledKernel],
    disassembler: Option<&Path>,
) -> Result<(), Failure> {
    let refused = |why: String| Failure::new(format!("`{}`: {why}; nothing is written", old.name));
    let listing = disassemble(new, disassembler, false)
        .map_err(|error| refused(format!("the disassembler cannot read the new code: {error}")))?;
    let (before, after) = (functions(&old.text), functions(&listing));
    let kernels: HashMap<&str, &ScheduledKernel> =
        kernels.iter().map(|kernel| (kernel.name.as_str(), kernel)).collect();
    for (name, before) in &before {
        let kernel = kernels.get(name).copied();
        let after = after.get(name).ok_or_else(|| refused(format!("`{name}` is not in the new listing")))?;
        if let Some(address) = differing(before, after, kernel) {
            return Err(refused(format!(
                "`{name}`: the instruction at {address:#06x} would be disassembled differently"
            )));
        }
    }
    Ok(())
}

/// The texts of a function's instructions by address.
type Instructions<'t> = HashMap<u32, &'t str>;

/// The first address at which the new code differs; `None` if the code is the same.
fn differing(before: &Instructions, after: &Instructions, kernel: Option<&ScheduledKernel>) -> Option<u32> {
    let is_renamed = kernel.is_some_and(|kernel| kernel.renamed > 0);
    let moved =
        kernel.into_iter().flat_map(|kernel| &kernel.code).map(|placed| (placed.address, placed.from));
    let from: HashMap<u32, u32> = moved.collect();
    let mut addresses: Vec<u32> = before.keys().chain(after.keys()).copied().collect();
    addresses.sort_unstable();
    addresses.into_iter().find(|address| {
        let old = before.get(from.get(address).unwrap_or(address));
        let new = after.get(address);
        old.zip(new).is_none_or(|(old, new)| essence(old, is_renamed) != essence(new, is_renamed))
    })
}

/// Returns an instruction's text without white space and without parts of its control code, such as reuse
/// flags. If values were renamed, the numbers of general registers are removed too.
fn essence(text: &str, is_renamed: bool) -> String {
    let mut essence = String::with_capacity(text.len());
    let (mut before, mut is_register) = (' ', false);
    // `(*"SpillRefill"*)` annotates an address, and is ignored with all that follows it.
    let text = text.split("(*").next().unwrap_or(text);
    for c in text.replace(".reuse", "").chars() {
        let begins = c == 'R' && !(before.is_alphanumeric() || before == '_');
        is_register = is_renamed && (begins || is_register && c.is_ascii_digit());
        if !c.is_whitespace() && (begins || !is_register) {
            essence.push(c);
        }
        before = c;
    }
    essence
}

/// The instructions in a listing of nvdisasm or cuobjdump, by function.
fn functions(listing: &str) -> HashMap<&str, Instructions<'_>> {
    let mut functions: HashMap<&str, Instructions<'_>> = HashMap::new();
    let mut function = "";
    for line in listing.lines() {
        let line = line.trim();
        if let Some(name) = name(line) {
            function = name;
        } else if let Some((address, text)) = instruction(line) {
            functions.entry(function).or_default().insert(address, text);
        }
    }
    functions
}

/// The function whose code starts at a line: `.section .text.NAME,"ax"` in a listing of nvdisasm, `Function :
/// NAME` in a listing of cuobjdump. `None` for any other line.
fn name(line: &str) -> Option<&str> {
    if let Some(name) = line.strip_prefix("Function : ") {
        return Some(name.trim());
    }
    let section = line.strip_prefix(".section")?.trim_start();
    let name = section.strip_prefix(".text.")?;
    Some(name.split(',').next().unwrap_or(name).trim())
}

/// Parses `/*0480*/ FADD R1, R2, R3 ; /* 0x… */` into its address and text.
fn instruction(line: &str) -> Option<(u32, &str)> {
    let (address, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    let address = u32::from_str_radix(address, 16).ok()?;
    let text = rest.split("/*").next()?.trim();
    (!text.is_empty()).then(|| (address, text.trim_end_matches(';').trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\t.section\t.text.k,\"ax\",@progbits\n\
        \x20       /*0000*/                   FADD R1, R2.reuse, R3 ;   /* 0x0000000302017221 */\n\
        \x20                                                            /* 0x000fca0000000000 */\n\
        \x20       /*0010*/              @!P0 BRA `(.L_x_0);            /* 0x0000000000000947 */\n";

    fn holds(new: &str, renamed: usize) -> bool {
        let kernel = ScheduledKernel {
            name: "k".into(),
            edits: Vec::new(),
            instructions: 2,
            changed: 0,
            moved: 0,
            renamed,
            predicted: None,
            gpu: String::new(),
            code: Vec::new(),
        };
        let (old, new) = (functions(OLD), functions(new));
        new.get("k").is_some_and(|new| differing(&old["k"], new, Some(&kernel)).is_none())
    }

    #[test]
    fn codes_may_change_and_nothing_else() {
        assert!(holds(OLD, 0));
        assert!(holds(&OLD.replace(".reuse", "").replace("fca0", "fc80"), 0));
        assert!(holds(&OLD.replace("R3 ;", "R3 (*\"SpillRefill\"*) ;"), 0));
        assert!(!holds(&OLD.replace("FADD", "FMUL"), 1));
        assert!(!holds(&OLD.replace("@!P0", "@P0"), 1));
        assert!(!holds(&OLD.replace("FADD R1, R2.reuse, R3 ;", ""), 0), "an illegal one is not printed");
        assert!(!holds(&OLD.replace(".text.k", ".text.j"), 0));
    }

    #[test]
    fn registers_may_change_where_values_were_renamed() {
        let renamed = OLD.replace("R2", "R18").replace("R1,", "R30,");
        assert!(holds(&renamed, 1) && !holds(&renamed, 0));
        assert!(!holds(&OLD.replace("R2.reuse", "UR2"), 1), "another file is another register");
    }

    #[test]
    fn both_tools_headers_are_read() {
        assert_eq!(name("Function : _Z1kv"), Some("_Z1kv"));
        assert_eq!(name(".section\t.text._Z1kv,\"ax\",@progbits"), Some("_Z1kv"));
        assert_eq!(name(".section .nv.info.k"), None);
    }
}
