//! Attaches code that a build produced to the open sources that the code's line table names.

use crate::read::{BoundedFile, name_of, never};
use crate::server::code::cubin_index::{CubinPatterns, Member, bytes_of};
use crate::server::code::cubin_watch::{PatternWatcher, RequestState};
use crate::server::code::{Code, code_changed};
use crate::server::transport::locked::locked;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::uris::file_path;
use ide::{Analysis, Cancel, CodePart, Compiled, CompiledFrom, Language, NoListing, binary};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::task::spawn_blocking;
use toolchain::{Consent, Disassembler, Limits, Search, ToolError};
use tower_lsp_server::ls_types::Uri;

/// File changes within this time are handled together.
const PAUSE: Duration = Duration::from_millis(200);

/// Maximum time between two searches while files keep changing.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Maximum size in bytes of a source file that is compared with the open document.
const MAX_SOURCE_BYTES: u64 = 64 << 20; // limit: memory for the comparison

/// Maximum number of cubins disassembled for one source.
const MAX_PARTS: usize = 64; // limit: seconds of disassembly

impl Code {
    /// Applies the `cubins` patterns of the folders' `warplens.toml`, if they have changed.
    pub(crate) fn patterns_may_have_changed(&self) {
        let mut left = self.lock();
        let wanted: Vec<CubinPatterns> = self
            .workspace
            .lock()
            .roots
            .iter()
            .map(|root| CubinPatterns {
                folder: root.path.clone(),
                patterns: root.launches.as_ref().map(|file| file.cubins.clone()).unwrap_or_default(),
            })
            .filter(|wanted| !wanted.patterns.is_empty())
            .collect();
        if left.wanted == wanted {
            return;
        }
        // Stops the search for the earlier patterns.
        std::mem::take(&mut left.search).cancel();
        (left.watcher, left.waits_for_folder) = (None, false);
        left.wanted = wanted;
        drop(left);
        self.update_cubins();
    }

    /// Records that the client accepts registrations from now on.
    pub(crate) fn may_ask_for_sources(&self) {
        let mut left = self.lock();
        left.asking = RequestState::May;
        left.asking_triton = RequestState::May;
    }

    /// After a pause, searches the files again and attaches code that has appeared.
    fn update_cubins(&self) {
        let pause = {
            let own = &mut self.lock();
            if std::mem::replace(&mut own.is_due, true) {
                return;
            }
            // The pause is ten times the last search, so constantly changing files cost at most a tenth of a
            // core.
            (own.last_search * 10).clamp(PAUSE, LONGEST_PAUSE)
        };
        let left_code = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let (wanted, is_watched, search) = {
                let own = &mut left_code.lock();
                own.is_due = false;
                let is_watched = own.watcher.is_some() && !own.waits_for_folder;
                (own.wanted.clone(), is_watched, own.search.clone())
            };
            let updated = {
                let left_code = left_code.clone();
                spawn_blocking(move || left_code.search_cubins(&wanted, is_watched, &search))
            };
            if updated.await.is_ok_and(|changed| !changed.is_empty()) {
                let open: Vec<Uri> = left_code.documents.lock().by_uri.keys().cloned().collect();
                for uri in open {
                    left_code.attach_left_code(&uri).await;
                }
            }
        });
    }

    /// Searches the files, and starts to watch their folders if `is_watched` is false. Returns the sources whose code
    /// was added, removed or changed.
    fn search_cubins(&self, wanted: &[CubinPatterns], is_watched: bool, search: &Cancel) -> BTreeSet<String> {
        let start = Instant::now();
        let home = home();
        if !is_watched {
            let (left_code, runtime) = (self.clone(), tokio::runtime::Handle::current());
            let changed = move || {
                // Spawned away from the watcher's thread: on some systems, dropping the watcher under the
                // lock waits for that thread.
                let left_code = left_code.clone();
                runtime.spawn(async move { left_code.update_cubins() });
            };
            let watched = PatternWatcher::start(wanted, home.as_deref(), search, changed);
            let own = &mut self.lock();
            // The patterns may have changed meanwhile.
            if own.wanted == wanted {
                (own.watcher, own.waits_for_folder) = (watched.watcher, watched.waits_for_folder);
            }
        }
        let index = Arc::clone(&self.cubin_index);
        let changed = {
            let mut index = locked(&index);
            let changed = index.update(wanted, home.as_deref(), search).unwrap_or_default();
            for line in &index.left_out {
                tracing::warn!("{line}");
            }
            changed
        };
        self.lock().last_search = start.elapsed();
        changed
    }

    /// Attaches the code of the cubins that a build compiled from a source. Does nothing for a CUDA document that the
    /// server itself compiles.
    pub(crate) async fn attach_left_code(&self, uri: &Uri) {
        let Some(path) = file_path(uri) else { return };
        let number = self.connection().number();
        let (analysis, text, version) = {
            let state = &mut *self.documents.lock();
            let Some(document) = state.by_uri.get_mut(uri) else { return };
            let Some(analysis) = state.host.snapshot(uri.as_str(), Cancel::default()) else { return };
            if !matches!(analysis.language(), Language::Cuda | Language::Source(_))
                || state.host.is_compiled_here(uri.as_str())
            {
                return;
            }
            document.attaching = number;
            (analysis, document.text.clone(), document.version)
        };
        let index = Arc::clone(&self.cubin_index);
        let tools = self.connection().facts().tools.clone();
        let work = move || {
            let code = {
                let index = locked(&index);
                if index.is_empty() { Vec::new() } else { index.code_of(&path) }
            };
            if code.is_empty() {
                return None;
            }
            let on_disk = BoundedFile::regular(&path, MAX_SOURCE_BYTES).and_then(|file| file.all(&never));
            let is_saved = on_disk.is_ok_and(|saved| text.to_string().as_bytes() == saved);
            let saved = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
            let consent = Consent::by_trusted_workspace(tools.trusted);
            read(&analysis, code, (saved, is_saved), consent, tools.disassembler)
        };
        let Ok(made) = spawn_blocking(work).await else { return };
        let mut guard = self.documents.lock();
        let state = &mut *guard;
        let Some(document) = state.by_uri.get(uri) else { return };
        // The server may have compiled the document meanwhile, or a later call may have read newer code.
        if (document.attaching, document.version) != (number, version)
            || state.host.is_compiled_here(uri.as_str())
            || made.is_none() && !state.host.has_code(uri.as_str())
        {
            return;
        }
        state.host.attach(uri.as_str(), made);
        document.changed.send_replace(());
        drop(guard);
        self.documents.refresh(StaleDisplay::ALL);
        code_changed::notify(self.connection(), uri);
    }
}

fn home() -> Option<PathBuf> {
    std::env::home_dir()
}

/// Disassembles and reads the code of one source. If there is no disassembler or no consent, reads only the kernels'
/// resources. `None` if `code` is empty.
fn read(
    analysis: &Analysis,
    code: Vec<(Member, String)>,
    (saved, is_saved): (Option<SystemTime>, bool),
    consent: Option<Consent>,
    disassembler: Option<PathBuf>,
) -> Option<Compiled> {
    let never = Cancel::default();
    let (first, path) = code.first()?.clone();
    let count = code.len();
    let failed = |error: ToolError| NoListing::Tool(Arc::new(error));
    let tool = match consent {
        None => Err(NoListing::Untrusted),
        Some(consent) => Disassembler::find(&Search::from_environment(disassembler))
            .map(|tool| (consent, tool))
            .map_err(failed),
    };
    let stale = (!is_saved).then(|| "the text differs from the file on the disk".to_owned());
    let age = |member: &Member| {
        let is_older = member.modified.zip(saved).is_some_and(|(code, text)| code < text);
        is_older.then(|| format!("the file was saved after {} was written", name_of(&member.file)))
    };
    let by = match count {
        1 => format!("{} (sm_{})", first.file.display(), first.sm),
        _ => format!("{count} cubins, the newest {}", first.file.display()),
    };
    let mut parts = Vec::new();
    for (member, _) in code.into_iter().take(MAX_PARTS) {
        let Some(cubin) = bytes_of(&member, &never) else { continue };
        let listing = tool.as_ref().map_err(Clone::clone).and_then(|(consent, tool)| {
            let lines = binary::has_source_lines(&cubin);
            tool.listing(*consent, &cubin, lines, Limits::in_editor(), &|| false).map_err(failed)
        });
        let dynamic_shared = triton_shared(&member.file);
        parts.push(CodePart { listing, cubin, stale: age(&member), dynamic_shared });
    }
    Some(analysis.read_left_code(&parts, CompiledFrom { by, path, stale }))
}

/// Number of bytes of dynamic shared memory with which Triton launches a kernel, from the JSON file next to the cubin
/// in Triton's cache; 0 if there is no such file.
fn triton_shared(cubin: &Path) -> u32 {
    #[derive(serde::Deserialize)]
    struct Metadata {
        shared: u32,
        // Distinguishes Triton's files from others.
        #[serde(rename = "num_warps")]
        _num_warps: u32,
    }
    const MAX_BYTES: u64 = 1 << 20; // limit: metadata of one kernel has some kilobytes
    let file = BoundedFile::regular(&cubin.with_extension("json"), MAX_BYTES);
    let bytes = file.and_then(|file| file.all(&never)).unwrap_or_default();
    serde_json::from_slice(&bytes).map_or(0, |Metadata { shared, .. }| shared)
}
