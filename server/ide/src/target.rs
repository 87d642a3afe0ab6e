//! Which GPU a kernel's numbers are for, and why that one.

use crate::{Config, LaunchFile};
use machine::{Gpu, Machine, UnknownGpu};
use syntax::sass::{Chunk, Dialect, Listing, SmVersion};

/// The GPU that the user asked for, if any.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    pub gpu: Option<Gpu>,
    pub by: WishedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WishedBy {
    #[default]
    Setting,
    LaunchFile,
}

impl Wish {
    /// The setting goes before the launches file.
    pub(crate) fn of(
        machine: &Machine,
        config: &Config,
        launches: Option<&LaunchFile>,
    ) -> Result<Self, UnknownGpu> {
        let named = |name: &str| machine.gpu(name).map(Some);
        if !config.gpu.trim().is_empty() {
            return Ok(Self { gpu: named(config.gpu.trim())?, by: WishedBy::Setting });
        }
        match launches.and_then(|file| file.gpu.as_deref()) {
            Some(name) => Ok(Self { gpu: named(name)?, by: WishedBy::LaunchFile }),
            None => Ok(Self::default()),
        }
    }
}

/// The GPU of a kernel: what its numbers are for, what its opcodes are looked up in, and why.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// Its times and resources count.
    pub gpu: Gpu,
    /// The architecture whose opcodes the text has.
    pub isa_sm: u16,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Wished(WishedBy),
    /// The file names this architecture, and this is its usual part.
    Named(SmVersion),
    /// The assembler that the text is written for has this architecture.
    Dialect(Dialect),
    Nothing,
}

impl Target {
    pub(crate) fn of(machine: &Machine, wish: &Wish, listing: &Listing, chunk: &Chunk) -> Self {
        let version = chunk.sm().or_else(|| listing.sm());
        let named = version.map(|version| version.number);
        let by_dialect = listing.dialect().and_then(|dialect| Some((dialect, usual_sm(dialect)?)));
        let (sm, why) = match (version, by_dialect) {
            (Some(version), _) => (Some(version.number), Why::Named(version)),
            (None, Some((dialect, sm))) => (Some(sm), Why::Dialect(dialect)),
            (None, None) => (None, Why::Nothing),
        };
        if let Some(gpu) = &wish.gpu {
            Self {
                gpu: gpu.clone(),
                // An assembler's source runs on any part of its generation, so the wish decides there.
                isa_sm: named
                    .or(sm.filter(|&sm| generation(sm) != generation(gpu.arch.sm)))
                    .unwrap_or(gpu.arch.sm),
                why: Why::Wished(wish.by),
            }
        } else {
            let sm = sm.unwrap_or(NEWEST_COMMON_SM);
            Self { gpu: machine.gpu_for_sm(sm), isa_sm: sm, why }
        }
    }

    /// `H100 SXM5 (assumed: the file names sm_90)`.
    pub(crate) fn describe(&self) -> String {
        let name = &self.gpu.part.name;
        match self.why {
            Why::Wished(by) => {
                let by = if by == WishedBy::Setting { "set" } else { "set in the launches file" };
                if self.isa_sm == self.gpu.arch.sm {
                    format!("{name} ({by})")
                } else {
                    format!("{name} ({by}; the file is sm_{} code)", self.isa_sm)
                }
            }
            Why::Named(sm) if sm.number == self.gpu.arch.sm => {
                format!("{name} (assumed: the file names {sm})")
            }
            Why::Named(sm) => format!("{name} (assumed: the nearest known to {sm}, which the file names)"),
            Why::Dialect(dialect) => format!("{name} (assumed: a usual part for {})", dialect.name()),
            Why::Nothing => format!("{name} (assumed: the file names no architecture)"),
        }
    }
}

/// What a text is assumed to be for that says nothing of it: the architecture that most listings are made for today.
const NEWEST_COMMON_SM: u16 = 90;

/// The architecture that an assembler was written for.
fn usual_sm(dialect: Dialect) -> Option<u16> {
    match dialect {
        Dialect::KeplerAs => Some(35),
        Dialect::Maxas => Some(52),
        Dialect::TuringAs | Dialect::Cuasm => Some(75),
        Dialect::Cuobjdump | Dialect::Nvdisasm | Dialect::Dsass => None,
    }
}

fn generation(sm: u16) -> u16 {
    match sm {
        50..70 => 50,
        70..80 => 70,
        other => other / 10,
    }
}
