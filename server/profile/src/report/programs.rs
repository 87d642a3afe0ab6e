//! Programs of a report: their code, their sources, and the addresses of their functions in memory.

use super::frames::MessageError;
use super::places::{SymbolsByAddress, places_in_code, sizes_in_code};
use super::schema::{Files, Process, Relocations, Source, text, unpacked};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A program that contains the kernels of launches.
#[derive(Clone, Default)]
pub(super) struct Program {
    pub code: Option<Arc<[u8]>>,
    /// Source texts by path.
    pub sources: Arc<BTreeMap<Arc<str>, Arc<str>>>,
    pub places: SymbolsByAddress,
    /// Code size in bytes of each function, by symbol.
    pub sizes: Arc<BTreeMap<String, u64>>,
}

/// The programs read so far. Each process numbers its programs separately, so numbers repeat in a report of
/// several processes.
#[derive(Default)]
pub(super) struct Programs {
    all: FxHashMap<(Process, u64), Program>,
    // Reports may contain the same code and the same texts many times.
    codes: FxHashSet<Arc<[u8]>>,
    texts: FxHashSet<Arc<str>>,
}

impl Programs {
    /// Adds the contents of a message to its program. Code occurs once, and function addresses occur each
    /// time that the program is loaded.
    pub(super) fn add(&mut self, process: &Process, source: Source) -> Result<(), MessageError> {
        let relocations: Relocations = unpacked(&source.relocations.unwrap_or_default())?;
        let files: Files = unpacked(&source.files.unwrap_or_default())?;
        let program = self.all.entry((process.clone(), source.number)).or_default();
        for function in relocations.functions {
            let name = shared(&mut self.texts, text(function.name));
            program.places.insert(function.address, name);
        }
        if let Some(code) = source.code.filter(|code| !code.is_empty()) {
            program.sizes = Arc::new(sizes_in_code(&code));
            program.code = Some(shared(&mut self.codes, code));
        }
        for file in files.files {
            let Some(content) = file.text else { continue };
            let (path, content) =
                (shared(&mut self.texts, text(file.path)), shared(&mut self.texts, text(content)));
            if program.sources.get(&path) != Some(&content) {
                Arc::make_mut(&mut program.sources).insert(path, content);
            }
        }
        if let Some(code) = program.code.as_deref().filter(|_| program.places.is_empty()) {
            let places = places_in_code(code).into_iter();
            program.places = places.map(|(at, name)| (at, shared(&mut self.texts, name))).collect();
        }
        Ok(())
    }

    /// Combines the programs with these numbers: all their sources and functions, and the code if there is
    /// only one program.
    pub(super) fn together(&self, process: &Process, numbers: &[u64]) -> Cow<'_, Program> {
        let numbers: BTreeSet<&u64> = numbers.iter().collect();
        let mut programs = numbers.into_iter().filter_map(|number| self.all.get(&(process.clone(), *number)));
        let Some(mut all) = programs.next().map(Cow::Borrowed) else { return Cow::default() };
        for other in programs {
            let all = all.to_mut();
            all.code = None;
            all.sizes = Arc::default();
            all.places.extend(other.places.clone());
            let sources = other.sources.iter().map(|(path, text)| (Arc::clone(path), Arc::clone(text)));
            Arc::make_mut(&mut all.sources).extend(sources);
        }
        all
    }
}

/// Returns the shared copy of bytes or of a text.
fn shared<T: ?Sized + Eq + std::hash::Hash, Own>(all: &mut FxHashSet<Arc<T>>, own: Own) -> Arc<T>
where
    Own: AsRef<T>,
    Arc<T>: From<Own>,
{
    if let Some(known) = all.get(own.as_ref()) {
        return Arc::clone(known);
    }
    let own: Arc<T> = own.into();
    all.insert(Arc::clone(&own));
    own
}
