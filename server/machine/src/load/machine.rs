//! All known architectures and parts.

use super::aliases::{Alias, aliases};
use super::data::Data;
use super::text::{DataError, Text};
use super::{builtin, resolve};
use crate::ptx::{Target, Version};
use crate::{Arch, Gpu, Part, UnknownGpu};
use std::sync::{Arc, OnceLock};

/// All known architectures and parts.
#[derive(Debug, Clone)]
pub struct Machine {
    /// In ascending order of compute capability.
    pub archs: Vec<Arc<Arch>>,
    /// All parts. The first part of an architecture is its usual part.
    pub parts: Vec<Arc<Part>>,
    /// The usual part of each architecture, in the order of `archs`.
    usual: Vec<Arc<Part>>,
    /// Covered compute capabilities. Each has the figures of the architecture that covers it and its own
    /// instruction set, and is built on first use.
    covered: Vec<(u16, OnceLock<Arc<Arch>>)>,
    /// For each part, in the order of `parts`: its architecture with the part's own figures, built on first
    /// use.
    of_parts: Vec<OnceLock<Arc<Arch>>>,
    /// The data from which the machine was built. An overlay changes a copy of the data.
    data: Arc<Data>,
}

impl Machine {
    /// Returns the built-in machine data. The tables are read once, and later calls share them.
    ///
    /// # Panics
    ///
    /// Never in a build whose tests pass, because the tests read the same bytes.
    pub fn builtin() -> Arc<Self> {
        builtin::machine()
    }

    /// Returns this machine with a user's file overlaid. The file has the tables of `data/` in one TOML text.
    ///
    /// `[sm_90]` has the keys of `sm_90/sm.toml` and `sm_90/classes.toml`, `[sm_90.raw.<producer>]` has
    /// cycles by consumer class, and `[parts.<id>]` is a part. All other data stay unchanged. Errors name
    /// `path`.
    pub fn overlay(&self, path: &str, toml: &str) -> Result<Self, DataError> {
        let mut data = Data::clone(&self.data);
        data.merge(Text { path, content: toml })?;
        // If a figure is missing now, this text removed it.
        Self::new(data).map_err(|error| DataError { path: path.into(), ..error })
    }

    pub(super) fn new(data: Data) -> Result<Self, DataError> {
        let archs = resolve::archs(&data)?.into_iter().map(Arc::new).collect();
        let covers = data.archs.iter().flat_map(|arch| &arch.covers);
        let covered = covers.map(|&sm| (sm, OnceLock::new())).collect();
        let usual = data.archs.iter().map(|arch| {
            data.parts.iter().find(|part| part.sm == arch.sm).cloned().ok_or_else(|| DataError {
                path: format!("sm_{}/parts.toml", arch.sm),
                line: 1,
                expected: format!("expected a part with `sm = {}`", arch.sm),
            })
        });
        let usual = usual.collect::<Result<_, _>>()?;
        let of_parts = data.parts.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { archs, parts: data.parts.clone(), usual, covered, of_parts, data: Arc::new(data) })
    }

    /// The GPU with this name: the id, the vendor name or an alias of a part, or an architecture (`sm_90`,
    /// `sm_90a`, `9.0`), which selects its usual part. Case, spaces, dashes and a leading `NVIDIA`,
    /// `GeForce` or `Tesla` are ignored.
    pub fn gpu(&self, name: &str) -> Result<Gpu, UnknownGpu> {
        let wanted = bare(name);
        let part = self.parts.iter().find(|part| {
            let driver_names = part.driver_names.iter().map(String::as_str);
            [&*part.id, &*part.name].into_iter().chain(driver_names).any(|name| bare(name) == wanted)
        });
        let meant = || {
            let alias = aliases().iter().find(|alias| bare(&alias.alias) == wanted)?;
            self.parts.iter().find(|part| part.id == alias.gpu)
        };
        let part = part.or_else(meant);
        if let Some(part) = part {
            return Ok(Gpu { part: part.clone(), arch: self.arch_of(part) });
        }
        let covered =
            |sm: &u16| self.data.archs.iter().any(|arch| arch.sm == *sm || arch.covers.contains(sm));
        sm_of(name).filter(covered).map(|sm| self.gpu_for_sm(sm)).ok_or_else(|| UnknownGpu {
            name: name.into(),
            known: self
                .parts
                .iter()
                .map(|part| part.id.clone())
                .chain(self.archs.iter().map(|arch| format!("sm_{}", arch.sm)))
                .collect(),
            aliases: self.aliases().map(|alias| alias.alias.clone()).collect(),
        })
    }

    /// Other names that [`Self::gpu`] accepts.
    pub fn aliases(&self) -> impl Iterator<Item = &'static Alias> {
        aliases().iter().filter(|alias| self.parts.iter().any(|part| part.id == alias.gpu))
    }

    /// The GPU assumed if only the compute capability is known: the first part in the architecture's
    /// `parts.toml`. A compute capability without a folder uses the architecture that covers it, otherwise the
    /// nearest older architecture. A covered compute capability has its own instruction set.
    pub fn gpu_for_sm(&self, sm: u16) -> Gpu {
        let at = self.arch(sm);
        let arch = &self.arch_of(&self.usual[at]);
        let covered = self.covered.iter().find(|(covered, _)| *covered == sm && arch.sm != sm);
        let own = || {
            let isa = Arc::new(self.data.isa.covered(sm, arch.sm));
            let figures = resolve::covered(&self.data, arch, sm).unwrap_or_else(|| Arch::clone(arch));
            Arc::new(Arch { isa, ..figures })
        };
        let arch = covered.map_or(arch, |(_, covered)| covered.get_or_init(own));
        Gpu { part: self.usual[at].clone(), arch: arch.clone() }
    }

    /// The parts whose pipeline was measured. They can be simulated.
    pub fn calibrated(&self) -> impl Iterator<Item = &Part> {
        let is_calibrated = |part: &&Arc<Part>| self.archs[self.arch(part.sm)].pipeline.is_some();
        self.parts.iter().filter(is_calibrated).map(|part| &**part)
    }

    /// Each `.target` of an architecture or of a compute capability that it covers, with the PTX version that
    /// introduced it.
    pub(crate) fn targets(&self) -> impl Iterator<Item = (Target, Version)> {
        let targets = self.data.archs.iter().flat_map(|arch| &arch.targets);
        targets.map(|(target, since)| (*target, since.value))
    }

    /// The architecture of a part, with the figures of the part.
    fn arch_of(&self, part: &Part) -> Arc<Arch> {
        let at = self.arch(part.sm);
        let own = || {
            let arch = &self.archs[at];
            let pipeline = resolve::part_pipeline(&self.data, part, &self.usual[at]);
            pipeline.map_or_else(
                || arch.clone(),
                |pipeline| Arc::new(Arch { pipeline: Some(pipeline), ..Arch::clone(arch) }),
            )
        };
        let known = self.parts.iter().position(|known| known.id == part.id);
        known.map_or_else(own, |at| self.of_parts[at].get_or_init(own).clone())
    }

    /// Index of the architecture used for this compute capability.
    fn arch(&self, sm: u16) -> usize {
        let archs = &self.data.archs;
        let exact = archs.iter().position(|arch| arch.sm == sm);
        let covering = || archs.iter().position(|arch| arch.covers.contains(&sm));
        exact.or_else(covering).or_else(|| archs.iter().rposition(|arch| arch.sm <= sm)).unwrap_or(0)
    }
}

/// A name in lower case without spaces, dashes, the vendor name and its brands.
fn bare(name: &str) -> String {
    let bare: String = name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    let of_vendor = bare.strip_prefix("nvidia").unwrap_or(&bare);
    let model = ["geforce", "tesla"].iter().find_map(|brand| of_vendor.strip_prefix(brand));
    model.unwrap_or(of_vendor).to_owned()
}

/// Parses the number of an architecture: 90 from `sm_90`, `sm_90a`, `compute_90` or `9.0`. `None` for any other
/// name.
fn sm_of(name: &str) -> Option<u16> {
    let name = name.trim().to_ascii_lowercase();
    if let Some((major, minor)) = name.split_once('.').filter(|(_, minor)| minor.len() == 1) {
        let (major, minor): (u16, u16) = (major.parse().ok()?, minor.parse().ok()?);
        return major.checked_mul(10)?.checked_add(minor);
    }
    let digits = name.strip_prefix("sm").or_else(|| name.strip_prefix("compute"))?;
    let digits = digits.strip_prefix(['_', '-', ' ']).unwrap_or(digits);
    // The letter selects a feature set of the chip: `a` for features of the chip, `f` for features of its
    // family.
    digits.strip_suffix(['a', 'f']).unwrap_or(digits).parse().ok()
}
