//! Queries about the text of a launches file that is open in an editor.

use crate::launch_text::{KnownKernel, complete, fixes, hover, semantic};
use crate::{Analysis, Cancel, Completions, Fix, Host, Hover, Problem, SemanticToken};
use machine::Machine;
use std::ops::Range;
use std::sync::Arc;

/// Answers queries about the text of a launches file. May be used on any thread.
#[derive(Debug, Clone)]
pub struct LaunchFileView {
    machine: Arc<Machine>,
    /// The open documents. Their kernels are proposed as names of launches.
    documents: Vec<Analysis>,
    /// True if the settings enable completions.
    proposes: bool,
    text: Arc<str>,
}

impl Host {
    /// Returns a view of the text of a launches file, with the open documents as they are now.
    pub fn launch_file_view(&self, text: &str) -> LaunchFileView {
        let mut names: Vec<&str> = self.document_ids().collect();
        names.sort_unstable();
        let documents = names.into_iter().filter_map(|id| self.snapshot(id, Cancel::default())).collect();
        let proposes = self.config().completion;
        LaunchFileView { machine: self.launch_reader().0, documents, proposes, text: text.into() }
    }
}

impl LaunchFileView {
    /// Returns the completions at an offset; `None` if nothing can be proposed.
    pub fn completions(&self, offset: usize) -> Option<Completions> {
        if !self.proposes {
            return None;
        }
        complete::completions(&self.text, offset, &self.machine, || self.kernels())
    }

    /// Returns the meaning of the word at an offset, in Markdown; `None` if the word has no
    /// description.
    pub fn hover(&self, offset: usize) -> Option<Hover> {
        hover::hover(&self.text, offset, &self.machine)
    }

    /// Returns the tokens in a range; `None` selects the entire text.
    pub fn semantic_tokens(&self, within: Option<&Range<usize>>) -> Vec<SemanticToken> {
        semantic::semantic_tokens(&self.text, within)
    }

    /// Returns the problems that touch a range, each with its fixes. Problems without fixes are
    /// omitted.
    pub fn fixes(&self, range: &Range<usize>) -> Vec<(Problem, Vec<Fix>)> {
        fixes::fixes(&self.text, range, &self.machine)
    }

    /// Returns the kernels of the open documents, without duplicates.
    fn kernels(&self) -> Vec<KnownKernel> {
        let functions =
            self.documents.iter().filter_map(|document| document.named_functions().ok()).flatten();
        let mut kernels: Vec<KnownKernel> = Vec::new();
        for function in functions.filter(|function| function.is_kernel) {
            let kernel = KnownKernel { raw: function.raw().to_owned(), readable: function.name };
            if !kernels.contains(&kernel) {
                kernels.push(kernel);
            }
        }
        kernels
    }
}
