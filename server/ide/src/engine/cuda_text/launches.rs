//! The kernel launches in host code.

use super::super::hashing::hash_of;
use model::cuda::{FoundLaunch, SourceSpan};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use syntax::cuda::Unit;

/// All launches of a CUDA source, in text order.
#[derive(Debug, Default)]
pub(super) struct Launches {
    /// Launches of each host function, including launches in the functions that it calls.
    hosts: Vec<Arc<Vec<FoundLaunch>>>,
    /// All launches in text order, as pairs of host index and launch index within the host.
    all: Vec<(u32, u32)>,
    /// Launches by the name of the launched function.
    of: FxHashMap<String, FunctionLaunches>,
    /// Names of launched functions for which other callers of a launching function may choose other blocks.
    with_other_blocks: FxHashSet<String>,
}

/// The launches of a function.
#[derive(Debug, Default)]
struct FunctionLaunches {
    /// Indices in `all`.
    at: Vec<u32>,
    /// Hash of these launches and of the source text of the functions that contain them.
    hash: u64,
}

impl Launches {
    pub(super) fn new(hosts: Vec<Arc<Vec<FoundLaunch>>>, unit: &Unit) -> Self {
        let mut launches = Self { hosts, ..Self::default() };
        let each = launches.hosts.iter().zip(0_u32..);
        launches.all = each.flat_map(|(host, at)| (0..host.len() as u32).map(move |own| (at, own))).collect();
        let place = |hosts: &[Arc<Vec<FoundLaunch>>], (host, at): (u32, u32)| {
            let found = &hosts[host as usize][at as usize];
            (found.place.item, found.place.start)
        };
        launches.all.sort_by_key(|at| place(&launches.hosts, *at));
        let hosts = &launches.hosts;
        let found = |(host, at): (u32, u32)| &hosts[host as usize][at as usize];
        let groups = launches.all.chunk_by(|one, other| place(hosts, *one) == place(hosts, *other));
        let mut kept = Vec::with_capacity(launches.all.len());
        for group in groups {
            let own = refined(group, found);
            let is_open = |at: &&(u32, u32)| found(**at).block.is_none();
            if group.iter().any(|at| is_open(&at)) && !own.iter().any(|at| is_open(&at)) {
                launches.with_other_blocks.extend(own.first().map(|at| found(*at).function.clone()));
            }
            kept.extend(own);
        }
        launches.all = kept;
        let mut of: FxHashMap<String, FunctionLaunches> = FxHashMap::default();
        for (found, at) in launches.iter().zip(0..) {
            let own = match of.get_mut(&found.function) {
                Some(own) => own,
                None => of.entry(found.function.clone()).or_default(),
            };
            own.at.push(at);
            let text = unit.item(found.place.item).map(|placed| placed.hash);
            own.hash = hash_of(&(own.hash, text, hash_without_item(found)));
        }
        launches.of = of;
        launches
    }

    /// True if these launches were collected from exactly the same lists.
    pub(super) fn are_of(&self, hosts: &[Arc<Vec<FoundLaunch>>]) -> bool {
        self.hosts.len() == hosts.len()
            && self.hosts.iter().zip(hosts).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    fn at(&self, at: u32) -> &FoundLaunch {
        let (host, own) = self.all[at as usize];
        &self.hosts[host as usize][own as usize]
    }

    /// Returns all launches, in text order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &FoundLaunch> {
        (0..self.all.len() as u32).map(|at| self.at(at))
    }

    /// Returns the launches of a function, in text order.
    pub(super) fn of_function(&self, function: &str) -> impl Iterator<Item = &FoundLaunch> + Clone {
        let own = self.of.get(function).map_or(&[][..], |own| &own.at);
        own.iter().map(|at| self.at(*at))
    }

    /// True if a launch of a function is known only with the block that some callers of the launching function choose.
    pub(super) fn may_have_other_blocks(&self, function: &str) -> bool {
        self.with_other_blocks.contains(function)
    }

    /// Returns a hash of the launches of a function and of the source text of the functions that contain them. 0 if
    /// there are no launches.
    pub(super) fn hash_of(&self, function: &str) -> u64 {
        self.of.get(function).map_or(0, |own| own.hash)
    }

    /// Returns the launches in a host function in text order, one per statement.
    pub(super) fn in_host(&self, item: u32) -> impl Iterator<Item = &FoundLaunch> {
        let first =
            self.all.partition_point(|(host, at)| self.hosts[*host as usize][*at as usize].place.item < item);
        let rest = first as u32..self.all.len() as u32;
        let own = rest.map(|at| self.at(at)).take_while(move |found| found.place.item == item);
        let mut last = None;
        own.filter(move |found| last.replace(found.place.start) != Some(found.place.start))
    }
}

/// Returns the launches by one statement without those that another one refines: a function that launches a kernel
/// with its parameters is run by itself, with unknown values, and by its callers.
fn refined<'f>(all: &[(u32, u32)], found: impl Fn((u32, u32)) -> &'f FoundLaunch) -> Vec<(u32, u32)> {
    let is_refined = |at: usize| {
        let own = found(all[at]);
        all.iter().zip(0..).any(|(other, number)| {
            let other = found(*other);
            number != at && own.is_refined_by(other) && (number < at || !other.is_refined_by(own))
        })
    };
    (0..all.len()).filter(|at| !is_refined(*at)).map(|at| all[at]).collect()
}

/// Returns a hash of a launch that excludes its item index. The index changes when items are inserted before
/// the launch.
fn hash_without_item(found: &FoundLaunch) -> u64 {
    let mut hasher = FxHasher::default();
    FoundLaunch { place: SourceSpan { item: 0, ..found.place }, ..found.clone() }.hash(&mut hasher);
    hasher.finish()
}
