//! A launches file that an editor has open, and the queries about its text.

use crate::launch_text::{KnownKernel, complete, fixes, hover, semantic};
use crate::{Analysis, Cancel, Completions, Fix, Host, Hover, Problem, SemanticToken};
use machine::Machine;
use std::ops::Range;
use std::sync::Arc;

/// Answers queries about the text of a launches file. May be used on any thread.
#[derive(Debug, Clone)]
pub struct LaunchFileView {
    machine: Arc<Machine>,
    /// The open documents, for whose kernels launches can be stated.
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
    /// Returns the completions at an offset; `None` if there is nothing to propose.
    pub fn completions(&self, offset: usize) -> Option<Completions> {
        if !self.proposes {
            return None;
        }
        complete::completions(&self.text, offset, &self.machine, || self.kernels())
    }

    /// Returns the meaning of the word at an offset, in Markdown; `None` if there is nothing to say.
    pub fn hover(&self, offset: usize) -> Option<Hover> {
        hover::hover(&self.text, offset, &self.machine)
    }

    /// Returns the tokens in a range, or in the whole text for `None`.
    pub fn semantic_tokens(&self, within: Option<&Range<usize>>) -> Vec<SemanticToken> {
        semantic::semantic_tokens(&self.text, within)
    }

    /// Returns the problems that touch a range, each with its fixes; problems without fixes are left out.
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
