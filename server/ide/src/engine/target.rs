//! The GPU that a kernel's figures refer to, and why it was chosen.

use crate::{Config, LaunchFile};
use machine::ptx::{Feature, Target as PtxTarget};
use machine::{Gpu, Machine, UnknownGpu};
use model::ModelName;
use syntax::sass::{Chunk, Dialect, Listing, SmVersion};

/// The GPU that the user selected, and where it was selected.
#[derive(Debug, Clone, Default)]
pub(crate) struct GpuSelection {
    pub gpu: Option<Gpu>,
    pub by: SelectedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SelectedBy {
    #[default]
    Setting,
    LaunchFile,
}

impl SelectedBy {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Setting => "set",
            Self::LaunchFile => "set in warplens.toml",
        }
    }
}

impl GpuSelection {
    /// Resolves the user's selection. The setting takes precedence over the launches file. `Err` if the GPU
    /// is unknown.
    pub(crate) fn resolve(
        machine: &Machine,
        config: &Config,
        launches: Option<&LaunchFile>,
    ) -> Result<Self, UnknownGpu> {
        let named = |name: &str| machine.gpu(name).map(Some);
        if !config.gpu.trim().is_empty() {
            return Ok(Self { gpu: named(config.gpu.trim())?, by: SelectedBy::Setting });
        }
        match launches.and_then(|file| file.gpu.as_deref()) {
            Some(name) => Ok(Self { gpu: named(name)?, by: SelectedBy::LaunchFile }),
            None => Ok(Self::default()),
        }
    }
}

/// The GPU that a kernel's figures refer to, the architecture of the kernel's opcodes, and the reason for the
/// choice.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The GPU whose latencies and resources apply.
    pub gpu: Gpu,
    /// The architecture whose opcodes the code uses.
    pub isa_sm: u16,
    why: TargetReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TargetReason {
    Selected(SelectedBy),
    /// The architecture is stated in the file. The GPU is the usual GPU of the architecture.
    Named(SmVersion),
    /// The dialect of an assembler, which implies the architecture.
    Dialect(Dialect),
    /// PTX with this `.target`, compiled for the GPU that the user selected.
    Compiled(SelectedBy, PtxTarget),
    Nothing,
}

impl Target {
    pub(crate) fn for_kernel(
        machine: &Machine,
        wish: &GpuSelection,
        listing: &Listing,
        chunk: &Chunk,
    ) -> Self {
        let version = chunk.sm().or_else(|| listing.sm());
        let named = version.map(|version| version.number);
        let by_dialect = listing.dialect().and_then(|dialect| Some((dialect, usual_sm(dialect)?)));
        let (sm, why) = match (version, by_dialect) {
            (Some(version), _) => (Some(version.number), TargetReason::Named(version)),
            (None, Some((dialect, sm))) => (Some(sm), TargetReason::Dialect(dialect)),
            (None, None) => (None, TargetReason::Nothing),
        };
        if let Some(gpu) = &wish.gpu {
            Self {
                gpu: gpu.clone(),
                // An assembler's source runs on any GPU of its generation, so the selected GPU decides within
                // the generation.
                isa_sm: named
                    .or(sm.filter(|&sm| generation(sm) != generation(gpu.arch.sm)))
                    .unwrap_or(gpu.arch.sm),
                why: TargetReason::Selected(wish.by),
            }
        } else {
            let sm = sm.unwrap_or(NEWEST_COMMON_SM);
            Self { gpu: machine.gpu_for_sm(sm), isa_sm: sm, why }
        }
    }

    /// Returns the target of a PTX module. The module is compiled for the selected GPU, or for the usual GPU
    /// of its `.target` if no GPU is selected.
    pub(crate) fn for_module(machine: &Machine, wish: &GpuSelection, target: Option<PtxTarget>) -> Self {
        let Some(gpu) = &wish.gpu else {
            let sm = target.map_or(NEWEST_COMMON_SM, |target| target.sm);
            let why = target.map_or(TargetReason::Nothing, |target| TargetReason::Named(version(target)));
            return Self { gpu: machine.gpu_for_sm(sm), isa_sm: sm, why };
        };
        let own = gpu.arch.sm;
        let why = match target {
            Some(target) if target.sm != own => TargetReason::Compiled(wish.by, target),
            _ => TargetReason::Selected(wish.by),
        };
        Self { gpu: gpu.clone(), isa_sm: own, why }
    }

    /// Returns the name of the GPU and the reason for the choice: `H100 SXM5 80 GB (assumed: the file names sm_90)`.
    pub(crate) fn describe(&self) -> String {
        let name = &self.gpu.part.name;
        match self.why {
            TargetReason::Compiled(by, target) if runs_on(target, self.gpu.arch.sm) => {
                format!("{name} ({}; the module is for {})", by.in_words(), version(target))
            }
            TargetReason::Compiled(by, target) => {
                format!("{name} ({}; a module for {} does not run there)", by.in_words(), version(target))
            }
            TargetReason::Selected(by) => {
                let by = by.in_words();
                if self.isa_sm == self.gpu.arch.sm {
                    format!("{name} ({by})")
                } else {
                    format!("{name} ({by}; the file is sm_{} code)", self.isa_sm)
                }
            }
            TargetReason::Named(sm) if sm.number == self.gpu.arch.sm => {
                format!("{name} (assumed: the file names {sm})")
            }
            TargetReason::Named(sm) => {
                format!("{name} (assumed: the known GPU nearest to {sm}, which the file names)")
            }
            TargetReason::Dialect(dialect) => {
                format!("{name} (assumed: the usual GPU for {})", dialect.name())
            }
            TargetReason::Nothing => format!("{name} (assumed: the file names no architecture)"),
        }
    }
}

/// The architecture that is assumed if a file does not state one. Most current listings are for this architecture.
pub(crate) const NEWEST_COMMON_SM: u16 = 90; // limit: an assumption that answers report

/// Returns the architecture that an assembler was written for. `None` if the dialect implies no architecture.
fn usual_sm(dialect: Dialect) -> Option<u16> {
    match dialect {
        Dialect::KeplerAs => Some(35),
        Dialect::Maxas => Some(52),
        Dialect::TuringAs | Dialect::Cuasm => Some(75),
        Dialect::Cuobjdump | Dialect::Nvdisasm | Dialect::Dsass => None,
    }
}

fn version(target: PtxTarget) -> SmVersion {
    let suffix = match target.feature {
        Feature::Base => 0,
        Feature::Family => b'f',
        Feature::Architecture => b'a',
    };
    SmVersion { number: target.sm, suffix }
}

/// True if a module for this target runs on GPUs of architecture `sm`.
pub(crate) fn runs_on(target: PtxTarget, sm: u16) -> bool {
    match target.feature {
        Feature::Base => sm >= target.sm,
        Feature::Family => sm >= target.sm && sm / 10 == target.sm / 10,
        Feature::Architecture => sm == target.sm,
    }
}

fn generation(sm: u16) -> u16 {
    match sm {
        50..70 => 50,
        70..80 => 70,
        other => other / 10,
    }
}

/// Returns the names of the model and the GPU: `pipeline, H100 SXM5 80 GB`.
pub(crate) fn model_on(model: ModelName, target: &Target) -> String {
    format!("{}, {}", model.name(), target.gpu.part.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_compiled_for_the_gpu_that_is_wished_for() {
        let machine = Machine::builtin();
        let h100 =
            GpuSelection { gpu: Some(machine.gpu("h100-sxm").expect("it ships")), by: SelectedBy::Setting };
        let described = |wish: &GpuSelection, target: &str| {
            Target::for_module(&machine, wish, target.parse().ok()).describe()
        };
        assert_eq!(described(&h100, "sm_90a"), "H100 SXM5 80 GB (set)");
        assert_eq!(described(&h100, "sm_80"), "H100 SXM5 80 GB (set; the module is for sm_80)");
        assert_eq!(
            described(&h100, "sm_100a"),
            "H100 SXM5 80 GB (set; a module for sm_100a does not run there)"
        );
        assert_eq!(
            described(&h100, "sm_80a"),
            "H100 SXM5 80 GB (set; a module for sm_80a does not run there)"
        );
        assert_eq!(
            described(&GpuSelection::default(), "sm_90a"),
            "H100 SXM5 80 GB (assumed: the file names sm_90a)"
        );
        assert_eq!(
            described(&GpuSelection::default(), "?"),
            "H100 SXM5 80 GB (assumed: the file names no architecture)"
        );
    }
}
