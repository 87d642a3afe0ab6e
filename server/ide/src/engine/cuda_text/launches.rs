//! The kernel launches in host code.

use super::hash_of;
use model::cuda::{FoundLaunch, SourceSpan};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use syntax::cuda::Unit;

/// All launches of a CUDA source, in text order.
#[derive(Debug, Default)]
pub(super) struct Launches {
    /// Launches of each host function, including launches in the functions that it calls.
    hosts: Vec<Arc<Vec<FoundLaunch>>>,
    /// All launches without duplicates, as pairs of host index and launch index within the host.
    all: Vec<(u32, u32)>,
    /// Launches by the name of the launched function.
    of: FxHashMap<String, FunctionLaunches>,
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
        launches.all.dedup_by_key(|at| place(&launches.hosts, *at));
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

    fn iter(&self) -> impl Iterator<Item = &FoundLaunch> {
        (0..self.all.len() as u32).map(|at| self.at(at))
    }

    /// Returns the launches of a function, in text order.
    pub(super) fn of_function(&self, function: &str) -> impl Iterator<Item = &FoundLaunch> + Clone {
        let own = self.of.get(function).map_or(&[][..], |own| &own.at);
        own.iter().map(|at| self.at(*at))
    }

    /// Returns a hash of the launches of a function and of the source text of the functions that contain them. 0 if
    /// there are no launches.
    pub(super) fn hash_of(&self, function: &str) -> u64 {
        self.of.get(function).map_or(0, |own| own.hash)
    }

    /// Returns the launches in a host function, in text order.
    pub(super) fn in_host(&self, item: u32) -> impl Iterator<Item = &FoundLaunch> {
        let first =
            self.all.partition_point(|(host, at)| self.hosts[*host as usize][*at as usize].place.item < item);
        let rest = first as u32..self.all.len() as u32;
        rest.map(|at| self.at(at)).take_while(move |found| found.place.item == item)
    }
}

/// Returns a hash of a launch that excludes its item index. The index changes when items are inserted before
/// the launch.
fn hash_without_item(found: &FoundLaunch) -> u64 {
    let mut hasher = FxHasher::default();
    FoundLaunch { place: SourceSpan { item: 0, ..found.place }, ..found.clone() }.hash(&mut hasher);
    hasher.finish()
}
