//! The open documents and what they share.

use crate::answers::snapshot::Snapshot;
use crate::binary::Cubin;
use crate::engine::code::{Compiled, ListedCode};
use crate::engine::context::Context;
use crate::engine::cubin_facts::given;
use crate::engine::document::{Document, Text};
use crate::engine::plain::KnownGpu;
use crate::engine::prediction_store::PredictionStore;
use crate::engine::profiles::{AttachedProfile, Profiles};
use crate::engine::ptx_text::PtxText;
use crate::engine::sass_text::SassText;
use crate::engine::stated::Given;
use crate::engine::target::Wish;
use crate::measured::trees::ProfilesView;
use crate::{Analysis, Cancel, Config, Language, LaunchFile, LaunchReader, TextEdit, TooLarge};
use machine::{DataError, Machine, UnknownGpu};
use model::launch::Stating;
use std::collections::HashMap;
use std::sync::Arc;

/// A document's name; the client's URI or a path, never interpreted.
pub type DocumentId = String;

/// Holds documents, settings and the memo. Changing it never waits for work: snapshots are immutable.
#[derive(Debug)]
pub struct Host {
    documents: HashMap<DocumentId, Arc<Document>>,
    /// Context of documents outside all folders.
    context: Arc<Context>,
    /// Contexts of folders, by the folder's name.
    folders: HashMap<String, Arc<Context>>,
    /// The folder of each document that lies in one.
    placed: HashMap<DocumentId, String>,
    /// Facts about documents' kernels from elsewhere than their text.
    given: HashMap<DocumentId, Given>,
}

impl Default for Host {
    /// With the machines that ship with the program.
    fn default() -> Self {
        Self::new(Machine::builtin())
    }
}

impl Host {
    /// A host without documents, with default settings and no launches.
    pub fn new(machine: Arc<Machine>) -> Self {
        Self {
            documents: HashMap::new(),
            context: Arc::new(Context::new(machine)),
            folders: HashMap::new(),
            placed: HashMap::new(),
            given: HashMap::new(),
        }
    }

    /// A host for a machine with a user's file over the built-in one: a text as `warplens calibrate` writes it. `path` is
    /// for the error, which is one line.
    pub fn with_overlay(path: &str, toml: &str) -> Result<Self, DataError> {
        Ok(Self::new(Arc::new(Machine::builtin().overlay(path, toml)?)))
    }

    /// Keeps full predictions of launches in a store, and takes them from there. To be called before folders and documents are known.
    pub fn keep_predictions_in(&mut self, store: Arc<dyn PredictionStore>) {
        self.context = Arc::new(Context { store: Some(store), ..(*self.context).clone() });
    }

    /// Replaces the settings. An unknown GPU is an error, and the previous settings stay.
    pub fn configure(&mut self, config: Config) -> Result<(), UnknownGpu> {
        let wish = |context: &Context| Wish::resolve(&context.machine, &config, context.launches.as_ref());
        let of_all = wish(&self.context)?;
        let of_folder = |(folder, context): (&String, &Arc<Context>)| {
            let context = Context { config: config.clone(), wish: wish(context)?, ..(**context).clone() };
            Ok((folder.clone(), Arc::new(context)))
        };
        self.folders = self.folders.iter().map(of_folder).collect::<Result<_, UnknownGpu>>()?;
        self.context = Arc::new(Context { config, wish: of_all, ..(*self.context).clone() });
        Ok(())
    }

    /// The GPUs that the setting `gpu` can name: every part, then the usual part of every architecture.
    pub fn gpus(&self) -> Vec<KnownGpu> {
        let machine = &self.context.machine;
        let parts = machine
            .parts
            .iter()
            .map(|part| KnownGpu { name: part.id.clone(), title: format!("{} (sm_{})", part.name, part.sm) });
        let archs = machine.archs.iter().map(|arch| KnownGpu {
            name: format!("sm_{}", arch.sm),
            title: format!("the usual GPU of this architecture: {}", machine.gpu_for_sm(arch.sm).part.name),
        });
        parts.chain(archs).collect()
    }

    /// True for a name that the setting `gpu` takes, in any of its spellings.
    pub fn knows_gpu(&self, name: &str) -> bool {
        self.context.machine.gpu(name).is_ok()
    }

    /// Returns the settings in force, which all folders share.
    pub fn config(&self) -> &Config {
        &self.context.config
    }

    /// Reads a `warplens.toml` for this host's machines.
    pub fn launch_reader(&self) -> LaunchReader {
        LaunchReader(Arc::clone(&self.context.machine))
    }

    /// Replaces the profiles that are shown at the kernels of all documents. The chosen launches stay chosen.
    pub fn attach_profiles(&mut self, files: Vec<AttachedProfile>) {
        let chosen = self.context.profiles.chosen().clone();
        self.set_profiles(Profiles::new(files, chosen));
    }

    /// Shows another launch of a kernel, as a profile names it, by its number among the launches that the profiles have of it.
    pub fn choose_launch(&mut self, kernel: &str, number: usize) {
        self.set_profiles(self.context.profiles.with_choice(kernel, number));
    }

    /// Shows the launch of a kernel that has this number among those of one file. Returns whether that is another than before.
    pub fn choose_launch_in(&mut self, file: &str, kernel: &str, number: usize) -> bool {
        let profiles = &self.context.profiles;
        let Some(wanted) = profiles.number_in(file, kernel, number) else { return false };
        let is_other = profiles.launch_of(kernel).is_some_and(|shown| shown.number != wanted);
        if is_other {
            self.choose_launch(kernel, wanted);
        }
        is_other
    }

    /// Returns whether exactly these files are attached, as they were read.
    pub fn has_profiles(&self, files: &[AttachedProfile]) -> bool {
        let own = self.context.profiles.files();
        let is_same = |(one, other): (&AttachedProfile, &AttachedProfile)| {
            one.name == other.name && Arc::ptr_eq(&one.profile, &other.profile)
        };
        own.len() == files.len() && own.iter().zip(files).all(is_same)
    }

    /// The attached profiles, whatever document is looked at.
    pub fn profiles(&self) -> ProfilesView {
        ProfilesView(Arc::clone(&self.context))
    }

    /// The names of the attached profiles.
    pub fn profile_names(&self) -> Vec<String> {
        self.context.profiles.files().iter().map(|file| file.name.clone()).collect()
    }

    fn set_profiles(&mut self, profiles: Profiles) {
        let profiles = Arc::new(profiles);
        let with = |context: &Arc<Context>| {
            Arc::new(Context { profiles: Arc::clone(&profiles), ..(**context).clone() })
        };
        self.context = with(&self.context);
        self.folders.values_mut().for_each(|context| *context = with(context));
    }

    /// The launch context for all documents outside the folders of [`Self::set_launches_for`]; `None` removes it. An
    /// unknown GPU is an error, and the previous one stays.
    pub fn set_launches(&mut self, launches: Option<LaunchFile>) -> Result<(), UnknownGpu> {
        self.context = self.with_launches(launches)?;
        Ok(())
    }

    /// The launch context of one folder's documents, see [`Self::place`]. `None`: the folder states no launches. An
    /// unknown GPU is an error, and the previous one stays.
    pub fn set_launches_for(&mut self, folder: &str, launches: Option<LaunchFile>) -> Result<(), UnknownGpu> {
        let context = self.with_launches(launches)?;
        self.folders.insert(folder.to_owned(), context);
        Ok(())
    }

    /// The folder is no more; its documents count as outside all folders until they are placed again.
    pub fn forget_folder(&mut self, folder: &str) {
        self.folders.remove(folder);
    }

    /// Says which folder's launch context a document takes; `None`: it lies outside all folders. Holds until the document
    /// is closed, and may be said before it is opened.
    pub fn place(&mut self, id: &str, folder: Option<&str>) {
        match folder {
            Some(folder) => self.placed.insert(id.to_owned(), folder.to_owned()),
            None => self.placed.remove(id),
        };
    }

    fn with_launches(&self, launches: Option<LaunchFile>) -> Result<Arc<Context>, UnknownGpu> {
        let wish = Wish::resolve(&self.context.machine, &self.context.config, launches.as_ref())?;
        Ok(Arc::new(Context { launches, wish, ..(*self.context).clone() }))
    }

    /// Opens a document or replaces its whole text, in the language that [`Language::of_text`] detects.
    pub fn open(&mut self, id: &str, version: i32, text: &str) {
        self.open_as(id, version, Language::of_text(text), text);
    }

    /// Opens a document or replaces its whole text. Edits keep the language. See [`Self::too_large`].
    pub fn open_as(&mut self, id: &str, version: i32, language: Language, text: &str) {
        let given = self.given.get(id).cloned().unwrap_or_default();
        self.documents.insert(id.to_owned(), Document::parse(version, language, text, given));
        self.forget_unused();
    }

    /// Applies edits in order, each to the text that the one before left. False, and nothing changed, for a document
    /// that is not open, and for one whose new text has to be opened as a whole, as it is or may become too large to be read.
    pub fn edit(&mut self, id: &str, version: i32, edits: &[TextEdit]) -> bool {
        let Some(document) = self.documents.get_mut(id) else { return false };
        if document.needs_text(edits) {
            return false;
        }
        *document = document.edited(version, edits);
        if let Text::Ptx(text, _) = &document.text {
            self.context.ptx.carry_over(text.module());
        }
        self.forget_unused();
        true
    }

    /// The names of all open documents.
    pub(crate) fn document_ids(&self) -> impl Iterator<Item = &str> {
        self.documents.keys().map(String::as_str)
    }

    /// The language that an open document is read in.
    pub fn language(&self, id: &str) -> Option<Language> {
        self.documents.get(id).map(|document| document.language())
    }

    /// Why a document is plain text, of which nothing is answered; `None` for one that is read.
    pub fn too_large(&self, id: &str) -> Option<TooLarge> {
        match self.documents.get(id)?.text {
            Text::Plain(why, _) => Some(why),
            Text::Sass(..) | Text::Ptx(..) | Text::Cuda(_) | Text::Source(..) => None,
        }
    }

    /// Forgets a document with its folder and all that was stated for it.
    pub fn close(&mut self, id: &str) {
        self.documents.remove(id);
        self.placed.remove(id);
        self.given.remove(id);
        self.forget_unused();
    }

    /// Does the same as [`Self::set_resources`], with what the binary says that the document was made of.
    pub fn set_binary(&mut self, id: &str, cubin: &Cubin) {
        self.give(id, given(cubin, &self.context.machine));
    }

    /// Does the same with what [`Analysis::listed`] says of compiled code, whose listing the document is to be.
    pub fn set_code(&mut self, id: &str, code: ListedCode) {
        self.give(id, code.0);
    }

    /// True where code is attached to a document.
    pub fn has_code(&self, id: &str) -> bool {
        self.documents.get(id).is_some_and(|document| document.attached.is_some())
    }

    /// True where that code was compiled for this document, not left by a build.
    pub fn is_compiled_here(&self, id: &str) -> bool {
        let attached = self.documents.get(id).and_then(|document| document.attached.as_ref());
        attached.is_some_and(|attached| !attached.compiled.0.is_left)
    }

    /// The code that is attached to a document, where it is of the text as it is now.
    pub fn code(&self, id: &str) -> Option<Compiled> {
        let attached = self.documents.get(id)?.attached.as_ref()?;
        let is_current = attached.moves.is_empty() && attached.refused.is_none();
        is_current.then(|| attached.compiled.clone())
    }

    /// States resources of a document's kernels by the names that the listing has, over what its own headers say. Holds
    /// until the document is closed, and may be said before it is opened.
    pub fn set_resources(&mut self, id: &str, resources: Vec<(String, Stating)>) {
        self.give(id, Given { resources: resources.into(), ..Given::default() });
    }

    /// Attaches the code that was compiled of a document's text as it is now, which [`Analysis::read_code`] reads; `None` takes it
    /// off. Edits keep it, and mark what it says. False for a document that is not open.
    pub fn attach(&mut self, id: &str, compiled: Option<Compiled>) -> bool {
        let Some(document) = self.documents.get_mut(id) else { return false };
        *document = document.attach(compiled);
        self.forget_unused();
        true
    }

    /// Takes note that a compiler has refused a document's text as it is now, in one line: earlier code stays, and is marked.
    pub fn refuse(&mut self, id: &str, why: &str) {
        if let Some(document) = self.documents.get_mut(id) {
            *document = document.refuse(why);
        }
    }

    fn give(&mut self, id: &str, given: Given) {
        if let Some(document) = self.documents.get_mut(id) {
            *document = document.with(given.clone());
        }
        self.given.insert(id.to_owned(), given);
    }

    /// An immutable view of a document as it is now. Its work stops once `cancel` is set.
    pub fn snapshot(&self, id: &str, cancel: Cancel) -> Option<Analysis> {
        let document = Arc::clone(self.documents.get(id)?);
        Some(Analysis {
            snapshot: Snapshot { document, id: id.into(), context: Arc::clone(self.context_of(id)), cancel },
        })
    }

    /// Whether a snapshot taken now would give the answers that `analysis` gives.
    pub fn is_current(&self, id: &str, analysis: &Analysis) -> bool {
        let document = self.documents.get(id);
        document.is_some_and(|document| Arc::ptr_eq(document, &analysis.snapshot.document))
            && Arc::ptr_eq(self.context_of(id), &analysis.snapshot.context)
    }

    /// Whether a snapshot taken now would be of the same text, settings and launches, whatever code is attached to either.
    pub fn is_of_same_text(&self, id: &str, analysis: &Analysis) -> bool {
        let document = self.documents.get(id);
        document.is_some_and(|document| document.has_text_of(&analysis.snapshot.document))
            && Arc::ptr_eq(self.context_of(id), &analysis.snapshot.context)
    }

    /// The context of the document's folder.
    fn context_of(&self, id: &str) -> &Arc<Context> {
        self.placed.get(id).and_then(|folder| self.folders.get(folder)).unwrap_or(&self.context)
    }

    /// Kernel models computed since the start: what an edit adds to it is what it made stale.
    pub fn models_computed(&self) -> u64 {
        self.context.memo.computed()
    }

    /// Items of PTX whose names were looked at since the start: what an edit adds to it is what it made stale.
    pub fn items_named(&self) -> u64 {
        self.context.ptx.names_computed()
    }

    fn forget_unused(&self) {
        let mut listings: Vec<Arc<SassText>> = Vec::new();
        let mut modules: Vec<Arc<PtxText>> = Vec::new();
        for document in self.documents.values() {
            match &document.text {
                Text::Sass(text, lineage) => {
                    listings.push(Arc::clone(text));
                    listings.extend(lineage.texts());
                }
                Text::Ptx(text, lineage) => {
                    modules.push(Arc::clone(text));
                    modules.extend(lineage.texts());
                }
                Text::Cuda(_) | Text::Source(..) | Text::Plain(..) => {}
            }
            listings.extend(document.attached.iter().map(|own| Arc::clone(&own.compiled.0.text)));
        }
        self.context.ptx.forget_unused(modules.iter().map(|text| text.module()));
        // Those that PTX is lowered to have models, too.
        listings.extend(self.context.ptx.hidden());
        let kernels = listings.iter().map(|text| text.listing().chunks().len()).sum();
        self.context.memo.forget_unused(kernels, listings.iter().flat_map(|text| text.listing().chunks()));
    }
}
