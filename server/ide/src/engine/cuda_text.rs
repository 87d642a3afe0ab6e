//! A CUDA text and what is known of it as a whole.

use advisor::cuda::Finding;
use advisor::ptx::Finding as ItemFinding;
use dashmap::DashMap;
use machine::Arch;
use model::cuda::{Configuration, Environment, FoundLaunch, Run, launches, run};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};
use syntax::cuda::{Function, ItemKind, Source, TextConditions, Unit};

/// A text; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CudaText {
    source: Source,
    /// Computed when first asked for.
    known: Arc<Known>,
    /// Results of this version of the text and of earlier ones.
    memo: Arc<Memo>,
}

/// What is known of one version of a text, each computed when first asked for.
#[derive(Debug, Default)]
struct Known {
    environment: OnceLock<Environment>,
    launches: OnceLock<Launches>,
    /// The same text as it is compiled for an architecture that somebody names: the last one that was asked for.
    named: Mutex<Option<(u16, Arc<CudaText>)>>,
    /// Items by the hashes of their texts.
    places: OnceLock<FxHashMap<u128, u32>>,
    /// Hashes of all that the kernels' meaning hangs on, by their items.
    meanings: DashMap<u32, u64, FxBuildHasher>,
    /// Hashes of host functions and of the kernels that they launch, by the functions' items.
    hosts: DashMap<u32, u64, FxBuildHasher>,
}

/// The launches in host code.
#[derive(Debug, Default)]
struct Launches {
    all: Vec<FoundLaunch>,
    /// Their places in the list, by the function that they launch.
    of: FxHashMap<String, Vec<u32>>,
}

/// Results by the hashes of all that they depend on. They name items by their numbers in the unit that they were computed for.
#[derive(Debug, Default)]
struct Memo {
    runs: Results<Option<Arc<Run>>>,
    launches: Results<Vec<FoundLaunch>>,
    findings: Results<Arc<Vec<Finding>>>,
    /// Findings in the `asm` statements of an item, by the hashes of its text and of all else that they depend on; in its bytes.
    asm: DashMap<(u128, u64), Arc<[ItemFinding]>, FxBuildHasher>,
    /// Findings in their code, by a hash of it.
    asm_code: DashMap<u64, Arc<[ItemFinding]>, FxBuildHasher>,
}

type Results<T> = DashMap<(u64, u64), Kept<T>, FxBuildHasher>;

/// A result, with the hash of the text of each item that it names.
#[derive(Debug)]
struct Kept<T> {
    result: T,
    items: Vec<(u32, u128)>,
}

/// A result that names items by their numbers in a unit.
trait NamesItems: Clone {
    /// Calls `take` with each number, to be changed where items have moved.
    fn each_item(&mut self, take: &mut dyn FnMut(&mut u32));
}

impl NamesItems for Option<Arc<Run>> {
    fn each_item(&mut self, take: &mut dyn FnMut(&mut u32)) {
        if let Some(run) = self {
            Arc::make_mut(run).each_item(take);
        }
    }
}

impl NamesItems for Vec<FoundLaunch> {
    fn each_item(&mut self, take: &mut dyn FnMut(&mut u32)) {
        for launch in self {
            take(&mut launch.item);
        }
    }
}

impl NamesItems for Arc<Vec<Finding>> {
    fn each_item(&mut self, take: &mut dyn FnMut(&mut u32)) {
        for finding in Arc::make_mut(self) {
            take(&mut finding.place.item);
            finding.related.iter_mut().for_each(|related| take(&mut related.place.item));
            finding
                .fixes
                .iter_mut()
                .flat_map(|fix| &mut fix.edits)
                .for_each(|edit| take(&mut edit.place.item));
        }
    }
}

/// Results that are kept before all are forgotten: some ten times as many as a text of 20,000 lines has.
const MOST: usize = 1 << 15;

impl CudaText {
    pub(crate) fn parse(text: &str) -> Self {
        Self { source: Source::parse(text), known: Arc::default(), memo: Arc::default() }
    }

    pub(crate) fn edit(&self, range: Range<usize>, text: &str) -> Self {
        let source = self.source.edit(range, text);
        Self { source, known: Arc::default(), memo: Arc::clone(&self.memo) }
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        self.source.text()
    }

    pub(crate) fn unit(&self) -> &Arc<Unit> {
        self.source.unit()
    }

    /// The conditions of the preprocessor in the text.
    pub(crate) fn conditions(&self) -> &TextConditions {
        self.source.conditions()
    }

    /// The same text as it is compiled for a GPU; `None` where nobody names one.
    pub(crate) fn for_architecture(self: &Arc<Self>, sm: Option<u16>) -> Arc<Self> {
        let Some(sm) = sm else { return Arc::clone(self) };
        let Ok(mut named) = self.known.named.lock() else { return Arc::clone(self) };
        if let Some((of, text)) = &*named
            && *of == sm
        {
            return Arc::clone(text);
        }
        let source = self.source.for_architecture(Some(sm));
        let text = Arc::new(Self { source, known: Arc::default(), memo: Arc::clone(&self.memo) });
        *named = Some((sm, Arc::clone(&text)));
        text
    }

    /// The names of the text.
    pub(crate) fn environment(&self) -> &Environment {
        self.known.environment.get_or_init(|| Environment::new(self.unit()))
    }

    /// The launches of a function in host code, in the order of the text.
    pub(crate) fn launches_of(
        &self,
        function: &str,
        arch: &Arch,
    ) -> impl Iterator<Item = &FoundLaunch> + Clone {
        let launches = self.launches(arch);
        let of = launches.of.get(function).map_or(&[][..], Vec::as_slice);
        of.iter().map(|at| &launches.all[*at as usize])
    }

    /// The launches of a kernel in host code, in the order of the text. Where several kernels have its name, those with as many
    /// arguments as it has parameters, unless others have as many of other types.
    pub(crate) fn launches_of_kernel(
        &self,
        kernel: &Function,
        arch: &Arch,
    ) -> impl Iterator<Item = &FoundLaunch> + Clone {
        let count = kernel.parameters.len();
        let mut others = self.environment().functions(&kernel.name);
        let is_only = others.clone().nth(1).is_none();
        // Parts of conditions may declare the same kernel over and over.
        let is_told_apart = is_only
            || others.all(|(_, other)| other.parameters.len() != count || other.has_parameters_of(kernel));
        let is_its = move |found: &&FoundLaunch| is_only || is_told_apart && found.arguments.len() == count;
        self.launches_of(&kernel.name, arch).filter(is_its)
    }

    /// All launches of the host functions that launch a function, in the order of the text.
    pub(crate) fn launches_beside(&self, function: &str, arch: &Arch) -> impl Iterator<Item = &FoundLaunch> {
        self.hosts(function, arch).into_iter().flat_map(|item| self.launches_of_host(item, arch))
    }

    /// The items of the host functions that launch a function, in the order of the text.
    fn hosts(&self, function: &str, arch: &Arch) -> Vec<u32> {
        let mut own: Vec<u32> = self.launches_of(function, arch).map(|found| found.item).collect();
        own.dedup();
        own
    }

    /// The launches of a host function, in the order of the text.
    fn launches_of_host(&self, item: u32, arch: &Arch) -> impl Iterator<Item = &FoundLaunch> {
        // All are in the order of their items, and so are those of a function.
        let all = &self.launches(arch).all;
        let first = all.partition_point(|found| found.item < item);
        all[first..].iter().take_while(move |found| found.item == item)
    }

    /// Hashes of the host functions that launch a function, and of the meaning of all that those launch.
    pub(crate) fn hosts_of(&self, function: &str, arch: &Arch) -> Vec<u64> {
        self.hosts(function, arch).into_iter().map(|item| self.host(item, arch)).collect()
    }

    fn host(&self, item: u32, arch: &Arch) -> u64 {
        if let Some(known) = self.known.hosts.get(&item) {
            return *known;
        }
        let launched = self.launches_of_host(item, arch).map(|found| {
            let launched = self.environment().function(&found.function);
            launched.map(|(item, _)| self.meaning(item))
        });
        let text = self.unit().items.get(item as usize).map(|placed| placed.hash);
        let hash = hash_of(&(text, launched.collect::<Vec<_>>()));
        self.known.hosts.insert(item, hash);
        hash
    }

    fn launches(&self, arch: &Arch) -> &Launches {
        self.known.launches.get_or_init(|| {
            let mut launches = Launches::default();
            for (placed, at) in self.unit().items.iter().zip(0_u32..) {
                let is_host = |function: &Function| function.body.is_some() && !function.is_on_device();
                if matches!(&placed.item.kind, ItemKind::Function(function) if is_host(function)) {
                    launches.all.extend(self.launches_in(at, arch));
                }
            }
            launches.all.sort_by_key(|launch| (launch.item, launch.range.start));
            launches.all.dedup_by_key(|launch| (launch.item, launch.range.start));
            for (launch, at) in launches.all.iter().zip(0..) {
                launches.of.entry(launch.function.clone()).or_default().push(at);
            }
            launches
        })
    }

    /// The launches that a host function makes, and those that it calls.
    fn launches_in(&self, item: u32, arch: &Arch) -> Vec<FoundLaunch> {
        let key = (self.meaning(item), arch.sm.into());
        self.kept(&self.memo.launches, key, || launches(self.environment(), arch, item))
    }

    /// Runs a launch of the kernel in an item, unless that was done before; `None` where the item has none with a body.
    pub(crate) fn run(&self, item: u32, arch: &Arch, launch: &Configuration) -> Option<Arc<Run>> {
        let key = (self.meaning(item), hash_of(&(arch.sm, launch)));
        self.kept(&self.memo.runs, key, || run(self.environment(), arch, item, launch).map(Arc::new))
    }

    /// The findings in the kernel of an item, unless they are known; `asked` is a hash of all else that they depend on.
    pub(crate) fn findings<E>(
        &self,
        item: u32,
        asked: u64,
        find: impl FnOnce() -> Result<Vec<Finding>, E>,
    ) -> Result<Arc<Vec<Finding>>, E> {
        let key = (self.meaning(item), asked);
        if let Some(known) = self.known_result(&self.memo.findings, key) {
            return Ok(known);
        }
        let found = Arc::new(find()?);
        self.keep(&self.memo.findings, key, &found);
        Ok(found)
    }

    /// The findings in the `asm` statements of an item, unless they are known; `asked` is a hash of all that they depend on
    /// beside the item's text.
    pub(crate) fn asm_findings(
        &self,
        item: u128,
        asked: u64,
        find: impl FnOnce() -> Vec<ItemFinding>,
    ) -> Arc<[ItemFinding]> {
        remembered(&self.memo.asm, (item, asked), find)
    }

    /// The findings in the code of an `asm` statement, unless they are known.
    pub(crate) fn asm_code_findings(
        &self,
        code: u64,
        find: impl FnOnce() -> Vec<ItemFinding>,
    ) -> Arc<[ItemFinding]> {
        remembered(&self.memo.asm_code, code, find)
    }

    /// A result that is known, or is computed now.
    fn kept<T: NamesItems>(&self, all: &Results<T>, key: (u64, u64), compute: impl FnOnce() -> T) -> T {
        if let Some(known) = self.known_result(all, key) {
            return known;
        }
        let result = compute();
        self.keep(all, key, &result);
        result
    }

    fn keep<T: NamesItems>(&self, all: &Results<T>, key: (u64, u64), result: &T) {
        let mut items = Vec::new();
        result.clone().each_item(&mut |item| items.push(*item));
        if all.len() > MOST {
            all.clear();
        }
        all.insert(key, Kept { result: result.clone(), items: self.hashes(items) });
    }

    /// A known result, whose items are those of this text; `None` where this text lacks one of them.
    fn known_result<T: NamesItems>(&self, all: &Results<T>, key: (u64, u64)) -> Option<T> {
        let known = all.get(&key)?;
        let own = &self.unit().items;
        let stays =
            |(item, hash): &(u32, u128)| own.get(*item as usize).is_some_and(|placed| placed.hash == *hash);
        if known.items.iter().all(stays) {
            return Some(known.result.clone());
        }
        let find = || own.iter().zip(0..).map(|(placed, at)| (placed.hash, at)).collect();
        let places = self.known.places.get_or_init(find);
        let now = known.items.iter().map(|(item, hash)| Some((*item, *places.get(hash)?)));
        let now: FxHashMap<u32, u32> = now.collect::<Option<_>>()?;
        let mut result = known.result.clone();
        drop(known);
        result.each_item(&mut |item| *item = now.get(item).copied().unwrap_or(*item));
        self.keep(all, key, &result);
        Some(result)
    }

    /// A hash of all that the meaning of a function hangs on: its own text, and that of what it may name.
    pub(crate) fn meaning(&self, item: u32) -> u64 {
        if let Some(known) = self.known.meanings.get(&item) {
            return *known;
        }
        let is_called = |function: &Function| !function.is_kernel() && function.is_on_device();
        let is_host = |function: &Function| !function.is_kernel();
        let own = self.unit().items.get(item as usize).map(|placed| &placed.item.kind);
        let reached = match own {
            Some(ItemKind::Function(function)) if !function.is_on_device() => {
                self.environment().reached(item, is_host)
            }
            _ => self.environment().reached(item, is_called),
        };
        let mut hasher = FxHasher::default();
        for item in reached {
            self.unit().items[item as usize].hash.hash(&mut hasher);
        }
        // The item itself, of which others of the same text may be reached.
        self.unit().items.get(item as usize).map(|placed| placed.hash).hash(&mut hasher);
        let meaning = hasher.finish();
        self.known.meanings.insert(item, meaning);
        meaning
    }

    /// The hash of the text of each item, once.
    fn hashes(&self, mut items: Vec<u32>) -> Vec<(u32, u128)> {
        items.sort_unstable();
        items.dedup();
        let hash = |item: u32| Some((item, self.unit().items.get(item as usize)?.hash));
        items.into_iter().filter_map(hash).collect()
    }
}

/// Findings from here, or new. Where there are too many, all are forgotten.
fn remembered<K: Eq + Hash + Copy>(
    all: &DashMap<K, Arc<[ItemFinding]>, FxBuildHasher>,
    key: K,
    find: impl FnOnce() -> Vec<ItemFinding>,
) -> Arc<[ItemFinding]> {
    if let Some(known) = all.get(&key) {
        return Arc::clone(&known);
    }
    let found: Arc<[ItemFinding]> = find().into();
    if all.len() > MOST {
        all.clear();
    }
    all.insert(key, Arc::clone(&found));
    found
}

/// A hash of a value, the same as long as the program runs.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
