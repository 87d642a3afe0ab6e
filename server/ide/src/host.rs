//! The open documents and the state that all documents share.

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
use crate::engine::stated::ExternalFacts;
use crate::engine::surroundings::Surroundings;
use crate::engine::target::GpuSelection;
use crate::measured::trees::ProfilesView;
use crate::{Analysis, Cancel, Config, Language, LaunchFile, LaunchReader, TextEdit, TooLarge};
use machine::{DataError, Machine, UnknownGpu};
use model::launch::DeclaredResources;
use std::collections::HashMap;
use std::sync::Arc;

/// Name of a document: the client's URI or a path. Never interpreted.
pub type DocumentId = String;

/// Documents, settings and memoized models. Snapshots are immutable, so a change never waits for running
/// requests.
#[derive(Debug)]
pub struct Host {
    documents: HashMap<DocumentId, Arc<Document>>,
    /// Context of documents outside all folders.
    context: Arc<Context>,
    /// Contexts of folders, by the folder's name.
    folders: HashMap<String, Arc<Context>>,
    /// Name of the folder that contains a document. Documents outside all folders have no entry.
    placed: HashMap<DocumentId, String>,
    /// Facts about each document's kernels from sources other than its text.
    given: HashMap<DocumentId, ExternalFacts>,
    /// Facts about each CUDA source that other files state.
    surroundings: HashMap<DocumentId, Surroundings>,
}

impl Default for Host {
    /// Returns a host for the built-in machines.
    fn default() -> Self {
        Self::new(Machine::builtin())
    }
}

impl Host {
    /// Returns a host without documents, with default settings and no launches.
    pub fn new(machine: Arc<Machine>) -> Self {
        Self {
            documents: HashMap::new(),
            context: Arc::new(Context::new(machine)),
            folders: HashMap::new(),
            placed: HashMap::new(),
            given: HashMap::new(),
            surroundings: HashMap::new(),
        }
    }

    /// Creates a host for the built-in machines overlaid with a user's file in the format of `warplens
    /// calibrate`. `path` only appears in the error message, which is one line.
    pub fn with_overlay(path: &str, toml: &str) -> Result<Self, DataError> {
        Ok(Self::new(Arc::new(Machine::builtin().overlay(path, toml)?)))
    }

    /// Caches full launch predictions in `store`. Must be called before the first folder or document is set.
    pub fn keep_predictions_in(&mut self, store: Arc<dyn PredictionStore>) {
        self.context = Arc::new(Context { store: Some(store), ..(*self.context).clone() });
    }

    /// Replaces the settings. An unknown GPU is an error; the previous settings then stay in force.
    pub fn configure(&mut self, config: Config) -> Result<(), UnknownGpu> {
        let wish =
            |context: &Context| GpuSelection::resolve(&context.machine, &config, context.launches.as_ref());
        let of_all = wish(&self.context)?;
        let of_folder = |(folder, context): (&String, &Arc<Context>)| {
            let context = Context { config: config.clone(), wish: wish(context)?, ..(**context).clone() };
            Ok((folder.clone(), Arc::new(context)))
        };
        self.folders = self.folders.iter().map(of_folder).collect::<Result<_, UnknownGpu>>()?;
        self.context = Arc::new(Context { config, wish: of_all, ..(*self.context).clone() });
        Ok(())
    }

    /// Returns the GPUs that the setting `gpu` can name: first all GPUs, then all architectures. An
    /// architecture selects its usual GPU.
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

    /// True if the setting `gpu` accepts the name, in any of its spellings.
    pub fn knows_gpu(&self, name: &str) -> bool {
        self.context.machine.gpu(name).is_ok()
    }

    /// Returns the settings in force, which all folders share.
    pub fn config(&self) -> &Config {
        &self.context.config
    }

    /// Returns a reader of `warplens.toml` that knows this host's machines.
    pub fn launch_reader(&self) -> LaunchReader {
        LaunchReader(Arc::clone(&self.context.machine))
    }

    /// Replaces the attached profiles, which apply to all documents. Launches that were chosen for display
    /// stay chosen.
    pub fn attach_profiles(&mut self, files: Vec<AttachedProfile>) {
        let chosen = self.context.profiles.chosen().clone();
        self.set_profiles(Profiles::new(files, chosen));
    }

    /// Selects the launch of a kernel to show. `kernel` is the kernel's name in profiles. `number` is an
    /// index into the launches of this kernel in all profiles.
    pub fn choose_launch(&mut self, kernel: &str, number: usize) {
        self.set_profiles(self.context.profiles.with_choice(kernel, number));
    }

    /// Selects the launch of a kernel to show, by its index among the kernel's launches in one file. Returns
    /// true if the selection changed.
    pub fn choose_launch_in(&mut self, file: &str, kernel: &str, number: usize) -> bool {
        let profiles = &self.context.profiles;
        let Some(wanted) = profiles.number_in(file, kernel, number) else { return false };
        let is_other = profiles.launch_of(kernel).is_some_and(|shown| shown.number != wanted);
        if is_other {
            self.choose_launch(kernel, wanted);
        }
        is_other
    }

    /// True if exactly these files are attached, with the same names and the same parsed profiles, in the
    /// same order.
    pub fn has_profiles(&self, files: &[AttachedProfile]) -> bool {
        let own = self.context.profiles.files();
        let is_same = |(one, other): (&AttachedProfile, &AttachedProfile)| {
            one.name == other.name && Arc::ptr_eq(&one.profile, &other.profile)
        };
        own.len() == files.len() && own.iter().zip(files).all(is_same)
    }

    /// Returns the attached profiles, which apply to all documents.
    pub fn profiles(&self) -> ProfilesView {
        ProfilesView(Arc::clone(&self.context))
    }

    /// Returns the names of the attached profiles.
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

    /// Sets the launches for all documents outside the folders of [`Self::set_launches_for`]. `None` removes
    /// the launches. An unknown GPU is an error and changes nothing.
    pub fn set_launches(&mut self, launches: Option<LaunchFile>) -> Result<(), UnknownGpu> {
        self.context = self.with_launches(launches)?;
        Ok(())
    }

    /// Sets the launches for the documents of a folder, see [`Self::place`]. `None` if the folder states no
    /// launches. An unknown GPU is an error and changes nothing.
    pub fn set_launches_for(&mut self, folder: &str, launches: Option<LaunchFile>) -> Result<(), UnknownGpu> {
        let context = self.with_launches(launches)?;
        self.folders.insert(folder.to_owned(), context);
        Ok(())
    }

    /// Forgets a folder. Its documents use the settings outside all folders until [`Self::place`] assigns them to
    /// another folder.
    pub fn forget_folder(&mut self, folder: &str) {
        self.folders.remove(folder);
    }

    /// Sets the folder whose launches apply to a document. `None` if the document is outside all folders. The
    /// folder stays set until the document is closed, and may be set before the document is opened.
    pub fn place(&mut self, id: &str, folder: Option<&str>) {
        match folder {
            Some(folder) => self.placed.insert(id.to_owned(), folder.to_owned()),
            None => self.placed.remove(id),
        };
    }

    fn with_launches(&self, launches: Option<LaunchFile>) -> Result<Arc<Context>, UnknownGpu> {
        let wish = GpuSelection::resolve(&self.context.machine, &self.context.config, launches.as_ref())?;
        Ok(Arc::new(Context { launches, wish, ..(*self.context).clone() }))
    }

    /// Opens a document or replaces its whole text, in the language that [`Language::of_text`] detects.
    pub fn open(&mut self, id: &str, version: i32, text: &str) {
        self.open_as(id, version, Language::of_text(text), text);
    }

    /// Opens a document or replaces its whole text. Edits keep the language. See [`Self::too_large`].
    pub fn open_as(&mut self, id: &str, version: i32, language: Language, text: &str) {
        let given = self.given.get(id).cloned().unwrap_or_default();
        let document = Document::parse(version, language, text, given);
        let surroundings = self.surroundings.get(id);
        let document = if surroundings.is_some() { document.within(surroundings) } else { document };
        self.documents.insert(id.to_owned(), document);
        self.forget_unused();
    }

    /// Applies edits in order, each to the text that the previous edit produced. Returns false and changes
    /// nothing if the document is not open, is not parsed, or may become too large to parse. The caller must
    /// then open the document with its whole new text.
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

    /// Returns the names of all open documents.
    pub(crate) fn document_ids(&self) -> impl Iterator<Item = &str> {
        self.documents.keys().map(String::as_str)
    }

    /// Returns the language that an open document is parsed in. `None` if the document is not open.
    pub fn language(&self, id: &str) -> Option<Language> {
        self.documents.get(id).map(|document| document.language())
    }

    /// Returns why a document is kept as plain text without answers. `None` if the document is parsed or not
    /// open.
    pub fn too_large(&self, id: &str) -> Option<TooLarge> {
        match self.documents.get(id)?.text {
            Text::Plain(why, _) => Some(why),
            Text::Sass(..) | Text::Ptx(..) | Text::Cuda(_) | Text::Source(..) => None,
        }
    }

    /// Forgets a document, the folder set for it, and all facts set for it.
    pub fn close(&mut self, id: &str) {
        self.documents.remove(id);
        self.placed.remove(id);
        self.given.remove(id);
        self.surroundings.remove(id);
        self.forget_unused();
    }

    /// Sets the facts about a CUDA source that other files state. They apply until the document is closed, and may be set
    /// before the document is opened. Returns false and changes nothing if they are the same as before.
    pub fn surround(&mut self, id: &str, surroundings: Option<Surroundings>) -> bool {
        let known = self.surroundings.get(id);
        if known.map(Surroundings::hash) == surroundings.as_ref().map(Surroundings::hash) {
            return false;
        }
        if let Some(document) = self.documents.get_mut(id) {
            *document = document.within(surroundings.as_ref());
        }
        match surroundings {
            Some(surroundings) => self.surroundings.insert(id.to_owned(), surroundings),
            None => self.surroundings.remove(id),
        };
        true
    }

    /// Sets facts about a document's kernels from the binary that the document was disassembled from.
    pub fn set_binary(&mut self, id: &str, cubin: &Cubin) {
        self.give(id, given(cubin, &self.context.machine));
    }

    /// Sets the facts that [`Analysis::listed`] returns about compiled code. The document must be the listing
    /// of this code.
    pub fn set_code(&mut self, id: &str, code: ListedCode) {
        self.give(id, code.0);
    }

    /// True if a document has attached code. The code may be compiled from an earlier version of the document.
    pub fn has_code(&self, id: &str) -> bool {
        self.documents.get(id).is_some_and(|document| document.attached.is_some())
    }

    /// True if the server compiled the attached code. False if the code was left by a build.
    pub fn is_compiled_here(&self, id: &str) -> bool {
        let attached = self.documents.get(id).and_then(|document| document.attached.as_ref());
        attached.is_some_and(|attached| !attached.compiled.0.is_left)
    }

    /// Returns the code attached to a document if the code was compiled from the current text. `None`
    /// otherwise.
    pub fn code(&self, id: &str) -> Option<Compiled> {
        let attached = self.documents.get(id)?.attached.as_ref()?;
        let is_current = attached.moves.is_empty() && attached.refused.is_none();
        is_current.then(|| attached.compiled.clone())
    }

    /// Sets resources of a document's kernels by kernel name in the listing. These values override the
    /// headers of the listing. They apply until the document is closed, and may be set before the document is
    /// opened.
    pub fn set_resources(&mut self, id: &str, resources: Vec<(String, DeclaredResources)>) {
        self.give(id, ExternalFacts { resources: resources.into(), ..ExternalFacts::default() });
    }

    /// Attaches code compiled from a document's current text, see [`Analysis::read_code`]. `None` detaches
    /// the code. Later edits keep the code and mark its facts as stale. Returns false if the document is not
    /// open.
    pub fn attach(&mut self, id: &str, compiled: Option<Compiled>) -> bool {
        let Some(document) = self.documents.get_mut(id) else { return false };
        *document = document.attach(compiled);
        self.forget_unused();
        true
    }

    /// Records the one-line reason why a compiler rejected a document's current text. Earlier code is kept
    /// and marked as stale.
    pub fn refuse(&mut self, id: &str, why: &str) {
        if let Some(document) = self.documents.get_mut(id) {
            *document = document.refuse(why);
        }
    }

    fn give(&mut self, id: &str, given: ExternalFacts) {
        if let Some(document) = self.documents.get_mut(id) {
            *document = document.with(given.clone());
        }
        self.given.insert(id.to_owned(), given);
    }

    /// Returns an immutable view of the current version of a document. `None` if the document is not open.
    /// Queries on the view stop once `cancel` is set.
    pub fn snapshot(&self, id: &str, cancel: Cancel) -> Option<Analysis> {
        let document = Arc::clone(self.documents.get(id)?);
        Some(Analysis {
            snapshot: Snapshot { document, id: id.into(), context: Arc::clone(self.context_of(id)), cancel },
        })
    }

    /// True if a new snapshot would return the same answers as `analysis`.
    pub fn is_current(&self, id: &str, analysis: &Analysis) -> bool {
        let document = self.documents.get(id);
        document.is_some_and(|document| Arc::ptr_eq(document, &analysis.snapshot.document))
            && Arc::ptr_eq(self.context_of(id), &analysis.snapshot.context)
    }

    /// True if a new snapshot would have the same text, settings and launches as `analysis`. Attached code
    /// may differ.
    pub fn is_of_same_text(&self, id: &str, analysis: &Analysis) -> bool {
        let document = self.documents.get(id);
        document.is_some_and(|document| document.has_text_of(&analysis.snapshot.document))
            && Arc::ptr_eq(self.context_of(id), &analysis.snapshot.context)
    }

    /// Returns the context of the document's folder.
    fn context_of(&self, id: &str) -> &Arc<Context> {
        self.placed.get(id).and_then(|folder| self.folders.get(folder)).unwrap_or(&self.context)
    }

    /// Returns the number of kernel models computed since the start. The difference across an edit is the number of
    /// models that the edit invalidated.
    pub fn models_computed(&self) -> u64 {
        self.context.memo.computed()
    }

    /// Returns the number of PTX items whose names were resolved since the start. The difference across an edit is the
    /// number of items that the edit invalidated.
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
        // The hidden listings of lowered PTX functions also have models.
        listings.extend(self.context.ptx.hidden());
        let kernels = listings.iter().map(|text| text.listing().chunks().len()).sum();
        self.context.memo.forget_unused(kernels, listings.iter().flat_map(|text| text.listing().chunks()));
    }
}
