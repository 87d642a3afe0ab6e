//! Slots of values: registers, and the numbers and words that the code reads.

use super::lanes::{Flags, Lanes};
use crate::address::WarpThreads;
use crate::{Launch, Register, RegisterFile};
use machine::Arch;
use rustc_hash::FxHashMap;

/// Contents of a slot before its first write.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum InitialValue {
    /// A register that has not been written.
    Unwritten,
    Number(u32),
    /// A word of constant bank 0, by byte offset.
    Constant(u32),
    /// A word of constant bank 4, by byte offset: the driver stores the addresses of the module's arrays there.
    Symbol(u32),
    Special(Box<str>),
}

/// Slots of a kernel, numbered in the order in which the decoder first uses them.
#[derive(Debug, Default)]
pub(super) struct Files {
    values: Vec<InitialValue>,
    registers: FxHashMap<Register, u16>,
    others: FxHashMap<InitialValue, u16>,
    flags: FxHashMap<Register, u16>,
    /// True before Volta, where some opcodes differ. For example, `IMAD.HI` adds a word rather than a pair.
    pub is_old: bool,
    /// True if the instruction being decoded writes the condition code.
    pub writes_condition: bool,
}

/// The slot of `PT`.
pub(super) const ALWAYS: u16 = 0; // limit: the first slot

/// Placeholder for the start of a thread's stack, which the driver sets. Any aligned address works.
const STACK: u32 = 0x00ff_f000; // limit: any aligned address

impl Files {
    pub(super) fn new(is_old: bool) -> Self {
        Self { is_old, ..Self::default() }
    }

    pub(super) fn register(&mut self, register: Register) -> Option<u16> {
        if !matches!(register.file, RegisterFile::General | RegisterFile::Uniform | RegisterFile::Named) {
            return None;
        }
        let next = u16::try_from(self.values.len()).ok()?;
        let slot = *self.registers.entry(register).or_insert(next);
        if slot == next {
            self.values.push(InitialValue::Unwritten);
        }
        Some(slot)
    }

    fn other(&mut self, initial: InitialValue) -> u16 {
        let next = self.values.len() as u16;
        let slot = *self.others.entry(initial.clone()).or_insert(next);
        if slot == next {
            self.values.push(initial);
        }
        slot
    }

    pub(super) fn number(&mut self, value: u32) -> u16 {
        self.other(InitialValue::Number(value))
    }

    /// Returns the slot of a word in a constant bank; `None` for banks with unknown contents.
    pub(super) fn constant(&mut self, bank: u32, offset: u32) -> Option<u16> {
        match bank {
            0 => Some(self.other(InitialValue::Constant(offset))),
            4 if !self.is_old => Some(self.other(InitialValue::Symbol(offset))),
            _ => None,
        }
    }

    pub(super) fn special(&mut self, name: &str) -> u16 {
        self.other(InitialValue::Special(name.into()))
    }

    /// Returns the slot of a predicate; `None` for other registers.
    pub(super) fn flag(&mut self, register: Register) -> Option<u16> {
        let is_flag = matches!(
            register.file,
            RegisterFile::Predicate | RegisterFile::UniformPredicate | RegisterFile::ConditionCode
        );
        let next = self.flags.len() as u16 + ALWAYS + 1;
        is_flag.then(|| *self.flags.entry(register).or_insert(next))
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    pub(super) fn flag_count(&self) -> usize {
        self.flags.len() + 1
    }

    pub(super) fn into_values(self) -> Vec<InitialValue> {
        self.values
    }
}

/// Returns the initial predicates: `PT` is true, all others are unknown.
pub(super) fn initial_flags(count: usize) -> Vec<Flags> {
    let mut flags = vec![Flags::UNKNOWN; count];
    flags[usize::from(ALWAYS)] = Flags::TRUE;
    flags
}

impl InitialValue {
    /// Returns the initial value in each lane of a warp.
    pub(super) fn lanes(&self, arch: &Arch, launch: &Launch, place: &WarpThreads) -> Lanes {
        let known = |value: Option<u32>| value.map_or(Lanes::UNKNOWN, Lanes::splat);
        match self {
            Self::Unwritten => Lanes::UNKNOWN,
            Self::Number(value) => Lanes::splat(*value),
            Self::Constant(offset) if *offset == arch.constant_bank.stack.value => Lanes::splat(STACK),
            Self::Constant(offset) => known(launch.constant(arch, *offset)),
            Self::Symbol(offset) => known(symbol(*offset)),
            Self::Special(name) => special(name, arch, launch, place),
        }
    }
}

/// Returns a word of the placeholder address of a module's array. These placeholder addresses follow the
/// placeholder addresses of parameters.
fn symbol(offset: u32) -> Option<u32> {
    const FIRST: u64 = 1 << 23; // limit: more parameters than any kernel has
    let address = (FIRST + u64::from(offset / 8)).wrapping_mul(Launch::ARRAY_SPACING);
    match offset % 8 {
        0 => Some(address as u32),
        4 => Some((address >> 32) as u32),
        _ => None,
    }
}

fn special(name: &str, arch: &Arch, launch: &Launch, place: &WarpThreads) -> Lanes {
    let tid = |axis: usize| {
        Lanes::from_fn(|lane| place.tid(lane, arch.resources.warp_size).map_or(0, |tid| tid[axis]))
    };
    match name {
        "SR_TID.X" => tid(0),
        "SR_TID.Y" => tid(1),
        "SR_TID.Z" => tid(2),
        "SR_CTAID.X" => Lanes::splat(place.ctaid[0]),
        "SR_CTAID.Y" => Lanes::splat(place.ctaid[1]),
        "SR_CTAID.Z" => Lanes::splat(place.ctaid[2]),
        "SR_NTID.X" => Lanes::splat(launch.block[0]),
        "SR_NTID.Y" => Lanes::splat(launch.block[1]),
        "SR_NTID.Z" => Lanes::splat(launch.block[2]),
        "SR_NCTAID.X" => Lanes::splat(launch.grid[0]),
        "SR_NCTAID.Y" => Lanes::splat(launch.grid[1]),
        "SR_NCTAID.Z" => Lanes::splat(launch.grid[2]),
        "SR_LANEID" => Lanes::from_fn(|lane| lane),
        "SR_EQMASK" => Lanes::from_fn(|lane| 1 << lane),
        "SR_LTMASK" => Lanes::from_fn(|lane| (1 << lane) - 1),
        "SR_LEMASK" => Lanes::from_fn(|lane| u32::MAX >> (31 - lane)),
        "SR_GTMASK" => Lanes::from_fn(|lane| !(u32::MAX >> (31 - lane))),
        "SR_GEMASK" => Lanes::from_fn(|lane| !((1 << lane) - 1)),
        "SR_CgaCtaId" => Lanes::splat(rank(launch, place)),
        "SR_SWINHI" => Lanes::splat(Launch::SHARED_WINDOW),
        "SRZ" => Lanes::splat(0),
        _ => Lanes::UNKNOWN,
    }
}

/// Returns the number of a warp's block in its cluster; 0 for a block outside a cluster.
pub(super) fn rank(launch: &Launch, place: &WarpThreads) -> u32 {
    let at = |axis: usize| place.ctaid[axis] % launch.cluster[axis].max(1);
    let [x, y, _] = launch.cluster;
    at(0) + x.max(1) * (at(1) + y.max(1) * at(2))
}
