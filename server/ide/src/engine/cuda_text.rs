//! A CUDA text and what is known of it as a whole.

use crate::engine::recent::known_or_new;
use dashmap::DashMap;
use machine::Arch;
use model::cuda::{Configuration, Environment, FoundLaunch, Run, launches, run};
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use syntax::cuda::{ItemKind, Source, Unit};

/// A text; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CudaText {
    source: Source,
    /// Computed when first asked for.
    environment: Arc<OnceLock<Environment>>,
    surroundings: Arc<OnceLock<u64>>,
    launches: Arc<OnceLock<Vec<FoundLaunch>>>,
    /// Launches that were run, of this version of the text and of earlier ones.
    runs: Arc<Runs>,
}

/// Results of launches, by the hashes of all that they depend on.
#[derive(Debug, Default)]
struct Runs(DashMap<(u128, u64), Option<Arc<Run>>, FxBuildHasher>);

/// Results that are kept before all are forgotten.
const MOST_RUNS: usize = 4096;

impl CudaText {
    pub(crate) fn parse(text: &str) -> Self {
        Self::new(Source::parse(text), Arc::default())
    }

    fn new(source: Source, runs: Arc<Runs>) -> Self {
        let (environment, surroundings, launches) = (Arc::default(), Arc::default(), Arc::default());
        Self { source, environment, surroundings, launches, runs }
    }

    pub(crate) fn edit(&self, range: Range<usize>, text: &str) -> Self {
        Self::new(self.source.edit(range, text), Arc::clone(&self.runs))
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        self.source.text()
    }

    pub(crate) fn unit(&self) -> &Arc<Unit> {
        self.source.unit()
    }

    /// The names of the text.
    pub(crate) fn environment(&self) -> &Environment {
        self.environment.get_or_init(|| Environment::new(self.source.unit()))
    }

    /// The launches in host code.
    pub(crate) fn launches(&self, arch: &Arch) -> &[FoundLaunch] {
        self.launches.get_or_init(|| launches(self.environment(), arch))
    }

    /// A hash of all that kernels may use of the text: what is no kernel and no host function.
    fn surroundings(&self) -> u64 {
        *self.surroundings.get_or_init(|| {
            let mut hasher = FxHasher::default();
            for (placed, at) in self.unit().items.iter().zip(0_u32..) {
                let is_used = match &placed.item.kind {
                    ItemKind::Function(function) => !function.is_kernel() && function.is_on_device(),
                    _ => true,
                };
                if is_used {
                    (at, placed.hash).hash(&mut hasher);
                }
            }
            hasher.finish()
        })
    }

    /// Runs a launch of the kernel in an item, unless that was done before; `None` where the item has none with a body.
    pub(crate) fn run(&self, item: u32, name: &str, arch: &Arch, launch: &Configuration) -> Option<Arc<Run>> {
        let placed = self.unit().items.get(item as usize)?;
        let mut hasher = FxHasher::default();
        (self.surroundings(), item, arch.sm, format!("{launch:?}")).hash(&mut hasher);
        if self.runs.0.len() > MOST_RUNS {
            self.runs.0.clear();
        }
        known_or_new(&self.runs.0, (placed.hash, hasher.finish()), || {
            run(self.environment(), arch, name, launch).map(Arc::new)
        })
    }
}
