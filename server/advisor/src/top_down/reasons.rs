//! The reasons for which a warp does not issue, and their categories.

use serde::Serialize;

/// Category of stall reasons (DrGPU, Figure 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    DeviceMemory,
    Synchronisation,
    Instruction,
    SharedMemory,
    Other,
}

impl Category {
    /// All of them, in the order of the paper's figure.
    pub const ALL: [Self; 5] =
        [Self::DeviceMemory, Self::Synchronisation, Self::Instruction, Self::SharedMemory, Self::Other];

    /// Returns the name as outputs print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DeviceMemory => "device_memory",
            Self::Synchronisation => "synchronisation",
            Self::Instruction => "instruction",
            Self::SharedMemory => "shared_memory",
            Self::Other => "other",
        }
    }

    /// Returns the name in words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::DeviceMemory => "device memory",
            Self::Synchronisation => "synchronisation",
            Self::Instruction => "instructions",
            Self::SharedMemory => "shared memory",
            Self::Other => "other",
        }
    }
}

/// A reason for which a warp does not issue.
#[derive(Debug)]
pub struct Reason {
    /// As Nsight Compute's metrics name it: `long_scoreboard`.
    pub name: &'static str,
    /// The reason in words.
    pub title: &'static str,
    pub category: Category,
    /// Other spellings: metrics of averages and of samples do not always agree, and nvprof has its own.
    pub(super) spellings: &'static [&'static str],
    /// One of the thirteen of the paper; profilers report the others since, or the paper leaves them out.
    pub of_paper: bool,
}

const fn paper(
    name: &'static str,
    title: &'static str,
    category: Category,
    spellings: &'static [&'static str],
) -> Reason {
    Reason { name, title, category, spellings, of_paper: true }
}

const fn later(
    name: &'static str,
    title: &'static str,
    category: Category,
    spellings: &'static [&'static str],
) -> Reason {
    Reason { name, title, category, spellings, of_paper: false }
}

/// All reasons. `selected` and `not_selected` are none: such warps could have issued.
pub(super) static REASONS: [Reason; 18] = [
    paper(
        "long_scoreboard",
        "waits for global or local memory",
        Category::DeviceMemory,
        &["memory_dependency"],
    ),
    paper(
        "lg_throttle",
        "queue for global and local memory is full",
        Category::DeviceMemory,
        &["memory_throttle"],
    ),
    paper("barrier", "waits at a block's barrier", Category::Synchronisation, &["sync"]),
    paper("membar", "waits for a memory barrier", Category::Synchronisation, &[]),
    paper("wait", "waits for an instruction of fixed latency", Category::Instruction, &["exec_dependency"]),
    paper("math_pipe_throttle", "execution pipe is busy", Category::Instruction, &["pipe_busy"]),
    paper("drain", "waits for stores at the end", Category::Instruction, &[]),
    paper("short_scoreboard", "waits for shared memory or special functions", Category::SharedMemory, &[]),
    paper("mio_throttle", "queue for shared memory is full", Category::SharedMemory, &[]),
    paper("dispatch_stall", "dispatcher holds back", Category::Other, &["dispatch"]),
    paper("imc_miss", "waits for constants", Category::Other, &["imc", "constant_memory_dependency"]),
    paper(
        "no_instruction",
        "waits for instructions to be fetched",
        Category::Other,
        &["no_instructions", "inst_fetch"],
    ),
    paper("branch_resolving", "waits for a branch's target", Category::Other, &[]),
    later("tex_throttle", "queue for textures is full", Category::DeviceMemory, &["tex", "texture"]),
    later("gmma", "waits for warpgroup products", Category::Instruction, &["warpgroup_arrive"]),
    later("sleeping", "sleeps", Category::Other, &["sleep"]),
    later("misc", "other reasons", Category::Other, &["other"]),
    later("uniform", "waits for the uniform data path", Category::Other, &["uniform_throttle"]),
];

impl Reason {
    /// All names under which profilers report it.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.spellings.iter().copied())
    }
}
