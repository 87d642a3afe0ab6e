//! Fields of the TOML files under `data/` and of a user's overlay, with the position of every key.

use crate::{Bound, Known, Rule, Source};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use toml::Spanned;

/// A name and its position in the file.
pub(super) type Key = Spanned<String>;

/// `{ cycles = 4, source = "measured:..." }`. No time is zero.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cycles {
    cycles: NonZeroU32,
    source: Source,
}

impl From<Cycles> for Known<u32> {
    fn from(cycles: Cycles) -> Self {
        Self { value: cycles.cycles.get(), source: cycles.source }
    }
}

/// One architecture: `sm.toml` and `classes.toml` together, or a `[sm_90]` table of an overlay. All fields
/// are optional.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ArchFile {
    pub(super) name: Option<String>,
    /// Chips that supply the figures that this chip lacks, nearest first.
    pub(super) nearest: Option<Vec<Key>>,
    /// Compute capabilities without their own folder that use this architecture.
    pub(super) covers: Option<Vec<u16>>,
    /// Each `.target` of the chip and of the compute capabilities that it covers. The table of PTX is built from the
    /// built-in files only.
    pub(super) targets: BTreeMap<Key, TargetFile>,
    /// Differences on each covered compute capability, by its number.
    pub(super) on: BTreeMap<Key, DifferenceFile>,
    pub(super) resources: BTreeMap<Key, Known<u32>>,
    pub(super) units: BTreeMap<Key, Known<u32>>,
    pub(super) memory: BTreeMap<Key, Cycles>,
    /// Byte offsets in constant bank 0.
    pub(super) constant_bank: BTreeMap<Key, Known<u32>>,
    pub(super) requests: BTreeMap<Key, Known<u32>>,
    pub(super) rates: BTreeMap<Key, Known<u32>>,
    /// Cycles from an instruction that writes a predicate until an instruction guarded by the predicate may
    /// issue.
    pub(super) guard: Option<Cycles>,
    /// True if latencies are counted from the end of the dispatch instead of from issue.
    pub(super) latencies_exclude_dispatch: Option<bool>,
    /// Summary of each pipe.
    pub(super) pipes: BTreeMap<String, String>,
    pub(super) class: BTreeMap<Key, ClassFile>,
    /// Figures of the issue simulation, by section.
    pub(super) pipeline: BTreeMap<Key, BTreeMap<Key, Known<u32>>>,
    /// Rule by which the opcodes of each class issue.
    pub(super) rules: BTreeMap<Key, Rule>,
    /// Rules of single opcodes.
    pub(super) opcode_rules: BTreeMap<String, Rule>,
    /// Operand slots of each opcode's sources, by opcode.
    pub(super) slots: BTreeMap<String, String>,
    /// Possible sizes of the shared-memory carveout in kilobytes.
    pub(super) carveouts: Option<CarveoutsFile>,
    /// Figures that differ from part to part.
    pub(super) per_part: Option<PerPartFile>,
    /// The instructions without a measured time.
    pub(super) untimed: UntimedFile,
    /// Cycles from a producer class to a consumer class, by producer and then by consumer.
    pub(super) raw: BTreeMap<Key, BTreeMap<Key, Cycles>>,
}

/// `{ ptx = "8.0", source = "vendor:…" }`: the PTX version that introduced a `.target`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetFile {
    pub(super) ptx: Key,
    pub(super) source: Source,
}

/// `[on.103]`: differences on a compute capability that the architecture covers.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DifferenceFile {
    pub(super) units: BTreeMap<Key, Known<u32>>,
    pub(super) class: BTreeMap<Key, ClassFile>,
}

/// `carveouts = { kilobytes = [0, 8], source = "…" }`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CarveoutsFile {
    pub(super) kilobytes: Vec<u16>,
    pub(super) source: Source,
}

/// Figures that differ between parts of one architecture. A part without its own figures uses those of the
/// usual part, scaled if the figure is listed below.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PerPartFile {
    /// Sections whose figures are specific to a part.
    pub(super) sections: Vec<Key>,
    /// Figures (such as `dram.full`) that are proportional to the DRAM bandwidth in bytes per cycle.
    pub(super) by_bandwidth: Vec<String>,
    /// Figures that are proportional to the size of the L2 cache.
    pub(super) by_l2_size: Vec<String>,
}

/// `[untimed]`: upper bounds for the instructions without a measured time.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UntimedFile {
    /// The bound for unknown opcodes, and for classes with neither a rule nor their own entry.
    pub(super) other: Option<BoundFile>,
    /// The bound for generic accesses that may be outside global memory.
    pub(super) generic: Option<BoundFile>,
    pub(super) class: BTreeMap<Key, BoundFile>,
    pub(super) opcode: BTreeMap<String, BoundFile>,
}

/// `{ latency = 256, interval = 128, source = "guess:…" }`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoundFile {
    latency: NonZeroU32,
    interval: NonZeroU32,
    #[serde(default)]
    moves: bool,
    source: Source,
}

impl From<BoundFile> for Bound {
    fn from(bound: BoundFile) -> Self {
        Self {
            latency: bound.latency.get(),
            interval: bound.interval.get(),
            moves: bound.moves,
            source: bound.source,
        }
    }
}

/// `[class.fma]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassFile {
    pub(super) pipe: Option<Key>,
    /// The queue in which results return, if it differs from the queue in `classes.csv`.
    pub(super) returns: Option<Key>,
    pub(super) issue: Option<Cycles>,
    pub(super) latency: Option<Spanned<LatencyFile>>,
}

/// `{ kind = "fixed", cycles = 4, source = "…" }`. A fixed latency may omit the number if `raw.csv` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LatencyFile {
    pub(super) kind: Option<LatencyKind>,
    pub(super) cycles: Option<NonZeroU32>,
    pub(super) source: Option<Source>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LatencyKind {
    Fixed,
    Variable,
}

/// `[h100-sxm]` of `parts.toml`, or `[parts.my-h100]` of an overlay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartFile {
    pub(super) name: Option<String>,
    pub(super) sm: Option<u16>,
    pub(super) sm_count: Option<Known<u32>>,
    pub(super) cluster_groups: Option<Known<Vec<u32>>>,
    pub(super) base_mhz: Option<Known<u32>>,
    pub(super) boost_mhz: Option<Known<u32>>,
    pub(super) l2_bytes: Option<Known<u64>>,
    pub(super) dram_bytes_per_second: Option<Known<f64>>,
    /// Names that NVIDIA's driver reports for the part.
    pub(super) driver_names: Option<Vec<String>>,
    /// Figures of the issue simulation that are specific to the part, by section.
    #[serde(default)]
    pub(super) pipeline: BTreeMap<Key, BTreeMap<Key, Known<u32>>>,
}

pub(super) type PartsFile = BTreeMap<Key, PartFile>;

/// A user's file or calibration output: any of the tables under `data/`, in one text.
#[derive(Debug, Default)]
pub(super) struct OverlayFile {
    pub(super) archs: Vec<(Key, ArchFile)>,
    pub(super) parts: PartsFile,
}

impl<'de> Deserialize<'de> for OverlayFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OverlayVisitor)
    }
}

struct OverlayVisitor;

impl<'de> Visitor<'de> for OverlayVisitor {
    type Value = OverlayFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tables `[sm_90]`, … and `[parts.<id>]`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OverlayFile, A::Error> {
        let mut file = OverlayFile::default();
        while let Some(key) = map.next_key::<Key>()? {
            if key.get_ref() == "parts" {
                file.parts = map.next_value()?;
            } else {
                file.archs.push((key, map.next_value()?));
            }
        }
        Ok(file)
    }
}
