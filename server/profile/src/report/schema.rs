//! The messages of a report, as far as they are read.

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
    /// Of ranges, of lists of commands and of graphs.
    #[prost(uint32, tag = "7")]
    pub ranges: u32,
    #[prost(uint32, tag = "8")]
    pub lists: u32,
    #[prost(uint32, tag = "9")]
    pub graphs: u32,
}

impl BlockHeader {
    /// Results that are of no single launch.
    pub(super) fn others(&self) -> u64 {
        u64::from(self.ranges) + u64::from(self.lists) + u64::from(self.graphs)
    }
}

/// Names that later messages number.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Names {
    #[prost(string, repeated, tag = "1")]
    pub names: Vec<String>,
}

/// What was measured of a launch.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Result {
    #[prost(string, tag = "5")]
    pub mangled: String,
    #[prost(string, tag = "7")]
    pub demangled: String,
    #[prost(message, optional, tag = "10")]
    pub grid: Option<Size>,
    #[prost(message, optional, tag = "11")]
    pub block: Option<Size>,
    #[prost(message, repeated, tag = "13")]
    pub metrics: Vec<Metric>,
    #[prost(message, optional, tag = "15")]
    pub source: Option<Source>,
}

/// Code that launches share. Its binary is passed over.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Source {
    #[prost(uint64, tag = "1")]
    pub number: u64,
    #[prost(message, optional, tag = "9")]
    pub relocations: Option<Relocations>,
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
    #[prost(string, tag = "1")]
    pub name: String,
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
    #[prost(string, optional, tag = "1")]
    pub text: Option<String>,
    #[prost(float, optional, tag = "2")]
    pub single: Option<f32>,
    #[prost(double, optional, tag = "3")]
    pub double: Option<f64>,
    #[prost(uint32, optional, tag = "4")]
    pub short: Option<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub long: Option<u64>,
}
