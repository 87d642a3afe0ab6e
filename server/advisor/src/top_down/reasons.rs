//! The reasons why a warp does not issue, and their categories.

/// Category of stall reasons (DrGPU, Figure 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Category {
    DeviceMemory,
    Synchronisation,
    Instruction,
    SharedMemory,
    Other,
}

impl Category {
    /// All categories, in the order of the paper's figure.
    pub(super) const ALL: [Self; 5] =
        [Self::DeviceMemory, Self::Synchronisation, Self::Instruction, Self::SharedMemory, Self::Other];

    /// Returns the name that outputs print.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::DeviceMemory => "device_memory",
            Self::Synchronisation => "synchronisation",
            Self::Instruction => "instruction",
            Self::SharedMemory => "shared_memory",
            Self::Other => "other",
        }
    }

    /// Returns the title for readers.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::DeviceMemory => "global and local memory",
            Self::Synchronisation => "synchronisation",
            Self::Instruction => "instructions",
            Self::SharedMemory => "shared memory",
            Self::Other => "other",
        }
    }
}

/// A reason why a warp does not issue.
#[derive(Debug)]
pub(super) struct Reason {
    /// Name in the metrics of Nsight Compute: `long_scoreboard`.
    pub(super) name: &'static str,
    /// Description for readers.
    pub(super) title: &'static str,
    pub(super) category: Category,
    /// Other names of the reason. Metrics of averages and of samples use different names for some reasons,
    /// and nvprof has its own names.
    pub(super) spellings: &'static [&'static str],
}

const fn reason(
    name: &'static str,
    title: &'static str,
    category: Category,
    spellings: &'static [&'static str],
) -> Reason {
    Reason { name, title, category, spellings }
}

/// The thirteen reasons of the paper, and other reasons. `selected` and `not_selected` are omitted, because warps in
/// these states could issue.
pub(super) static REASONS: [Reason; 18] = [
    reason(
        "long_scoreboard",
        "waits for global or local memory",
        Category::DeviceMemory,
        &["memory_dependency"],
    ),
    reason(
        "lg_throttle",
        "global and local memory queue is full",
        Category::DeviceMemory,
        &["memory_throttle"],
    ),
    reason("barrier", "waits at a block barrier", Category::Synchronisation, &["sync"]),
    reason("membar", "waits for a memory barrier", Category::Synchronisation, &[]),
    reason("wait", "waits for a fixed-latency instruction", Category::Instruction, &["exec_dependency"]),
    reason("math_pipe_throttle", "execution pipe is busy", Category::Instruction, &["pipe_busy"]),
    reason("drain", "waits for outstanding stores at exit", Category::Instruction, &[]),
    reason("short_scoreboard", "waits for shared memory or special functions", Category::SharedMemory, &[]),
    reason("mio_throttle", "shared memory queue is full", Category::SharedMemory, &[]),
    reason("dispatch_stall", "dispatch stall", Category::Other, &["dispatch"]),
    reason(
        "imc_miss",
        "waits for a constant cache miss",
        Category::Other,
        &["imc", "constant_memory_dependency"],
    ),
    reason(
        "no_instruction",
        "waits for instruction fetch",
        Category::Other,
        &["no_instructions", "inst_fetch"],
    ),
    reason("branch_resolving", "waits for a branch target", Category::Other, &[]),
    // Reasons that newer profilers report or that the paper omits.
    reason("tex_throttle", "texture queue is full", Category::DeviceMemory, &["tex", "texture"]),
    reason("gmma", "waits for warpgroup matrix operations", Category::Instruction, &["warpgroup_arrive"]),
    reason("sleeping", "sleeps", Category::Other, &["sleep"]),
    reason("misc", "other reasons", Category::Other, &["other"]),
    reason("uniform", "waits for the uniform data path", Category::Other, &["uniform_throttle"]),
];

impl Reason {
    /// All names under which profilers report the reason.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.spellings.iter().copied())
    }
}
