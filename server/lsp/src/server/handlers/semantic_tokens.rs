//! The protocol's encoding of semantic tokens: a legend, and five numbers per token, relative to the previous token.

use crate::server::transport::position::PositionConverter;
use ide::SemanticKind;
use tower_lsp_server::ls_types::{
    Position, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend,
};

/// Maximum number of tokens in an answer, taken from the front of the document: about 130,000 lines of a listing. The
/// transport holds an answer as a tree of JSON values, 160 bytes per token; for a longer document an editor requests
/// ranges.
const MAX_TOKENS: usize = 500_000; // limit: 80 MB of tokens

const TYPES: [SemanticTokenType; 16] = [
    SemanticTokenType::COMMENT,
    SemanticTokenType::DECORATOR,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::MODIFIER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::TYPE,
    SemanticTokenType::EVENT,
    SemanticTokenType::STRUCT,
    SemanticTokenType::NUMBER,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::MACRO,
    SemanticTokenType::STRING,
    SemanticTokenType::PROPERTY,
];

const MODIFIERS: [SemanticTokenModifier; 3] = [
    SemanticTokenModifier::MODIFICATION,
    SemanticTokenModifier::DEFINITION,
    // Not a standard modifier. Grammars highlight such opcodes differently; themes without it show keywords.
    SemanticTokenModifier::new("controlFlow"),
];

pub(in crate::server) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// Index of a kind's type in [`TYPES`].
const fn type_index(kind: SemanticKind) -> u32 {
    match kind {
        SemanticKind::Address | SemanticKind::Encoding | SemanticKind::Comment => 0,
        SemanticKind::ControlCode => 1,
        SemanticKind::Opcode => 2,
        SemanticKind::Modifier => 3,
        SemanticKind::Register => 4,
        SemanticKind::UniformRegister => 5,
        SemanticKind::Predicate => 6,
        SemanticKind::SpecialRegister => 7,
        SemanticKind::Barrier => 8,
        SemanticKind::ConstantBank => 9,
        SemanticKind::Number => 10,
        SemanticKind::Label => 11,
        SemanticKind::Function => 12,
        SemanticKind::Directive => 13,
        SemanticKind::String => 14,
        SemanticKind::Name => 15,
    }
}

/// Encodes tokens, which are in text order. Skips a token that overlaps the previous token and splits a token
/// at line ends, because not every client supports such tokens.
pub(super) fn encode(tokens: &[ide::SemanticToken], mut places: PositionConverter<'_>) -> Vec<SemanticToken> {
    let mut encoded = Encoder { tokens: Vec::with_capacity(tokens.len()), last: Position::new(0, 0), end: 0 };
    for token in tokens.iter().take(MAX_TOKENS) {
        if token.range.start < encoded.end {
            continue;
        }
        encoded.end = token.range.end;
        let modifiers =
            u32::from(token.written) | u32::from(token.definition) << 1 | u32::from(token.control_flow) << 2;
        let kind = (type_index(token.kind), modifiers);
        let range = places.range(&token.range);
        for line in range.start.line..=range.end.line {
            let from = if line == range.start.line { range.start.character } else { 0 };
            let to = if line == range.end.line { range.end.character } else { places.last_column(line) };
            encoded.push(Position::new(line, from), to - from, kind);
        }
    }
    encoded.tokens
}

struct Encoder {
    tokens: Vec<SemanticToken>,
    /// Position at which the last token starts.
    last: Position,
    /// Byte offset at which the last token ends.
    end: usize,
}

impl Encoder {
    fn push(&mut self, start: Position, length: u32, (token_type, token_modifiers_bitset): (u32, u32)) {
        if length == 0 {
            return;
        }
        let delta_line = start.line - self.last.line;
        let delta_start =
            if delta_line == 0 { start.character - self.last.character } else { start.character };
        self.tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length,
            token_type,
            token_modifiers_bitset,
        });
        self.last = start;
    }
}
