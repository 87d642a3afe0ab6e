//! Facts that a binary states about its kernels. They are available before disassembly.

use std::fmt::Write;

pub use crate::engine::cubin_facts::resources;

pub use syntax::cubin::{
    Binding, CodePatch, ConstantBank, Content, Cubin, CubinError, CubinFunction, FunctionKind, LineRow,
    LineTable, Lines, Member, MemberKind, Packing, Param, PatchedInstruction, content, members, with_code,
};

/// True if a listing can show source lines, which requires a cubin compiled with `-lineinfo` or `-G`.
///
/// False if the line tables cannot be parsed.
pub fn has_source_lines(bytes: &[u8]) -> bool {
    Lines::parse(bytes).is_ok_and(|lines| !lines.source.is_empty())
}

/// Describes the members of a fat binary or of a host program in one line, with the command to extract
/// the members.
pub fn describe_members(members: &[Member]) -> String {
    const SHOWN: usize = 8; // limit: one line of a message
    if members.is_empty() {
        return "there is no GPU code in this file".to_owned();
    }
    let mut text = "this file holds".to_owned();
    for (index, member) in members.iter().take(SHOWN).enumerate() {
        let kind = match member.kind {
            MemberKind::Cubin => "a cubin",
            MemberKind::Ptx => "PTX",
            MemberKind::Other => "other code",
        };
        let packed = if member.packing == Packing::Plain { "" } else { " (compressed)" };
        let before = if index == 0 { " " } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(text, "{before}{kind} for sm_{}{packed}", member.sm);
    }
    if members.len() > SHOWN {
        let _ = write!(text, " and {} more", members.len() - SHOWN);
    }
    text.push_str("; extract with cuobjdump -xelf all");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;

    #[test]
    fn shared_memory_is_the_kernels_own() {
        let machine = Machine::builtin();
        for (bytes, registers) in [
            (&include_bytes!("../../syntax/tests/cubins/sm_61.cubin")[..], 11),
            (&include_bytes!("../../syntax/tests/cubins/sm_90.cubin")[..], 14),
        ] {
            let cubin = Cubin::parse(bytes).unwrap();
            let resources = resources(&cubin, &machine);
            let tile = resources.iter().find(|(name, _)| name == "tile").unwrap().1;
            assert_eq!((tile.registers, tile.shared), (Some(registers), Some(256)), "sm_{}", cubin.sm);
            assert!(has_source_lines(bytes));
        }
        assert!(!has_source_lines(b"text"));
    }
}
