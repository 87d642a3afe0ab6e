//! Queries during editing: completion, formatting, renaming, code actions.

use crate::engine::cancel::Cancellable;
use crate::{
    AdviceAction, Assembler, CompletionKind, Completions, CopiedInstructions, Fold, NotScheduled, Refusal,
    ScheduleAction, ScheduleScope, SemanticToken, Signature, TextEdit,
};
use std::ops::Range;

pub(crate) trait Editing {
    fn semantic_tokens(&self, _range: Option<Range<usize>>) -> Cancellable<Vec<SemanticToken>> {
        Ok(Vec::new())
    }
    fn folds(&self) -> Cancellable<Vec<Fold>> {
        Ok(Vec::new())
    }
    fn selections(&self, _offset: usize) -> Vec<Range<usize>> {
        Vec::new()
    }
    fn completions(&self, _offset: usize) -> Option<Completions> {
        None
    }
    fn completion_page(&self, _kind: CompletionKind, _label: &str, _opcode: &str) -> Option<String> {
        None
    }
    fn signature(&self, _offset: usize) -> Option<Signature> {
        None
    }
    fn rename_range(&self, _offset: usize) -> Result<Range<usize>, Refusal> {
        Err(Refusal::no_name())
    }
    fn rename(&self, _offset: usize, _new: &str) -> Cancellable<Result<Vec<TextEdit>, Refusal>> {
        Ok(Err(Refusal::no_name()))
    }
    fn format(&self, _range: Option<Range<usize>>) -> Cancellable<Vec<TextEdit>> {
        Ok(Vec::new())
    }
    fn advice_actions(&self, _offset: usize, _asked: bool) -> Cancellable<Vec<AdviceAction>> {
        Ok(Vec::new())
    }
    fn schedule_actions(&self, _offset: usize, _asked: bool) -> Cancellable<Vec<ScheduleAction>> {
        Ok(Vec::new())
    }
    fn schedule_edits(
        &self,
        _offset: usize,
        _scope: ScheduleScope,
    ) -> Cancellable<Option<Result<Vec<TextEdit>, NotScheduled>>> {
        Ok(None)
    }
    fn assemblers(&self, _offset: usize) -> Vec<Assembler> {
        Vec::new()
    }
    fn copy_as(&self, _range: Range<usize>, _assembler: Assembler) -> Result<CopiedInstructions, Refusal> {
        Err(Refusal::no_instruction())
    }
}
