//! `textDocument/signatureHelp`: the operands of the opcode at the cursor.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::plain_text;
use ide::{Signature, SignatureOperand};
use tower_lsp_server::ls_types::{
    Documentation, ParameterInformation, ParameterLabel, ServerCapabilities, SignatureHelp,
    SignatureHelpOptions, SignatureHelpParams, SignatureInformation,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.signature_help_provider = Some(SignatureHelpOptions {
        trigger_characters: Some(vec![" ".to_owned(), ",".to_owned()]),
        ..SignatureHelpOptions::default()
    });
}

pub(in crate::server) struct SignatureHelpRequest;

impl Snapshot for SignatureHelpRequest {
    type Params = SignatureHelpParams;
    type Reply = Option<SignatureHelp>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let offset = view.places().offset(params.text_document_position_params.position);
        Ok(view.analysis.signature(offset)?.map(|signature| help(signature, &view.features)))
    }
}

fn help(signature: Signature, client: &ClientFeatures) -> SignatureHelp {
    let said = |text: String| {
        (!text.is_empty())
            .then(|| Documentation::MarkupContent(plain_text::markup(text, client.signature_markdown)))
    };
    let parameter = |operand: SignatureOperand| {
        let place = operand.label;
        let label = if client.signature_offsets {
            // Labels are ASCII: bytes are code units.
            ParameterLabel::LabelOffsets([place.start as u32, place.end as u32])
        } else {
            ParameterLabel::Simple(signature.label[place].to_owned())
        };
        ParameterInformation { label, documentation: said(operand.meaning) }
    };
    let parameters = signature.operands.into_iter().map(parameter).collect();
    let documentation = said(signature.summary);
    SignatureHelp {
        signatures: vec![SignatureInformation {
            label: signature.label,
            documentation,
            parameters: Some(parameters),
            active_parameter: None,
        }],
        active_signature: Some(0),
        active_parameter: Some(signature.active as u32),
    }
}
