//! GPU products (parts), and the pair of part and architecture for which a prediction is made.

use crate::{Arch, Known, nearest_name};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// A part: its SM count, its clocks and its memory.
#[derive(Debug, Clone)]
pub struct Part {
    /// Name that users write: `h100-sxm`.
    pub id: String,
    /// Name that NVIDIA prints: `H100 SXM5 80 GB`.
    pub name: String,
    pub sm: u16,
    pub sm_count: Known<u32>,
    /// Number of SMs in each group of SMs (GPC). All blocks of a cluster run in one group. `None` if the groups are
    /// unknown. The groups may differ between GPUs of the same part.
    pub cluster_groups: Option<Known<Vec<u32>>>,
    pub base_mhz: Option<Known<u32>>,
    pub boost_mhz: Known<u32>,
    pub l2_bytes: Known<u64>,
    pub dram_bytes_per_second: Known<f64>,
    /// Names of the part in NVIDIA's driver: `NVIDIA H200`.
    pub driver_names: Vec<String>,
    /// Figures of the issue simulation that were measured on this part, by section and name. All other
    /// figures come from the architecture.
    pub(crate) figures: BTreeMap<(String, String), Known<u32>>,
}

/// The GPU to which a figure applies.
#[derive(Debug, Clone)]
pub struct Gpu {
    pub part: Arc<Part>,
    pub arch: Arc<Arch>,
}

impl Part {
    /// Returns the number of blocks that run at once if an SM has room for `resident` blocks and `cluster` blocks form a
    /// cluster. If the part's groups of SMs are unknown, clusters are assumed to fill the SMs.
    pub fn blocks_at_once(&self, resident: u32, cluster: u32) -> u64 {
        let cluster = u64::from(cluster.max(1));
        let clusters = |sms: u32| u64::from(sms) * u64::from(resident) / cluster;
        match &self.cluster_groups {
            Some(groups) if cluster > 1 => {
                let fits = groups.value.iter().filter(|&&sms| u64::from(sms) >= cluster);
                fits.map(|&sms| clusters(sms)).sum::<u64>() * cluster
            }
            _ => clusters(self.sm_count.value) * cluster,
        }
    }
}

/// Error for an unknown GPU name. The message suggests a similar name, or lists the known names.
#[derive(Debug, Clone, Error)]
#[error("unknown GPU `{}`{}", name.escape_debug(), self.hint())]
pub struct UnknownGpu {
    pub name: String,
    pub known: Vec<String>,
    /// Other names of known GPUs, such as `h100`.
    pub aliases: Vec<String>,
}

impl UnknownGpu {
    /// The known GPU with the most similar name; `None` if no name is similar.
    pub fn meant(&self) -> Option<&str> {
        let name = self.name.to_lowercase();
        let all = self.known.iter().chain(&self.aliases).map(String::as_str);
        nearest_name(&name, all.filter(|known| may_be_slip(&name, known)))
    }

    fn hint(&self) -> String {
        match self.meant() {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None => format!("; known: {}", self.known.join(", ")),
        }
    }
}

/// True if one name may be a misspelling of the other name. Different digits mean another model: `rtx-3070` is not a
/// misspelling of `rtx-3080`.
fn may_be_slip(name: &str, known: &str) -> bool {
    let digits = |name: &str| {
        let mut digits: Vec<char> = name.chars().filter(char::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    let (own, other) = (digits(name), digits(known));
    let (short, long) = if own.len() < other.len() { (&own, &other) } else { (&other, &own) };
    // Swapped digits, or one digit too few or too many.
    let mut rest = long.iter();
    long.len() - short.len() <= 1 && short.iter().all(|digit| rest.any(|other| other == digit))
}

#[cfg(test)]
mod tests {
    use crate::Machine;

    /// Maximum numbers of concurrent clusters that the driver of an H200 reports (`lab/programs/async`, `placing`).
    /// Each row has blocks per SM, blocks per cluster, and clusters.
    const REPORTED: [(u32, u32, u64); 8] =
        [(1, 2, 66), (1, 3, 39), (1, 4, 30), (1, 8, 15), (1, 16, 7), (2, 4, 62), (2, 8, 30), (3, 6, 62)];

    #[test]
    fn clusters_fit_into_groups_of_sms() {
        let part = Machine::builtin().gpu("h200").expect("a known GPU").part;
        for (resident, cluster, clusters) in REPORTED {
            assert_eq!(part.blocks_at_once(resident, cluster), clusters * u64::from(cluster), "{cluster}");
        }
        assert_eq!(part.blocks_at_once(4, 1), 4 * 132);
    }
}
