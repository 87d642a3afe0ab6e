//! A CUDA source, and the facts that depend on the whole source.

mod launches;
mod memo;

use self::launches::Launches;
use self::memo::{CudaMemo, ItemsByHash, remembered};
use super::hashing::hash_of;
use super::other_launches::{HeaderLaunch, OtherLaunches};
use super::rules::ALLOW;
use super::surroundings::Surroundings;
use super::target::NEWEST_COMMON_SM;
use advisor::cuda::Finding;
use advisor::ptx::Finding as ItemFinding;
use dashmap::DashMap;
use machine::{Arch, Machine};
use model::cuda::{Configuration, Environment, FoundLaunch, Run, SourceSpan, launches, run};
use rustc_hash::FxBuildHasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};
use syntax::cuda::{FIRST_INCLUDED, Function, Included, ItemKind, Source, TextConditions, Unit};

/// Item index in the place of a launch by another source.
const ELSEWHERE: u32 = u32::MAX; // limit: more than any source has

/// A parsed CUDA source. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CudaText {
    source: Source,
    /// Facts about this version of the source. Each is computed on first use.
    known: Arc<VersionFacts>,
    /// Memoized results, shared with earlier versions of the source.
    memo: Arc<CudaMemo>,
    /// Launches by other sources.
    others: Arc<OtherLaunches>,
}

/// Facts about one version of a source. Each is computed on first use.
#[derive(Debug, Default)]
struct VersionFacts {
    environment: OnceLock<Environment>,
    launches: OnceLock<Arc<Launches>>,
    /// The source as compiled for the last requested architecture.
    named: Mutex<Option<(u16, Arc<CudaText>)>>,
    /// Maps the hash of an item's text to the item's index.
    places: OnceLock<ItemsByHash>,
    /// True if the source contains `warplens: allow(`.
    allows_some: OnceLock<bool>,
    /// Hash of each host function and of the kernels that it launches, by the host function's item index.
    hosts: DashMap<u32, u64, FxBuildHasher>,
}

impl CudaText {
    pub(crate) fn parse(text: &str) -> Self {
        Self::of_source(&Source::parse(text))
    }

    /// Returns a parsed source, without headers.
    pub(crate) fn of_source(source: &Source) -> Self {
        Self { source: source.clone(), known: Arc::default(), memo: Arc::default(), others: Arc::default() }
    }

    pub(crate) fn edit(&self, range: Range<usize>, text: &str) -> Self {
        let source = self.source.edit(range, text);
        self.with_source(source)
    }

    /// Returns another version of the source.
    fn with_source(&self, source: Source) -> Self {
        let (memo, others) = (Arc::clone(&self.memo), Arc::clone(&self.others));
        Self { source, known: Arc::default(), memo, others }
    }

    /// Returns the source with what other files tell about it.
    pub(crate) fn within(&self, surroundings: Option<&Surroundings>) -> Self {
        let included = surroundings.and_then(|own| own.included.clone());
        let others = surroundings.map(|own| Arc::clone(&own.launches)).unwrap_or_default();
        Self { others, ..self.with_source(self.source.including(included)) }
    }

    /// Returns the launches of kernels that headers define by the host code of this source, which has the name `name`.
    pub(crate) fn launches_of_headers(
        &self,
        name: &str,
        included: Option<Arc<Included>>,
    ) -> Vec<HeaderLaunch> {
        let Some(headers) = included.clone() else { return Vec::new() };
        let own = self.with_source(self.source.including(included));
        let arch = Machine::builtin().gpu_for_sm(NEWEST_COMMON_SM).arch;
        let header_of = |found: &FoundLaunch| {
            let (item, kernel) = own.environment().function(&found.function)?;
            let at = item.checked_sub(FIRST_INCLUDED).filter(|_| kernel.is_kernel())?;
            headers.header_of(at as usize).cloned()
        };
        let launches = own.launches(&arch).iter().filter_map(|found| {
            let header = header_of(found)?;
            let line = own.unit().items.get(found.place.item as usize).map(|placed| {
                let before = &own.text().as_bytes()[..placed.range(&found.place.range()).start];
                memchr::memchr_iter(b'\n', before).count() + 1
            });
            let elsewhere = match line {
                Some(line) => format!("{name}:{line}"),
                // A function of a header launches the kernel, and this source calls the function.
                None => name.to_owned(),
            };
            let place = SourceSpan { item: ELSEWHERE, ..found.place };
            let launch = FoundLaunch { place, elsewhere: Some(elsewhere.into()), ..found.clone() };
            Some(HeaderLaunch { header, launch })
        });
        launches.collect()
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        self.source.text()
    }

    pub(crate) fn unit(&self) -> &Arc<Unit> {
        self.source.unit()
    }

    /// True if the source contains `warplens: allow(`.
    pub(crate) fn allows_some(&self) -> bool {
        *self
            .known
            .allows_some
            .get_or_init(|| memchr::memmem::find(self.text().as_bytes(), ALLOW.as_bytes()).is_some())
    }

    /// Returns the `#if` conditions in the source.
    pub(crate) fn conditions(&self) -> &TextConditions {
        self.source.conditions()
    }

    /// Returns the source as compiled for the architecture `sm`. For `None`, returns the unchanged source.
    pub(crate) fn for_architecture(self: &Arc<Self>, sm: Option<u16>) -> Arc<Self> {
        let Some(sm) = sm else { return Arc::clone(self) };
        let Ok(mut named) = self.known.named.lock() else { return Arc::clone(self) };
        if let Some((of, text)) = &*named
            && *of == sm
        {
            return Arc::clone(text);
        }
        let source = self.source.for_architecture(Some(sm));
        let text = Arc::new(self.with_source(source));
        *named = Some((sm, Arc::clone(&text)));
        text
    }

    /// Returns the declarations that the names in the source refer to.
    pub(crate) fn environment(&self) -> &Environment {
        self.known.environment.get_or_init(|| self.memo.environment(self.unit()))
    }

    /// Returns the launches of a function in host code: those of this source in text order, then those of others.
    pub(crate) fn launches_of(
        &self,
        function: &str,
        arch: &Arch,
    ) -> impl Iterator<Item = &FoundLaunch> + Clone {
        self.launches(arch).of_function(function).chain(self.others.of_function(function))
    }

    /// Returns the launches of a kernel in host code, in text order. If several kernels share the name, returns only
    /// the launches with as many arguments as this kernel has parameters, or no launches if another of these kernels
    /// has the same number of parameters with other types.
    pub(crate) fn launches_of_kernel(
        &self,
        kernel: &Function,
        arch: &Arch,
    ) -> impl Iterator<Item = &FoundLaunch> + Clone {
        let count = kernel.parameters.len();
        let mut others = self.environment().functions(&kernel.name);
        let is_only = others.clone().nth(1).is_none();
        // Each branch of an `#if` may declare the same kernel.
        let is_told_apart = is_only
            || others.all(|(_, other)| other.parameters.len() != count || other.has_parameters_of(kernel));
        let is_its = move |found: &&FoundLaunch| is_only || is_told_apart && found.arguments.len() == count;
        self.launches_of(&kernel.name, arch).filter(is_its)
    }

    /// True if callers in other sources may launch a function with blocks that are not found.
    pub(crate) fn may_have_other_blocks(&self, function: &str, arch: &Arch) -> bool {
        self.launches(arch).may_have_other_blocks(function)
    }

    /// Returns all launches in the host functions that launch this function, in text order.
    pub(crate) fn launches_in_hosts_of(
        &self,
        function: &str,
        arch: &Arch,
    ) -> impl Iterator<Item = &FoundLaunch> {
        let launches = self.launches(arch);
        self.hosts(function, arch).into_iter().flat_map(|item| launches.in_host(item))
    }

    /// Returns the item indices of the host functions that launch this function, in text order.
    fn hosts(&self, function: &str, arch: &Arch) -> Vec<u32> {
        let own = self.launches(arch).of_function(function);
        let mut own: Vec<u32> = own.map(|found| found.place.item).collect();
        own.dedup();
        own
    }

    /// Returns a hash for each host function that launches this function. The hash covers the text of the
    /// host function, and [`Self::meaning`] of each function that it launches.
    pub(crate) fn hosts_of(&self, function: &str, arch: &Arch) -> Vec<u64> {
        self.hosts(function, arch).into_iter().map(|item| self.host(item, arch)).collect()
    }

    fn host(&self, item: u32, arch: &Arch) -> u64 {
        if let Some(known) = self.known.hosts.get(&item) {
            return *known;
        }
        let launched = self.launches(arch).in_host(item).map(|found| {
            let launched = self.environment().function(&found.function);
            launched.map(|(item, _)| self.meaning(item))
        });
        let text = self.unit().item(item).map(|placed| placed.hash);
        let hash = hash_of(&(text, launched.collect::<Vec<_>>()));
        self.known.hosts.insert(item, hash);
        hash
    }

    /// Returns a hash of the launches of a kernel. If several kernels have the same name, the hash also
    /// covers the texts of these kernels.
    pub(crate) fn hash_of_launches(&self, kernel: &Function, arch: &Arch) -> u64 {
        let namesakes = self.environment().functions(&kernel.name);
        let namesakes = namesakes.clone().nth(1).map(|_| {
            let texts = namesakes.map(|(item, _)| self.unit().item(item).map(|placed| placed.hash));
            texts.collect::<Vec<_>>()
        });
        let others = self.others.of_function(&kernel.name);
        hash_of(&(self.launches(arch).hash_of(&kernel.name), others, namesakes))
    }

    fn launches(&self, arch: &Arch) -> &Launches {
        self.known.launches.get_or_init(|| {
            let is_host = |function: &Function| function.body.is_some() && !function.is_on_device();
            let items = self.unit().items.iter().zip(0_u32..);
            let hosts = items.filter(
                |(placed, _)| matches!(&placed.item.kind, ItemKind::Function(function) if is_host(function)),
            );
            let hosts = hosts.map(|(_, at)| self.launches_in(at, arch)).collect();
            self.memo.all_launches(hosts, self.unit())
        })
    }

    /// Returns the launches in a host function and in the functions that it calls.
    fn launches_in(&self, item: u32, arch: &Arch) -> Arc<Vec<FoundLaunch>> {
        let key = (self.meaning(item), arch.sm.into());
        let find = || Arc::new(launches(self.environment(), arch, item));
        self.memo.launches.kept(key, self.unit(), &self.known.places, find)
    }

    /// Interprets a launch of the kernel in an item. Memoized. `None` if the item has no kernel with a body.
    pub(crate) fn run(&self, item: u32, arch: &Arch, launch: &Configuration) -> Option<Arc<Run>> {
        let key = (self.meaning(item), hash_of(&(arch.sm, launch)));
        let run = || run(self.environment(), arch, item, launch).map(Arc::new);
        self.memo.runs.kept(key, self.unit(), &self.known.places, run)
    }

    /// Returns the findings in the kernel of an item, memoized. `asked` is the hash of all inputs other than
    /// the declarations that the kernel depends on.
    pub(crate) fn findings<E>(
        &self,
        item: u32,
        asked: u64,
        find: impl FnOnce() -> Result<Vec<Finding>, E>,
    ) -> Result<Arc<Vec<Finding>>, E> {
        let key = (self.meaning(item), asked);
        if let Some(known) = self.memo.findings.known(key, self.unit(), &self.known.places) {
            return Ok(known);
        }
        let found = Arc::new(find()?);
        self.memo.findings.keep(key, self.unit(), &found);
        Ok(found)
    }

    /// Returns the memoized findings in the `asm` statements of an item. `asked` is the hash of all inputs
    /// other than the item's text.
    pub(crate) fn asm_findings(
        &self,
        item: u128,
        asked: u64,
        find: impl FnOnce() -> Vec<ItemFinding>,
    ) -> Arc<[ItemFinding]> {
        remembered(&self.memo.asm, (item, asked), find)
    }

    /// Returns the memoized findings in the code of an `asm` statement. `code` is the hash of the code.
    pub(crate) fn asm_code_findings(
        &self,
        code: u64,
        find: impl FnOnce() -> Vec<ItemFinding>,
    ) -> Arc<[ItemFinding]> {
        remembered(&self.memo.asm_code, code, find)
    }

    /// Returns a hash of all declarations that a function depends on: the function's text and the text of
    /// each item that it may refer to.
    pub(crate) fn meaning(&self, item: u32) -> u64 {
        let environment = self.environment();
        self.memo.meaning(item, environment, || {
            let is_called = |function: &Function| !function.is_kernel() && function.is_on_device();
            let is_host = |function: &Function| !function.is_kernel();
            match self.unit().item(item).map(|placed| &placed.item.kind) {
                Some(ItemKind::Function(function)) if !function.is_on_device() => {
                    environment.reached(item, is_host)
                }
                _ => environment.reached(item, is_called),
            }
        })
    }
}
