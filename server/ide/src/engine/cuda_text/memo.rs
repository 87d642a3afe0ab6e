//! Memoized results of all versions of a CUDA source, keyed by hashes of their inputs.

use super::launches::Launches;
use advisor::cuda::Finding;
use advisor::ptx::Finding as ItemFinding;
use dashmap::DashMap;
use model::cuda::{Environment, FoundLaunch, Names, Run, SourceSpan};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock};
use syntax::cuda::Unit;

/// Memoized results of all versions of a CUDA source.
#[derive(Debug, Default)]
pub(super) struct CudaMemo {
    /// The names of the version that was last queried.
    environment: Mutex<Option<Environment>>,
    /// Input hashes of functions, by the function's item index.
    meanings: DashMap<u32, DeclarationHash, FxBuildHasher>,
    pub runs: Results<Option<Arc<Run>>>,
    pub launches: Results<Arc<Vec<FoundLaunch>>>,
    /// All launches of the version that was last queried.
    all_launches: Mutex<Option<Arc<Launches>>>,
    pub findings: Results<Arc<Vec<Finding>>>,
    /// Findings in the `asm` statements of an item, keyed by the hash of its text and the hash of all other
    /// inputs. Ranges are relative to the item.
    pub asm: Parts<(u128, u64)>,
    /// Findings in the code of an `asm` statement, keyed by the hash of the code.
    pub asm_code: Parts<u64>,
}

/// Findings in items or in `asm` statements, by hash.
pub(super) type Parts<K> = DashMap<K, Arc<[ItemFinding]>, FxBuildHasher>;

/// Hash of all declarations that a function depends on, with the inputs of the hash.
#[derive(Debug)]
struct DeclarationHash {
    /// The table of names for which the hash was computed.
    names: Arc<Names>,
    /// The items that the function depends on, with the hashes of their texts.
    items: Box<[(u32, u128)]>,
    hash: u64,
}

/// Results that refer to items by index in the unit that they were computed for.
#[derive(Debug)]
pub(super) struct Results<T>(DashMap<(u64, u64), CachedResult<T>, FxBuildHasher>);

/// A result, with the text hash of each item that it refers to.
#[derive(Debug)]
struct CachedResult<T> {
    result: T,
    items: Vec<(u32, u128)>,
}

/// A result that refers to items by index in a unit.
pub(super) trait NamesItems: Clone {
    /// Calls `take` with each place in the result. `take` may update the item index of the place.
    fn each_place(&mut self, take: &mut dyn FnMut(&mut SourceSpan));
}

impl NamesItems for Option<Arc<Run>> {
    fn each_place(&mut self, take: &mut dyn FnMut(&mut SourceSpan)) {
        if let Some(run) = self {
            Arc::make_mut(run).places_mut().for_each(take);
        }
    }
}

impl NamesItems for Arc<Vec<FoundLaunch>> {
    fn each_place(&mut self, take: &mut dyn FnMut(&mut SourceSpan)) {
        for launch in Arc::make_mut(self).iter_mut() {
            take(&mut launch.place);
        }
    }
}

impl NamesItems for Arc<Vec<Finding>> {
    fn each_place(&mut self, take: &mut dyn FnMut(&mut SourceSpan)) {
        Arc::make_mut(self).iter_mut().flat_map(Finding::places_mut).for_each(take);
    }
}

/// Maximum number of results, about ten times the results of a source of 20,000 lines. All results are dropped when
/// it is exceeded.
const MAX: usize = 1 << 15; // limit: bounds memory

impl CudaMemo {
    /// Returns the names of a unit. Reuses the table of names of the last queried version if both versions
    /// declare the same names in the same order.
    pub(super) fn environment(&self, unit: &Arc<Unit>) -> Environment {
        let Ok(mut last) = self.environment.lock() else { return Environment::new(unit) };
        let new = match &*last {
            Some(last) => Environment::after(last, unit),
            None => Environment::new(unit),
        };
        *last = Some(new.clone());
        new
    }

    /// Collects the launches found in host functions. Returns the collection of the last queried version if
    /// its launches are the same.
    pub(super) fn all_launches(&self, hosts: Vec<Arc<Vec<FoundLaunch>>>, unit: &Unit) -> Arc<Launches> {
        let new = |hosts| Arc::new(Launches::new(hosts, unit));
        let Ok(mut last) = self.all_launches.lock() else { return new(hosts) };
        if let Some(last) = &*last
            && last.are_of(&hosts)
        {
            return Arc::clone(last);
        }
        Arc::clone(last.insert(new(hosts)))
    }

    /// Returns a hash of all declarations that a function depends on. `reached` finds the items that the
    /// function refers to.
    pub(super) fn meaning(
        &self,
        item: u32,
        environment: &Environment,
        reached: impl FnOnce() -> Vec<u32>,
    ) -> u64 {
        let unit = environment.unit();
        if let Some(known) = self.meanings.get(&item)
            && Arc::ptr_eq(&known.names, environment.names())
            && known.items.iter().all(|item| stays(unit, item))
        {
            return known.hash;
        }
        let items = hashes(unit, reached());
        let texts: Vec<u128> = items.iter().map(|(_, hash)| *hash).collect();
        // Include the function's own text, because `reached` may contain another item with the same text
        // instead.
        let own = unit.item(item).map(|placed| placed.hash);
        let hash = super::hash_of(&(texts, own));
        let names = Arc::clone(environment.names());
        self.meanings.insert(item, DeclarationHash { names, items: items.into(), hash });
        hash
    }
}

impl<T> Default for Results<T> {
    fn default() -> Self {
        Self(DashMap::default())
    }
}

impl<T: NamesItems> Results<T> {
    /// Returns the memoized result with its item indices updated to the unit, or computes and memoizes the
    /// result.
    pub(super) fn kept(
        &self,
        key: (u64, u64),
        unit: &Unit,
        places: &OnceLock<ItemsByHash>,
        compute: impl FnOnce() -> T,
    ) -> T {
        if let Some(known) = self.known(key, unit, places) {
            return known;
        }
        let result = compute();
        self.keep(key, unit, &result);
        result
    }

    pub(super) fn keep(&self, key: (u64, u64), unit: &Unit, result: &T) {
        let mut items = Vec::new();
        result.clone().each_place(&mut |place| items.push(place.item));
        if self.0.len() > MAX {
            self.0.clear();
        }
        self.0.insert(key, CachedResult { result: result.clone(), items: hashes(unit, items) });
    }

    /// Returns the memoized result with its item indices updated to the unit. `None` if no result is known
    /// for the key, or if the unit lacks an item that the result refers to.
    pub(super) fn known(&self, key: (u64, u64), unit: &Unit, places: &OnceLock<ItemsByHash>) -> Option<T> {
        let known = self.0.get(&key)?;
        if known.items.iter().all(|item| stays(unit, item)) {
            return Some(known.result.clone());
        }
        let find = || unit.items.iter().zip(0..).map(|(placed, at)| (placed.hash, at)).collect();
        let places = places.get_or_init(find);
        let now = known.items.iter().map(|(item, hash)| Some((*item, *places.get(hash)?)));
        let now: FxHashMap<u32, u32> = now.collect::<Option<_>>()?;
        let mut result = known.result.clone();
        drop(known);
        result.each_place(&mut |place| place.item = now.get(&place.item).copied().unwrap_or(place.item));
        self.keep(key, unit, &result);
        Some(result)
    }
}

/// Maps the hash of an item's text to the item's index.
pub(super) type ItemsByHash = FxHashMap<u128, u32>;

/// True if the item with this index has a text with this hash.
fn stays(unit: &Unit, (item, hash): &(u32, u128)) -> bool {
    unit.item(*item).is_some_and(|own| own.hash == *hash)
}

/// Returns the items in ascending order and without duplicates, each with the hash of its text.
fn hashes(unit: &Unit, mut items: Vec<u32>) -> Vec<(u32, u128)> {
    items.sort_unstable();
    items.dedup();
    let hash = |item: u32| Some((item, unit.item(item)?.hash));
    items.into_iter().filter_map(hash).collect()
}

/// Returns the memoized findings for a key, or computes and memoizes them. Drops all findings first if the
/// limit is exceeded.
pub(super) fn remembered<K: Eq + Hash + Copy>(
    all: &Parts<K>,
    key: K,
    find: impl FnOnce() -> Vec<ItemFinding>,
) -> Arc<[ItemFinding]> {
    if let Some(known) = all.get(&key) {
        return Arc::clone(&known);
    }
    let found: Arc<[ItemFinding]> = find().into();
    if all.len() > MAX {
        all.clear();
    }
    all.insert(key, Arc::clone(&found));
    found
}
