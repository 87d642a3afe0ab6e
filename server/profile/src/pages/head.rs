//! The columns of a page that identify the launch of a row.

use crate::launch::{Kernel, Launch};
use csv::StringRecord;
use std::sync::Arc;

/// Titles of columns that are not metrics.
const OF_LAUNCH: [&str; 11] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
];

/// True if a column describes the launch and is not a metric.
pub(super) fn is_of_launch(title: &str) -> bool {
    OF_LAUNCH.contains(&title)
}

/// Indices of the columns that describe a launch.
pub(super) struct Head {
    kernel: usize,
    grid: Option<usize>,
    block: Option<usize>,
    device: Option<usize>,
    capability: Option<usize>,
}

impl Head {
    /// Finds the columns in a title row; `None` if the kernel name's column is missing.
    pub(super) fn from_titles(titles: &[Arc<str>]) -> Option<Self> {
        let column = |title: &str| titles.iter().position(|own| &**own == title);
        Some(Self {
            kernel: column("Kernel Name")?,
            grid: column("Grid Size"),
            block: column("Block Size"),
            device: column("Device"),
            capability: column("CC"),
        })
    }

    /// The launch of a row, without its metrics.
    pub(super) fn launch(&self, row: &StringRecord) -> Launch {
        let field = |column: Option<usize>| column.and_then(|column| row.get(column));
        Launch {
            kernel: Kernel { mangled: None, demangled: row.get(self.kernel).unwrap_or_default().to_owned() },
            grid: field(self.grid).and_then(size),
            block: field(self.block).and_then(size),
            device: field(self.device).and_then(|device| device.parse().ok()),
            capability: field(self.capability).and_then(pair),
            ..Launch::default()
        }
    }
}

/// Reads a size: `(32, 8, 1)`.
pub(super) fn size(text: &str) -> Option<[u64; 3]> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let sizes: Vec<u64> = inner.split(',').map(|size| size.trim().parse().ok()).collect::<Option<_>>()?;
    sizes.try_into().ok()
}

/// Reads a compute capability: `9.0`.
pub(super) fn pair(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
