//! What rules find in CUDA C++, kernel by kernel.

use crate::finding;
use crate::memory::{Limits, launches_in_words};
use model::cuda::{Environment, Run, Site, SiteUse};
use model::{Arch, Gpu, MemorySpace};
use std::ops::Range;
use std::sync::Arc;

/// A place in a unit: the index of an item, and bytes in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub item: u32,
    pub start: u32,
    pub end: u32,
}

impl Spot {
    pub(crate) fn new(item: u32, range: &Range<u32>) -> Self {
        Self { item, start: range.start, end: range.end }
    }

    /// Bytes in the item.
    pub fn range(&self) -> Range<u32> {
        self.start..self.end
    }
}

impl From<&Site> for Spot {
    fn from(site: &Site) -> Self {
        Self { item: site.item, start: site.start, end: site.end }
    }
}

/// A defect in a unit of CUDA.
pub type Finding = finding::Finding<Spot>;

/// A kernel of a unit and what its launches do.
#[derive(Debug)]
pub struct Subject<'a> {
    pub environment: &'a Environment,
    /// Index of the kernel's item.
    pub item: u32,
    pub gpu: &'a Gpu,
    pub limits: Limits,
    pub launches: Vec<Launched>,
}

/// A launch, and what a sample of its warps did.
#[derive(Debug, Clone)]
pub struct Launched {
    /// Its name, where it has one.
    pub name: Option<String>,
    pub block: [u32; 3],
    /// Nobody states it.
    pub is_assumed: bool,
    pub run: Arc<Run>,
    /// Of an assumed launch: the same with blocks of other shapes, any of which it may be.
    pub other_shapes: Vec<Arc<Run>>,
}

/// An access that a rule tells of: where it is, the launch in which it loses most, and all launches in which it does.
pub(crate) struct Lossy<'s> {
    pub site: &'s Site,
    pub used: &'s SiteUse,
    pub launch: &'s Launched,
    found: Vec<usize>,
}

impl<'a> Subject<'a> {
    pub(crate) fn arch(&self) -> &'a Arch {
        &self.gpu.arch
    }

    /// The accesses of a space for which a test holds, in some launch and in all shapes that its block may have.
    pub(crate) fn lossy(&self, space: MemorySpace, test: impl Fn(&SiteUse) -> bool) -> Vec<Lossy<'_>> {
        let mut all: Vec<Lossy<'_>> = Vec::new();
        for (at, launch) in self.launches.iter().enumerate() {
            for (site, used) in &launch.run.uses {
                let holds = |used: &SiteUse| {
                    used.space == space && used.requests > 0.0 && used.unknown <= 0.0 && test(used)
                };
                let elsewhere =
                    |run: &Arc<Run>| run.uses.iter().any(|(other, used)| other == site && holds(used));
                if !holds(used) || !launch.other_shapes.iter().all(elsewhere) {
                    continue;
                }
                match all.iter_mut().find(|lossy| lossy.site == site) {
                    Some(lossy) => {
                        lossy.found.push(at);
                        if lost(used) > lost(lossy.used) {
                            (lossy.used, lossy.launch) = (used, launch);
                        }
                    }
                    None => all.push(Lossy { site, used, launch, found: vec![at] }),
                }
            }
        }
        all
    }

    /// For which launches something was found, to stand at the end of a sentence.
    pub(crate) fn in_launches(&self, lossy: &Lossy<'_>) -> String {
        let named = |at: usize| {
            let launch = &self.launches[at];
            (launch.name.as_deref(), launch.block, launch.is_assumed)
        };
        launches_in_words(self.launches.len(), &lossy.found, named)
    }
}

/// What all requests take beyond what they need.
fn lost(used: &SiteUse) -> f64 {
    used.taken - used.ideal
}
