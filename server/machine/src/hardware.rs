//! Figures common to several chips: `data/hardware.toml`.

use crate::Known;
use crate::load::data_text;
use serde::Deserialize;
use std::sync::LazyLock;

/// Figures that do not differ between the architectures that have the feature in question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// Cycles from the issue of an instruction that sets a scoreboard until a wait sees that scoreboard as set.
    pub scoreboard_visible: Known<u32>,
    /// Number of scoreboards per warp.
    pub scoreboards: Known<u32>,
    /// Minimum number of cycles for which a warp pauses after an instruction with stall count 0 that waits for all
    /// operations in flight.
    pub drained: Known<u32>,
    /// Largest stall count that can be encoded without the yield flag.
    pub most_stall_without_yield: Known<u32>,
    /// Number of cycles, counted from the last yield or from the start of the basic block, after which compilers set
    /// the yield flag at the next stall of two cycles.
    pub most_without_yield: Known<u32>,
    /// The first architecture whose schedulers issue one instruction per cycle.
    first_single_issue: Known<u32>,
    /// The first architecture whose block-level fences set a scoreboard.
    pub first_block_fence_signals: Known<u32>,
    /// First architecture with a separate read-only cache. The next field is the first later architecture
    /// without one.
    pub read_only_cache_from: Known<u32>,
    pub read_only_cache_to: Known<u32>,
    /// Maximum number of cache lines whose tags are looked up at once.
    pub tag_banks: Known<u32>,
    /// Number of registers per thread that a kernel takes beyond the highest register named in its code.
    pub registers_set_aside: Known<u32>,
    /// Distance in bytes between the shared-memory windows of consecutive blocks of a cluster.
    pub shared_window_bytes: Known<u32>,
    /// The first architecture whose listings mark 64-bit addresses: `[R2.64]`.
    pub first_wide_addresses: Known<u32>,
    /// First architecture whose kernels load their parameters. Kernels of earlier architectures use
    /// parameters as operands in constant bank 0.
    pub first_loaded_parameters: Known<u32>,
    /// Size in bytes of a matrix row. One lane supplies the address of a row.
    pub matrix_row_bytes: Known<u32>,
    /// Number of rows per matrix. The next two fields are the maximum number of matrices per access, and the number
    /// of a matrix's bytes in one lane's register.
    pub matrix_rows: Known<u32>,
    pub most_matrices: Known<u32>,
    pub matrix_bytes_per_lane: Known<u32>,
    /// Size in bytes of the widest access per lane.
    pub widest_access_bytes: Known<u32>,
    /// Alignment in bytes of both addresses of a bulk copy.
    pub bulk_copy_alignment: Known<u32>,
    /// Alignment in bytes of the shared-memory address of a tensor copy.
    pub tensor_copy_alignment: Known<u32>,
    /// Alignment in bytes of an mbarrier.
    pub mbarrier_alignment: Known<u32>,
    /// Number of consecutive dual-issued pairs for the same unit that Kepler can execute. The next field is the
    /// number of single instructions that must follow these pairs.
    pub same_unit_pairs: Known<u32>,
    pub singles_between_pairs: Known<u32>,
    /// Register banks, in ascending order of architecture.
    register_banks: Vec<RegisterBanks>,
    /// Instruction fields, in ascending order of architecture.
    instruction_fields: Vec<InstructionFields>,
    set_at_launch: Vec<LaunchRegister>,
}

/// A register of one architecture that has a value at kernel start, in addition to the stack pointer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchRegister {
    sm: u16,
    uniform_register: Known<u32>,
}

/// Number of registers that an instruction word can address, and the widths of its offset and immediate fields.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstructionFields {
    /// First architecture with these fields.
    pub from: u16,
    /// Number of registers per file, without the register that always reads as zero or true. The next fields are for
    /// the other files.
    pub registers: Known<u32>,
    pub uniform_registers: Known<u32>,
    pub predicates: Known<u32>,
    pub uniform_predicates: Known<u32>,
    pub barriers: Known<u32>,
    /// Width in bits of an address's offset, including its sign.
    pub offset_bits: Known<u32>,
    pub constant_banks: Known<u32>,
    /// Size in bytes of a constant bank.
    pub constant_bank_bytes: Known<u32>,
    /// Width in bits of an immediate that takes the place of a register operand.
    pub number_bits: Known<u32>,
    /// Width in bits of an integer immediate, including its sign, in opcodes with a narrower field; `None` if
    /// all fields have the same width.
    pub short_number_bits: Option<Known<u32>>,
    #[serde(default)]
    pub short_numbers: Vec<String>,
}

/// The banks of a sub-core's register file. A register is in the bank `index % count`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterBanks {
    /// First architecture with these banks.
    pub from: u16,
    pub count: Known<u32>,
    /// Number of registers of one bank that an instruction can read without a conflict.
    pub at_once: Known<u32>,
}

impl Hardware {
    /// Returns the built-in figures, which are read once.
    ///
    /// # Panics
    ///
    /// Never in a build whose tests pass, because the tests read the same bytes.
    pub fn builtin() -> &'static Self {
        static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| data_text!("hardware.toml").built_in());
        &HARDWARE
    }

    /// True if a scheduler of the architecture may issue two instructions of a warp per cycle.
    pub fn issues_pairs(&self, sm: u16) -> bool {
        u32::from(sm) < self.first_single_issue.value
    }

    /// Returns the field widths of an architecture's instruction words.
    pub fn instruction_fields(&self, sm: u16) -> &InstructionFields {
        let known = self.instruction_fields.iter().rev().find(|fields| fields.from <= sm);
        known.unwrap_or(&self.instruction_fields[0])
    }

    /// The uniform register that is set at kernel start; `None` if the architecture has none.
    pub fn uniform_register_set_at_launch(&self, sm: u16) -> Option<u32> {
        self.set_at_launch.iter().find(|row| row.sm == sm).map(|row| row.uniform_register.value)
    }

    /// Returns the register banks of an architecture.
    ///
    /// # Panics
    ///
    /// Never, because the first row applies from 0 on. A test checks this.
    pub fn register_banks(&self, sm: u16) -> &RegisterBanks {
        self.register_banks.iter().rfind(|banks| banks.from <= sm).expect("the first row applies from 0 on")
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
