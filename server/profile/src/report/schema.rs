//! Messages of a report, with the fields that are read.
//!
//! Texts are bytes, because sources and host names are stored unconverted and may not be UTF-8. Repeated
//! submessages are bytes too: an empty submessage takes two bytes of a file and would take a hundred in
//! memory. [`unpacked`] decodes submessages after counting them.

use super::frames::MessageError;
use crate::limits::MAX_PARTS;
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};

/// Decodes a message. Returns an error if the message is malformed or has more fields than [`MAX_PARTS`].
pub(super) fn unpacked<M: Message + Default>(bytes: &[u8]) -> Result<M, MessageError> {
    if has_more_fields(bytes, MAX_PARTS) {
        return Err(MessageError::TooLarge);
    }
    Ok(M::decode(bytes)?)
}

/// True if a message has more than this number of fields, not counting nested fields.
fn has_more_fields(mut rest: &[u8], most: usize) -> bool {
    // Each field takes at least two bytes.
    if rest.len() / 2 <= most {
        return false;
    }
    let mut count = 0;
    while !rest.is_empty() {
        count += 1;
        if count > most {
            return true;
        }
        let Ok((_, kind)) = decode_key(&mut rest) else { return false };
        let length = match kind {
            WireType::Varint => decode_varint(&mut rest).ok().map(|_| 0),
            WireType::LengthDelimited => {
                decode_varint(&mut rest).ok().and_then(|length| usize::try_from(length).ok())
            }
            WireType::ThirtyTwoBit => Some(4),
            WireType::SixtyFourBit => Some(8),
            WireType::StartGroup | WireType::EndGroup => Some(0),
        };
        let Some(following) = length.and_then(|length| rest.get(length..)) else { return false };
        rest = following;
    }
    false
}

/// Converts a text of a message; invalid UTF-8 is replaced.
pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into_owned())
}

/// The header of a block.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct BlockHeader {
    #[prost(uint32, tag = "1")]
    pub sources: u32,
    /// Number of single-launch results.
    #[prost(uint32, tag = "2")]
    pub results: u32,
    /// Packed [`Names`].
    #[prost(bytes = "vec", optional, tag = "4")]
    pub names: Option<Vec<u8>>,
    #[prost(message, optional, tag = "6")]
    pub process: Option<Process>,
    /// Number of range results. The next two fields count results of command lists and of graphs.
    #[prost(uint32, tag = "7")]
    pub ranges: u32,
    #[prost(uint32, tag = "8")]
    pub lists: u32,
    #[prost(uint32, tag = "9")]
    pub graphs: u32,
}

/// The process of a block.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Process {
    #[prost(uint32, tag = "1")]
    pub number: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub host: Vec<u8>,
}

/// Names to which later messages refer by index.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Names {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub names: Vec<Vec<u8>>,
}

/// Figures of a launch.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct KernelResult {
    #[prost(bytes = "vec", tag = "5")]
    pub mangled: Vec<u8>,
    /// Name without parameter types.
    #[prost(bytes = "vec", tag = "6")]
    pub function: Vec<u8>,
    /// Empty if the function's name is not a C++ name.
    #[prost(bytes = "vec", tag = "7")]
    pub demangled: Vec<u8>,
    #[prost(message, optional, tag = "10")]
    pub grid: Option<Size>,
    #[prost(message, optional, tag = "11")]
    pub block: Option<Size>,
    /// Packed [`Metric`]s.
    #[prost(bytes = "vec", repeated, tag = "13")]
    pub metrics: Vec<Vec<u8>>,
    #[prost(message, optional, tag = "15")]
    pub source: Option<Source>,
}

/// Figures of a range of launches.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RangeResult {
    /// Packed [`Metric`]s.
    #[prost(bytes = "vec", repeated, tag = "4")]
    pub metrics: Vec<Vec<u8>>,
    #[prost(uint64, repeated, tag = "15")]
    pub programs: Vec<u64>,
}

/// Figures of a command list.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ListResult {
    /// Packed [`Metric`]s.
    #[prost(bytes = "vec", repeated, tag = "4")]
    pub metrics: Vec<Vec<u8>>,
    #[prost(uint64, repeated, tag = "17")]
    pub programs: Vec<u64>,
    #[prost(bytes = "vec", tag = "18")]
    pub name: Vec<u8>,
}

/// Figures of a graph.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct GraphResult {
    /// Packed [`Metric`]s.
    #[prost(bytes = "vec", repeated, tag = "4")]
    pub metrics: Vec<Vec<u8>>,
    #[prost(uint64, repeated, tag = "17")]
    pub programs: Vec<u64>,
}

/// A program that launches share, or later additions to a program.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Source {
    #[prost(uint64, tag = "1")]
    pub number: u64,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub code: Option<Vec<u8>>,
    /// Packed [`Files`].
    #[prost(bytes = "vec", optional, tag = "8")]
    pub files: Option<Vec<u8>>,
    /// Packed [`Relocations`].
    #[prost(bytes = "vec", optional, tag = "9")]
    pub relocations: Option<Vec<u8>>,
}

/// The source files of a program.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Files {
    #[prost(message, repeated, tag = "1")]
    pub files: Vec<File>,
}

/// A source file, with its text if it was imported.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct File {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub text: Option<Vec<u8>>,
}

/// The addresses of a program's functions in memory.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Relocations {
    #[prost(message, repeated, tag = "1")]
    pub functions: Vec<Symbol>,
}

/// A function's name and address.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Symbol {
    #[prost(bytes = "vec", tag = "1")]
    pub name: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub address: u64,
}

/// A size along the x, y and z axes.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Size {
    #[prost(uint64, tag = "1")]
    pub x: u64,
    #[prost(uint64, tag = "2")]
    pub y: u64,
    #[prost(uint64, tag = "3")]
    pub z: u64,
}

/// A metric, with the index of its name.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Metric {
    #[prost(uint32, tag = "1")]
    pub name: u32,
    #[prost(message, optional, tag = "2")]
    pub value: Option<MetricValue>,
    /// Packed [`Element`]s.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub parts: Vec<Vec<u8>>,
}

/// An instance of a metric: its key and its value.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Element {
    #[prost(message, optional, tag = "1")]
    pub key: Option<MetricValue>,
    #[prost(message, optional, tag = "2")]
    pub value: Option<MetricValue>,
}

/// A value of one of several types.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MetricValue {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub text: Option<Vec<u8>>,
    #[prost(float, optional, tag = "2")]
    pub single: Option<f32>,
    #[prost(double, optional, tag = "3")]
    pub double: Option<f64>,
    #[prost(uint32, optional, tag = "4")]
    pub short: Option<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub long: Option<u64>,
}
