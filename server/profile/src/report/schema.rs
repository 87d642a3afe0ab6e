//! The messages of a report, as far as they are read.
//!
//! Texts are bytes here, as not all are UTF-8: sources and names of hosts are written as they are.

/// A text of a message.
pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into_owned())
}

/// The head of a block.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct BlockHeader {
    #[prost(uint32, tag = "1")]
    pub sources: u32,
    /// Of single launches.
    #[prost(uint32, tag = "2")]
    pub results: u32,
    #[prost(message, optional, tag = "4")]
    pub names: Option<Names>,
    #[prost(message, optional, tag = "6")]
    pub process: Option<Process>,
    /// Of ranges, of lists of commands and of graphs.
    #[prost(uint32, tag = "7")]
    pub ranges: u32,
    #[prost(uint32, tag = "8")]
    pub lists: u32,
    #[prost(uint32, tag = "9")]
    pub graphs: u32,
}

/// The process that a block is of.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Process {
    #[prost(uint32, tag = "1")]
    pub number: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub host: Vec<u8>,
}

/// Names that later messages number.
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
    /// Without its parameters' types.
    #[prost(bytes = "vec", tag = "6")]
    pub function: Vec<u8>,
    /// Empty where the function is no name of C++.
    #[prost(bytes = "vec", tag = "7")]
    pub demangled: Vec<u8>,
    #[prost(message, optional, tag = "10")]
    pub grid: Option<Size>,
    #[prost(message, optional, tag = "11")]
    pub block: Option<Size>,
    #[prost(message, repeated, tag = "13")]
    pub metrics: Vec<Metric>,
    #[prost(message, optional, tag = "15")]
    pub source: Option<Source>,
}

/// Figures of a range of launches.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RangeResult {
    #[prost(message, repeated, tag = "4")]
    pub metrics: Vec<Metric>,
    #[prost(uint64, repeated, tag = "15")]
    pub programs: Vec<u64>,
}

/// Figures of a list of commands.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ListResult {
    #[prost(message, repeated, tag = "4")]
    pub metrics: Vec<Metric>,
    #[prost(uint64, repeated, tag = "17")]
    pub programs: Vec<u64>,
    #[prost(bytes = "vec", tag = "18")]
    pub name: Vec<u8>,
}

/// Figures of a graph.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct GraphResult {
    #[prost(message, repeated, tag = "4")]
    pub metrics: Vec<Metric>,
    #[prost(uint64, repeated, tag = "17")]
    pub programs: Vec<u64>,
}

/// A program that launches share, or what came to be known of it later.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Source {
    #[prost(uint64, tag = "1")]
    pub number: u64,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub code: Option<Vec<u8>>,
    #[prost(message, optional, tag = "8")]
    pub files: Option<Files>,
    #[prost(message, optional, tag = "9")]
    pub relocations: Option<Relocations>,
}

/// The source files of a program.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Files {
    #[prost(message, repeated, tag = "1")]
    pub files: Vec<File>,
}

/// A source file, with its text where it was imported.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct File {
    #[prost(bytes = "vec", tag = "1")]
    pub path: Vec<u8>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub text: Option<Vec<u8>>,
}

/// Where a program's functions stood in memory.
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

/// A size along each axis.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Size {
    #[prost(uint64, tag = "1")]
    pub x: u64,
    #[prost(uint64, tag = "2")]
    pub y: u64,
    #[prost(uint64, tag = "3")]
    pub z: u64,
}

/// A metric by the number of its name.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Metric {
    #[prost(uint32, tag = "1")]
    pub name: u32,
    #[prost(message, optional, tag = "2")]
    pub value: Option<MetricValue>,
    #[prost(message, repeated, tag = "3")]
    pub parts: Vec<Element>,
}

/// The value of a part of a metric.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Element {
    #[prost(message, optional, tag = "1")]
    pub key: Option<MetricValue>,
    #[prost(message, optional, tag = "2")]
    pub value: Option<MetricValue>,
}

/// A value of one of the kinds.
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
