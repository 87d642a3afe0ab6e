//! `textDocument/semanticTokens/full/delta`.

use super::semantic_tokens_full::all;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    SemanticToken, SemanticTokensDelta, SemanticTokensDeltaParams, SemanticTokensEdit,
    SemanticTokensFullDeltaResult,
};

/// Answers with one edit of the earlier answer that the client names, or with all tokens if that answer was
/// not the last.
pub(in crate::server) struct SemanticTokensFullDeltaRequest;

impl Task for SemanticTokensFullDeltaRequest {
    type Params = SemanticTokensDeltaParams;
    type Reply = Option<SemanticTokensFullDeltaResult>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let uri = &params.text_document.uri;
        let before = session.documents.remembered_tokens(uri, &params.previous_result_id);
        let now = all(session, uri).await?;
        Ok(Some(match before {
            Some(before) => SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
                result_id: now.result_id,
                edits: edit(&before, &now.data).into_iter().collect(),
            }),
            None => SemanticTokensFullDeltaResult::Tokens(now),
        }))
    }
}

/// Number of integers per token in the protocol's list.
const NUMBERS: usize = 5; // Source: Language Server Protocol, semantic tokens: five integers per token

/// Returns the edit that turns `before` into `now`, by replacing everything between their common start and common end.
/// `None` if the lists are equal.
fn edit(before: &[SemanticToken], now: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    let same = |pairs: &mut dyn Iterator<Item = (&SemanticToken, &SemanticToken)>| {
        pairs.take_while(|(before, now)| before == now).count()
    };
    let front = same(&mut before.iter().zip(now));
    let back = same(&mut before[front..].iter().rev().zip(now[front..].iter().rev()));
    let (gone, new) = (before.len() - front - back, &now[front..now.len() - back]);
    (gone > 0 || !new.is_empty()).then(|| SemanticTokensEdit {
        start: (front * NUMBERS) as u32,
        delete_count: (gone * NUMBERS) as u32,
        data: (!new.is_empty()).then(|| new.to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens(lengths: &[u32]) -> Vec<SemanticToken> {
        let token = |&length: &u32| SemanticToken {
            delta_line: 0,
            delta_start: 1,
            length,
            token_type: 0,
            token_modifiers_bitset: 0,
        };
        lengths.iter().map(token).collect()
    }

    #[test]
    fn the_edit_is_as_small_as_one_edit_can_be() {
        assert_eq!(edit(&tokens(&[1, 2, 3]), &tokens(&[1, 2, 3])), None);
        let one = edit(&tokens(&[1, 2, 3]), &tokens(&[1, 4, 3])).unwrap();
        assert_eq!((one.start, one.delete_count, one.data), (5, 5, Some(tokens(&[4]))));
        let gone = edit(&tokens(&[1, 1, 1]), &tokens(&[1, 1])).unwrap();
        assert_eq!((gone.start, gone.delete_count, gone.data), (10, 5, None));
        let new = edit(&[], &tokens(&[7])).unwrap();
        assert_eq!((new.start, new.delete_count, new.data), (0, 0, Some(tokens(&[7]))));
    }

    proptest! {
        #[test]
        fn an_edit_makes_one_list_the_other(
            before in prop::collection::vec(0_u32..3, 0..12),
            now in prop::collection::vec(0_u32..3, 0..12),
        ) {
            let (before, now) = (tokens(&before), tokens(&now));
            let mut made = before.clone();
            if let Some(edit) = edit(&before, &now) {
                let start = edit.start as usize / NUMBERS;
                let end = start + edit.delete_count as usize / NUMBERS;
                made.splice(start..end, edit.data.unwrap_or_default());
            }
            prop_assert_eq!(made, now);
        }
    }
}
