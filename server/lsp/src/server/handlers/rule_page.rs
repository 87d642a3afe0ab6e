//! `warplens/rulePage`: the page of a rule or of a guide, for an editor to show: the defect that the rule
//! finds, its effect, and an example.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc::Result;

#[derive(Debug, Deserialize)]
pub(in crate::server) struct RulePageParams {
    /// Code of the rule or guide; if absent, the answer has only the codes.
    code: Option<String>,
}

#[derive(Debug, Serialize)]
pub(in crate::server) struct RulePageReply {
    /// Codes of all rules, in the order of the list of rules.
    codes: Vec<&'static str>,
    /// Markdown; null if the code names neither a rule nor a guide.
    text: Option<String>,
}

pub(in crate::server) struct RulePageRequest;

impl Task for RulePageRequest {
    type Params = RulePageParams;
    type Reply = RulePageReply;

    async fn serve(_: &Session, params: Self::Params) -> Result<Self::Reply> {
        let codes = ide::rules().iter().map(|rule| rule.code).collect();
        Ok(RulePageReply { codes, text: params.code.as_deref().and_then(ide::reader_page) })
    }
}
