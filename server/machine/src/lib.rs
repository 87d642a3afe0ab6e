//! GPUs as data: SM resources, units, opcode tables and latencies. Each number has its source.
//!
//! [`Machine::builtin`] loads the files of `data/`. An overlay, such as a user's file or calibration output,
//! is read by the same loader. The crate does not process program text.

mod any_of;
mod arch;
mod class;
mod distances;
pub mod docs;
mod figures;
mod formula;
mod gpu;
mod hardware;
mod isa;
mod known;
mod launch_limits;
mod load;
mod min_latencies;
mod min_stalls;
mod nearest;
mod operations;
mod peaks;
mod pipeline;
pub mod ptx;
mod spelling;
mod static_model;
pub mod units;

pub use any_of::any_of;
pub use arch::{Arch, ConstantBank, FunctionUnit, MemoryTimes, Pipe, Rates, RequestRules, SmResources, Unit};
pub use class::{Class, ClassId, ClassTrait, InOrder, Latency};
pub use distances::{Distance, DistanceKey, Distances, File, ResultPart, Usage};
pub use formula::{Condition, Formula, FormulaError};
pub use gpu::{Gpu, Part, UnknownGpu};
pub use hardware::{Hardware, InstructionFields, RegisterBanks};
pub use isa::{Flow, Isa, MemorySpace, Opcode, OpcodeId, OperandRole, RegisterCount, RoleKind};
pub use known::{Known, Source, SourceSyntax};
pub use launch_limits::LaunchLimits;
pub use load::{Alias, DataError, Machine};
pub use min_latencies::{min_latency, min_latency_off};
pub use min_stalls::{Successor, min_stalls};
pub use nearest::{did_you_mean, nearest_name};
pub use operations::{CountUnit, OperationKind, Operations};
pub use pipeline::{Bound, Pipeline, Rule, Untimed};
pub use spelling::{OperandKind, OperandKinds, Spelling};
pub use static_model::StaticModel;
