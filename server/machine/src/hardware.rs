//! Figures of the hardware that are not a chip's own: `data/hardware.toml`.

use crate::Known;
use crate::load::data_text;
use serde::Deserialize;
use std::sync::LazyLock;

/// Figures that hold on every architecture that they are asked of.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// Cycles from the issue of an instruction that sets a scoreboard until a wait sees it.
    pub scoreboard_visible: Known<u32>,
    /// Scoreboards of a warp.
    pub scoreboards: Known<u32>,
    /// The least cycles for which stall count 0 holds the warp after an instruction that waits for all that is in
    /// flight.
    pub drained: Known<u32>,
    /// The most cycles that a stall count says without yield.
    pub most_stall_without_yield: Known<u32>,
    /// Cycles since a block began or a warp yielded, after which compilers yield at the next pause of two.
    pub most_without_yield: Known<u32>,
    /// The first architecture whose schedulers issue one instruction a cycle.
    first_single_issue: Known<u32>,
    /// The first architecture whose fences of a block set a scoreboard.
    pub first_block_fence_signals: Known<u32>,
    /// Architectures with a read-only cache apart from the cache of plain loads: the first, and the first without.
    pub read_only_cache_from: Known<u32>,
    pub read_only_cache_to: Known<u32>,
    /// Lines whose tags are looked up together, at best.
    pub tag_banks: Known<u32>,
    /// Registers that a kernel has beyond the last that its text names.
    pub registers_set_aside: Known<u32>,
    /// Bytes from the shared memory of one block of a cluster to that of the next.
    pub shared_window_bytes: Known<u32>,
    /// The first architecture whose addresses say that they are 64 bits wide: `[R2.64]`.
    pub first_wide_addresses: Known<u32>,
    /// The first architecture whose kernels load their parameters, which are operands in constant bank 0 before.
    pub first_loaded_parameters: Known<u32>,
    /// Bytes of a row that a lane names in a matrix access.
    pub matrix_row_bytes: Known<u32>,
    /// Rows of a matrix, matrices of one access at most, and bytes of a matrix that a lane's register holds.
    pub matrix_rows: Known<u32>,
    pub most_matrices: Known<u32>,
    pub matrix_bytes_per_lane: Known<u32>,
    /// Bytes of the widest access of a lane.
    pub widest_access_bytes: Known<u32>,
    /// Bytes that both ends of a bulk copy are a multiple of.
    pub bulk_copy_alignment: Known<u32>,
    /// Bytes that the shared memory of a tensor copy begins at a multiple of.
    pub tensor_copy_alignment: Known<u32>,
    /// Bytes that the address of an mbarrier is a multiple of.
    pub mbarrier_alignment: Known<u32>,
    /// Consecutive pairs of one unit that Kepler's lanes can take, and the single instructions after them.
    pub same_unit_pairs: Known<u32>,
    pub singles_between_pairs: Known<u32>,
    /// Ascending by architecture.
    register_banks: Vec<RegisterBanks>,
    /// Ascending by architecture.
    instruction_fields: Vec<InstructionFields>,
    set_at_launch: Vec<SetAtLaunch>,
}

/// Registers of one architecture that have a value when a kernel starts, besides the stack pointer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetAtLaunch {
    sm: u16,
    uniform_register: Known<u32>,
}

/// Registers that an instruction word can name, and the room that it has for numbers.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstructionFields {
    /// The first architecture that has them.
    pub from: u16,
    /// Registers of each file, without the one that reads as zero or true.
    pub registers: Known<u32>,
    pub uniform_registers: Known<u32>,
    pub predicates: Known<u32>,
    pub uniform_predicates: Known<u32>,
    pub barriers: Known<u32>,
    /// Bits of the offset of an address, its sign included.
    pub offset_bits: Known<u32>,
    pub constant_banks: Known<u32>,
    /// Bytes of a constant bank.
    pub constant_bank_bytes: Known<u32>,
    /// Bits of an immediate operand that takes the place of a register.
    pub number_bits: Known<u32>,
    /// Bits of such a number of integers, its sign included, in the opcodes that have less room for it; `None` where all have the same.
    pub short_number_bits: Option<Known<u32>>,
    #[serde(default)]
    pub short_numbers: Vec<String>,
}

/// The banks of a processing block's register file. A register is in the bank of its index modulo their number.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterBanks {
    /// The first architecture that has them.
    pub from: u16,
    pub count: Known<u32>,
    /// Registers that an instruction reads of one bank without loss.
    pub at_once: Known<u32>,
}

impl Hardware {
    /// Returns the figures that ship with the program, read once.
    ///
    /// # Panics
    ///
    /// Never in a build whose tests pass: they read the same bytes.
    pub fn builtin() -> &'static Self {
        static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| data_text!("hardware.toml").built_in());
        &HARDWARE
    }

    /// True where a scheduler of the architecture may issue two instructions of a warp in a cycle.
    pub fn issues_pairs(&self, sm: u16) -> bool {
        u32::from(sm) < self.first_single_issue.value
    }

    /// Returns what the instruction words of an architecture have room for.
    pub fn instruction_fields(&self, sm: u16) -> &InstructionFields {
        let known = self.instruction_fields.iter().rev().find(|fields| fields.from <= sm);
        known.unwrap_or(&self.instruction_fields[0])
    }

    /// The uniform register that an architecture's kernels read before they write it, if they do: it is set when they start.
    pub fn uniform_register_set_at_launch(&self, sm: u16) -> Option<u32> {
        self.set_at_launch.iter().find(|row| row.sm == sm).map(|row| row.uniform_register.value)
    }

    /// Returns the register banks of an architecture.
    ///
    /// # Panics
    ///
    /// Never: the first row holds from 0 on, which a test looks at.
    pub fn register_banks(&self, sm: u16) -> &RegisterBanks {
        self.register_banks.iter().rfind(|banks| banks.from <= sm).expect("the first row holds from 0 on")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_architecture_has_register_banks() {
        let hardware = Hardware::builtin();
        assert!(hardware.register_banks.is_sorted_by_key(|banks| banks.from));
        let count = |sm: u16| hardware.register_banks(sm).count.value;
        assert_eq!([0, 61, 70, 90].map(count), [4, 4, 2, 2]);
        let at_once = |sm: u16| hardware.register_banks(sm).at_once.value;
        assert_eq!([61, 70, 80, 86, 90].map(at_once), [1, 2, 2, 1, 1]);
    }
}
