//! Input and findings of the rules for CUDA C++ kernels.

use crate::finding;
use crate::finding::Severity;
use crate::memory::{LaunchAssumption, Limits, launches_in_words};
use machine::Hardware;
use model::cuda::{
    AccessKind, Configuration, Environment, FoundLaunch, Run, Site, SiteUse, SourceSpan, StridedRequest,
};
use model::requests::{Request, SharedKind, global, shared};
use model::{Arch, Gpu, MemorySpace};
use std::borrow::Cow;
use std::sync::Arc;
use syntax::cuda::Function;

/// A defect in a CUDA unit.
pub type Finding = finding::Finding<SourceSpan>;

/// A kernel of a unit, and its launches.
#[derive(Debug)]
pub struct Subject<'a> {
    pub gpu: &'a Gpu,
    pub environment: &'a Environment,
    /// The kernel's function. `item` is the index of the function's item.
    pub kernel: &'a Function,
    pub item: u32,
    pub limits: Limits,
    pub launches: Vec<SimulatedLaunch>,
    /// Launches of the kernel in the unit's host code.
    pub found: Vec<&'a FoundLaunch>,
    /// All launches, of any kernel, in the host functions that launch this kernel, in text order. Includes
    /// [`Self::found`].
    pub in_host: Vec<&'a FoundLaunch>,
    /// True if other sources may launch the kernel with other blocks.
    pub may_have_other_blocks: bool,
}

/// Source of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// `warplens.toml`.
    Stated,
    /// The unit's host code.
    Found,
    /// No source. Grid and block are guesses.
    Assumed,
}

/// A launch to simulate.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Name of the launch; `None` for an unnamed launch.
    pub name: Option<String>,
    pub configuration: Configuration,
    pub origin: Origin,
    /// True if the block size is known, even if other values of the launch are assumed.
    pub knows_block: bool,
    /// Position of the launch in host code; `None` if it is not in host code.
    pub place: Option<SourceSpan>,
    /// Bytes of dynamic shared memory per block, in addition to the kernel's static shared variables; `None` if
    /// unknown.
    pub dynamic_shared: Option<u32>,
    /// Types that are assumed for parameters of the kernel's template, as in `T = float`.
    pub assumed_types: Vec<String>,
    /// Other block shapes that are possible for an assumed launch.
    pub other_blocks: Vec<[u32; 3]>,
}

/// A launch, and the simulated behaviour of a sample of its warps.
#[derive(Debug, Clone)]
pub struct SimulatedLaunch {
    pub launch: Launch,
    pub run: Arc<Run>,
    /// Simulated runs with the other block shapes.
    pub other_shapes: Vec<Arc<Run>>,
}

impl Launch {
    pub fn is_assumed(&self) -> bool {
        self.origin == Origin::Assumed
    }

    pub fn block(&self) -> [u32; 3] {
        self.configuration.block
    }

    /// Threads per block.
    pub fn threads(&self) -> u32 {
        self.block().iter().fold(1, |threads, size| threads.saturating_mul(*size))
    }

    /// Number of blocks in the grid.
    pub fn blocks(&self) -> u64 {
        self.configuration.grid.iter().fold(1, |blocks, size| blocks.saturating_mul((*size).into()))
    }
}

impl SimulatedLaunch {
    /// Bytes of shared memory per block: the kernel's static shared variables, plus dynamic shared memory if its size
    /// is known.
    pub fn shared_bytes(&self) -> u64 {
        self.run.shared_bytes.saturating_add(self.launch.dynamic_shared.unwrap_or(0).into())
    }
}

/// A wasteful memory access that a rule reports. `used` is its memory use in the launch with the largest loss per
/// request. `found` has the indices of all launches in which the access has a loss.
pub(crate) struct LossyAccess<'s> {
    pub site: Site,
    pub used: Cow<'s, SiteUse>,
    found: Vec<usize>,
    /// True if it is unknown which lanes take part; all of them are assumed to.
    is_doubted: bool,
}

impl<'a> Subject<'a> {
    pub(crate) fn arch(&self) -> &'a Arch {
        &self.gpu.arch
    }

    /// True if the kernel was parsed without errors.
    pub(crate) fn parses(&self) -> bool {
        let placed = self.environment.unit().item(self.item);
        placed.is_some_and(|placed| placed.item.errors.is_empty())
    }

    /// Block sizes of all launches, both in the unit's host code and stated by the user; `None` if a block size is
    /// unknown.
    pub(crate) fn blocks(&self) -> Option<Vec<[u32; 3]>> {
        if self.may_have_other_blocks {
            return None;
        }
        let stated = self.launches.iter().filter(|launched| !launched.launch.is_assumed());
        let stated = stated.map(|launched| Some(launched.launch.block()));
        self.found.iter().map(|found| found.block).chain(stated).collect()
    }

    /// The simulated runs of all launches, including runs with other block shapes.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        let all = self
            .launches
            .iter()
            .flat_map(|launched| std::iter::once(&launched.run).chain(&launched.other_shapes));
        all.map(|run| &**run)
    }

    /// Returns the accesses to memory space `space` that pass a test in at least one launch. In that launch, an
    /// access must pass for every possible block shape.
    pub(crate) fn lossy(&self, space: MemorySpace, test: impl Fn(&SiteUse) -> bool) -> Vec<LossyAccess<'_>> {
        let mut all: Vec<LossyAccess<'_>> = Vec::new();
        let holds =
            |used: &SiteUse| used.space == space && used.requests > 0.0 && used.unknown <= 0.0 && test(used);
        let each = |is_doubted| self.launches.iter().enumerate().map(move |launched| (launched, is_doubted));
        for ((at, launched), is_doubted) in each(false).chain(each(true)) {
            for &(site, ref used) in launched.run.uses_of(is_doubted) {
                let is_so = |run: &Run| !is_doubted || run.doubted(site).is_some();
                let elsewhere = |run: &Arc<Run>| {
                    is_so(run)
                        && run.uses_of(is_doubted).iter().any(|(other, used)| *other == site && holds(used))
                };
                if !holds(used) || !is_so(&launched.run) || !launched.other_shapes.iter().all(elsewhere) {
                    continue;
                }
                let used = match joined(self.arch(), launched.run.uses_of(is_doubted), site, used) {
                    Some(joined) if joined.taken <= joined.ideal => continue,
                    Some(joined) if space == MemorySpace::Shared => {
                        let used = joined.worst_of(used);
                        if !holds(&used) {
                            continue;
                        }
                        Cow::Owned(used)
                    }
                    _ => Cow::Borrowed(used),
                };
                match all.iter_mut().find(|lossy| lossy.site == site) {
                    // Another launch shows the loss without a doubt.
                    Some(lossy) if lossy.is_doubted != is_doubted => {}
                    Some(lossy) => {
                        lossy.found.push(at);
                        if lost_each(&used) > lost_each(&lossy.used) {
                            lossy.used = used;
                        }
                    }
                    None => all.push(LossyAccess { site, used, found: vec![at], is_doubted }),
                }
            }
        }
        all
    }

    /// Returns the accesses whose stride between lanes is proportional to an unknown number. Each comes with the
    /// smallest value of this number at which a request uses at least `limit` times the required sectors, for every
    /// possible block shape. An access is included if such a value exists in at least one launch.
    pub(crate) fn strided(&self, limit: f64) -> Vec<(LossyAccess<'_>, &StridedRequest, i64)> {
        let mut all: Vec<(LossyAccess<'_>, &StridedRequest, i64)> = Vec::new();
        for (at, launched) in self.launches.iter().enumerate() {
            for &(site, ref used) in &launched.run.uses {
                let Some((request, own)) = depends_on(used, limit) else { continue };
                let elsewhere = |run: &Arc<Run>| {
                    let (_, used) = run.uses.iter().find(|(other, _)| *other == site)?;
                    Some(depends_on(used, limit)?.1)
                };
                let Some(least) =
                    launched.other_shapes.iter().try_fold(own, |least, run| Some(elsewhere(run)?.max(least)))
                else {
                    continue;
                };
                if let Some((lossy, _, known)) = all.iter_mut().find(|(lossy, ..)| lossy.site == site) {
                    lossy.found.push(at);
                    *known = least.max(*known);
                } else {
                    let lossy =
                        LossyAccess { site, used: Cow::Borrowed(used), found: vec![at], is_doubted: false };
                    all.push((lossy, request, least));
                }
            }
        }
        all
    }

    /// Phrase that lists the launches to which a finding applies, to append to a sentence.
    pub(crate) fn in_launches(&self, lossy: &LossyAccess<'_>) -> String {
        let named = |at: usize| {
            let launch = &self.launches[at].launch;
            (
                launch.name.as_deref(),
                launch.block(),
                LaunchAssumption::new(launch.is_assumed(), launch.knows_block),
            )
        };
        let mut words = launches_in_words(self.launches.len(), &lossy.found, named);
        let mut add = |more: String| {
            words = match words.strip_suffix(')') {
                Some(open) => format!("{open}, {more})"),
                None => format!(" ({more})"),
            };
        };
        let first = lossy.found.first().map(|&at| &self.launches[at].launch);
        let types = first.map_or(&[][..], |launch| &launch.assumed_types);
        if !types.is_empty() {
            add(format!("assumed {}", types.join(", ")));
        }
        if lossy.is_doubted {
            add("if all lanes take part".to_owned());
        }
        words
    }

    /// Severity of a finding on an access, if it differs from the rule's default: `information` if the block
    /// sizes, types or active lanes are guesses.
    pub(crate) fn severity(&self, lossy: &LossyAccess<'_>) -> Option<Severity> {
        let is_guess = |at: &usize| {
            let launch = &self.launches[*at].launch;
            launch.is_assumed() && !launch.knows_block || !launch.assumed_types.is_empty()
        };
        (lossy.is_doubted || lossy.found.iter().all(is_guess)).then_some(Severity::Info)
    }
}

/// The request of an access whose addresses all depend on one unknown number, and the smallest value of this number
/// at which the request uses at least `limit` times the required sectors.
fn depends_on(used: &SiteUse, limit: f64) -> Option<(&StridedRequest, i64)> {
    let request = used.strided.as_deref().filter(|_| used.requests <= 0.0 && !used.is_fragment)?;
    let is_lossy = |&&(_, taken, ideal): &&(i64, u32, u32)| f64::from(taken) >= limit * f64::from(ideal);
    let (least, ..) = request.sectors.iter().rev().take_while(is_lossy).last()?;
    // Only the sectors of large strides depend on their alignment.
    (*least < StridedRequest::LARGE).then_some((request, *least))
}

/// Average number of wavefronts or sectors per request in excess of the required number.
fn lost_each(used: &SiteUse) -> f64 {
    (used.taken - used.ideal) / used.requests.max(1.0)
}

/// True if the distance in bytes between two accesses is the same in all their requests. It may differ if the
/// accesses are in loops.
fn is_always_adjacent(one: &SiteUse, other: &SiteUse) -> bool {
    let first = |used: &SiteUse| {
        let request = used.worst.as_ref()?;
        Some(f64::from(
            request.addresses[request.active.trailing_zeros() as usize % request.addresses.len()] as u32,
        ))
    };
    let (Some(here), Some(there)) = (first(one), first(other)) else { return false };
    let apart = (there - here) * one.requests;
    let found = other.first_addresses - one.first_addresses;
    (one.requests - other.requests).abs() < 0.5 && (found - apart).abs() <= 0.01 * one.requests.max(1.0)
}

/// An access into which the compiler merges several adjacent accesses.
struct MergedAccess {
    bytes: u32,
    request: Request,
    /// Number of shared-memory wavefronts or global-memory sectors that the request uses.
    taken: u32,
    ideal: u32,
}

impl MergedAccess {
    /// Memory use of the merged access, if all its requests were as costly as [`Self::request`], which has the worst
    /// pattern.
    fn worst_of(&self, parts: &SiteUse) -> SiteUse {
        let requests = parts.requests * f64::from(parts.bytes) / f64::from(self.bytes.max(1));
        let mut all = parts.clone();
        (all.bytes, all.requests, all.worst) = (self.bytes, requests, Some(self.request));
        (all.taken, all.ideal) = (requests * f64::from(self.taken), requests * f64::from(self.ideal));
        all
    }
}

/// The access into which the compiler merges this access and its neighbours. `None` if the compiler merges no other
/// access with it.
///
/// The compiler merges accesses to elements of shared arrays, whose alignment is known, and to fields of aligned
/// structures. Measured on an H100, 2026-11-25: `s[2 * t]` and `s[2 * t + 1]` become one `LDS.64`, but two accesses
/// if `s` points to global memory. The halves of a sector-sized structure stay two accesses, and the second access
/// hits in L1.
fn joined(arch: &Arch, uses: &[(Site, SiteUse)], site: Site, used: &SiteUse) -> Option<MergedAccess> {
    let request = used.worst.as_ref()?;
    let bytes = u64::from(used.bytes);
    let widest = match used.space {
        MemorySpace::Shared => Hardware::builtin().widest_access_bytes.value,
        _ => arch.requests.sector_bytes.value,
    };
    if bytes == 0 || site.kind == AccessKind::Atomic {
        return None;
    }
    let lanes = || (0..request.addresses.len()).filter(|lane| request.active >> lane & 1 == 1);
    let of = |width: u64| {
        let aligned = width.min(u64::from(Hardware::builtin().widest_access_bytes.value));
        let sees_alignment = used.space == MemorySpace::Shared || u64::from(used.within) >= aligned;
        let has_part = |at: u64| {
            uses.iter().any(|(other, adjacent)| {
                other.place.item == site.place.item
                    && other.kind == site.kind
                    && (adjacent.space, adjacent.bytes) == (used.space, used.bytes)
                    && is_always_adjacent(used, adjacent)
                    && adjacent.worst.as_ref().is_some_and(|adjacent| {
                        let is_adjacent = |lane: usize| {
                            adjacent.addresses[lane] == request.addresses[lane] / width * width + at * bytes
                        };
                        adjacent.active == request.active && lanes().all(is_adjacent)
                    })
            })
        };
        let count = width / bytes;
        let parts = (0..count).filter(|at| has_part(*at)).count() as u64;
        // A load of the first element and of two others out of four also loads the fourth element. Source:
        // nvcc 13.5 for sm_90.
        let is_whole = parts == count
            || site.kind == AccessKind::Load && count == 4 && parts == 3 && has_part(0)
            || used.is_in_runs_of(count);
        if !sees_alignment || !is_whole {
            return None;
        }
        let request =
            Request { addresses: request.addresses.map(|address| address / width * width), ..*request };
        let bytes = width as u32;
        let (taken, ideal) = match used.space {
            MemorySpace::Shared => {
                let kind = if site.kind == AccessKind::Load { SharedKind::Load } else { SharedKind::Store };
                let found = shared(arch, kind, bytes, &request)?;
                (
                    found.taken,
                    found.ideal.max(request.active.count_ones() * bytes / machine::units::WAVEFRONT_BYTES),
                )
            }
            _ => global(arch, bytes, &request).map(|found| (found.taken, found.ideal))?,
        };
        Some(MergedAccess { bytes, request, taken, ideal })
    };
    let widths = [4, 2].into_iter().map(|count| count * bytes).filter(|width| *width <= u64::from(widest));
    let mut found: Vec<MergedAccess> = widths.filter_map(of).collect();
    let best = found.iter().position(|joined| joined.taken <= joined.ideal).unwrap_or(0);
    (best < found.len()).then(|| found.swap_remove(best))
}
