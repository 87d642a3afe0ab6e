//! Reasons why a function or a region has no cycles.

use model::pipeline::NoPath;
use thiserror::Error;

/// Reason why a function or one of its regions is not timed, as a one-line message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CyclesError {
    #[error("the function `{function}` has no code")]
    NoCode { function: String },
    #[error(
        "`{function}`: the clock read at {address:#06x} has no second read after it; expected reads in pairs"
    )]
    SingleRead { function: String, address: u32 },
    /// An end of the range is at no instruction. In PTX, ends are lines or labels.
    #[error("`{function}` has no instruction at `{place}`; expected {}", expected_place(*.is_ptx))]
    NoInstruction { function: String, place: String, is_ptx: bool },
    #[error("`{range}` is one instruction; expected a range between two instructions")]
    OneInstruction { range: String },
    #[error(
        "`{gpu}` is not calibrated, so cycles on it cannot be predicted; calibrated GPUs: {}",
        .calibrated.join(", ")
    )]
    NotCalibrated { gpu: String, calibrated: Vec<String> },
    /// The listing is code for another architecture (`code_sm`) than that of the GPU (`gpu_sm`).
    #[error(
        "`{function}` is sm_{code_sm} code, whose control codes do not determine the cycles on `{gpu}` (sm_{gpu_sm})"
    )]
    OtherArchitecture { function: String, code_sm: u16, gpu: String, gpu_sm: u16 },
    #[error("{warps} warps; expected 1 to {most}, the limit of an SM of `{gpu}`")]
    Warps { warps: u32, most: u32, gpu: String },
    #[error(
        "`{function}` has instructions without control codes; expected a listing with encodings (`cuobjdump -sass`, \
         `nvdisasm -hex`)"
    )]
    NoControlCodes { function: String },
    #[error("`{function}`, region {region}: {why}")]
    Region {
        function: String,
        region: String,
        #[source]
        why: RegionError,
    },
}

/// Reason why a region is not timed, without the names of its function and the region.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegionError {
    #[error("{}{why}", order(*.is_backward))]
    NoPath {
        /// True if the end of the region is before its start.
        is_backward: bool,
        #[source]
        why: NoPath,
    },
    /// The trip count of a loop is unknown. `key` is the loop's key in `trips`.
    #[error("{}{why}; state it in the launch's `trips = {{ \"{key}\" = N }}` in warplens.toml", order(*.is_backward))]
    Trips {
        is_backward: bool,
        #[source]
        why: NoPath,
        key: String,
    },
    /// The trip count of a loop in PTX is unknown. The loop ends on `line`.
    #[error(
        "{}the iteration count of the loop that ends on line {line} is unknown; state it in the launch's \
         `trips = {{ \"{key}\" = N }}` in warplens.toml",
        order(*.is_backward)
    )]
    TripsOfLine { is_backward: bool, line: u32, key: String },
    #[error("{warps} warps issue more than {most} instructions, the limit of a simulation")]
    TooLong { warps: u32, most: u64 },
    #[error("no warp reaches it")]
    NotReached,
}

const fn expected_place(is_ptx: bool) -> &'static str {
    if is_ptx {
        "a line that becomes an instruction, or a label"
    } else {
        "an address in hexadecimal or a label"
    }
}

const fn order(is_backward: bool) -> &'static str {
    if is_backward { "its end is before its start, and no known loop leads back: " } else { "" }
}
