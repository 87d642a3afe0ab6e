//! Memoized facts about single PTX items. Facts are kept while any document contains an item with the same
//! text.

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

/// Facts about items, keyed by the hash of the item's text. Shared by all documents and snapshots.
#[derive(Debug, Default)]
pub(crate) struct PtxMemo {
    facts: DashMap<u64, Arc<Facts>, FxBuildHasher>,
    /// Rule findings, keyed by the hash of the item's text and the hash of all other inputs of the rules.
    findings: DashMap<(u64, u64), Arc<[Finding]>, FxBuildHasher>,
    /// Lowered functions, keyed by the hash of the item's text and the hash of all other inputs of the
    /// lowering.
    costs: DashMap<(u64, u64), Option<Arc<Cost>>, FxBuildHasher>,
    names_computed: Arc<AtomicU64>,
}

/// Facts that depend only on one item's text. Each is computed on first use.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    names: OnceLock<Names>,
    names_computed: Arc<AtomicU64>,
}

impl Facts {
    /// Returns the resolved names of the item. `item` must have the text that these facts were keyed by.
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

    /// Reuses the resolved names of an item after an edit of a single instruction in the item.
    pub(crate) fn carry_over(&self, module: &Module) {
        let Some(respelled) = module.respelled() else { return };
        let Some(before) = self.facts.get(&respelled.before).map(|facts| Arc::clone(&facts)) else { return };
        if let Some(names) = before.names.get() {
            let item = &module.items()[respelled.item];
            // If another thread has set the names first, the names of that thread are kept.
            let _ = self.facts(item).names.set(names.respelled(item, &respelled));
        }
    }

    /// Returns the memoized findings in an item. `around` is the hash of all inputs other than the item's
    /// text.
    pub(crate) fn findings(
        &self,
        item: &Item,
        around: u64,
        find: impl FnOnce() -> Arc<[Finding]>,
    ) -> Arc<[Finding]> {
        known_or_new(&self.findings, (item.hash(), around), find)
    }

    /// Returns the memoized lowering of a function. `around` is the hash of all inputs other than the item's
    /// text.
    pub(crate) fn cost(
        &self,
        item: &Item,
        around: u64,
        lower: impl FnOnce() -> Option<Cost>,
    ) -> Option<Arc<Cost>> {
        known_or_new(&self.costs, (item.hash(), around), || lower().map(Arc::new))
    }

    /// Returns a memoized lowered function. `None` if it is not in the memo, `Some(None)` if the item cannot
    /// be lowered.
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

    /// Drops facts about items that are in no document, once the memo has more than twice as many entries as
    /// there are items.
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
