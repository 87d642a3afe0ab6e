//! Facts about single items, kept while any document contains an item with the same text.

use super::lowered::Cost;
use crate::engine::recent::known_or_new;
use crate::engine::sass_text::SassText;
use advisor::ptx::Finding;
use dashmap::DashMap;
use model::ptx::Names;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use syntax::ptx::{Item, Module};

/// Facts about items by the hash of their text, shared by all documents and snapshots.
#[derive(Debug, Default)]
pub(crate) struct PtxMemo {
    facts: DashMap<u64, Arc<Facts>, FxBuildHasher>,
    /// Findings of the rules, by hashes of the item's text and of everything else that they depend on.
    findings: DashMap<(u64, u64), Arc<[Finding]>, FxBuildHasher>,
    /// Lowered functions, by hashes of the item's text and of everything else that the lowering depends on.
    costs: DashMap<(u64, u64), Option<Arc<Cost>>, FxBuildHasher>,
    names_computed: Arc<AtomicU64>,
}

/// Facts that follow from one item's text alone, each computed on first use.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    names: OnceLock<Names>,
    names_computed: Arc<AtomicU64>,
}

impl Facts {
    /// Returns the meanings of the names in the item, which must be the item of these facts.
    pub(crate) fn names(&self, item: &Item) -> &Names {
        self.names.get_or_init(|| {
            self.names_computed.fetch_add(1, Ordering::Relaxed);
            Names::resolve(item)
        })
    }
}

impl PtxMemo {
    pub(crate) fn facts(&self, item: &Item) -> Arc<Facts> {
        known_or_new(&self.facts, item.hash(), || {
            let names_computed = Arc::clone(&self.names_computed);
            Arc::new(Facts { names_computed, ..Facts::default() })
        })
    }

    /// Reuses the names of an item from before an edit of one instruction in it.
    pub(crate) fn carry_over(&self, module: &Module) {
        let Some(respelled) = module.respelled() else { return };
        let Some(before) = self.facts.get(&respelled.before).map(|facts| Arc::clone(&facts)) else { return };
        if let Some(names) = before.names.get() {
            let item = &module.items()[respelled.item];
            // If another thread has set the names first, they are kept.
            let _ = self.facts(item).names.set(names.respelled(item, &respelled));
        }
    }

    /// Returns the findings in an item, memoised. `around`: hash of everything but the item's text that they depend on.
    pub(crate) fn findings(
        &self,
        item: &Item,
        around: u64,
        find: impl FnOnce() -> Arc<[Finding]>,
    ) -> Arc<[Finding]> {
        known_or_new(&self.findings, (item.hash(), around), find)
    }

    /// Returns a lowered function, memoised. `around`: hash of everything but the item's text that it depends on.
    pub(crate) fn cost(
        &self,
        item: &Item,
        around: u64,
        lower: impl FnOnce() -> Option<Cost>,
    ) -> Option<Arc<Cost>> {
        known_or_new(&self.costs, (item.hash(), around), || lower().map(Arc::new))
    }

    /// Returns a lowered function if the memo has it; `None` if not, `Some(None)` if the item cannot be lowered.
    #[expect(clippy::option_option, reason = "`not computed yet` differs from `cannot be lowered`")]
    pub(crate) fn known_cost(&self, item: &Item, around: u64) -> Option<Option<Arc<Cost>>> {
        self.costs.get(&(item.hash(), around)).map(|cost| cost.clone())
    }

    /// Returns the listings of all lowered functions in the memo.
    pub(crate) fn hidden(&self) -> Vec<Arc<SassText>> {
        self.costs.iter().filter_map(|cost| Some(Arc::clone(&cost.as_ref()?.text))).collect()
    }

    /// Returns the number of items whose names were resolved so far.
    pub(crate) fn names_computed(&self) -> u64 {
        self.names_computed.load(Ordering::Relaxed)
    }

    /// Drops facts about items that are no longer in any document, once they outnumber the others.
    pub(crate) fn forget_unused<'a>(&self, modules: impl Iterator<Item = &'a Module> + Clone) {
        let items: usize = modules.clone().map(|module| module.items().len()).sum();
        if self.facts.len().max(self.findings.len()).max(self.costs.len()) > 2 * items + 16 {
            let used: FxHashSet<u64> = modules.flat_map(Module::items).map(|item| item.hash()).collect();
            self.facts.retain(|hash, _| used.contains(hash));
            self.findings.retain(|(hash, _), _| used.contains(hash));
            self.costs.retain(|(hash, _), _| used.contains(hash));
        }
    }
}
