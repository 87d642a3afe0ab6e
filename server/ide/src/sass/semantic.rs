//! Semantic tokens of SASS.

use crate::engine::cancel::Cancellable;
use crate::engine::kernel::KernelModel;
use crate::engine::sass_view::SassView;
use crate::{SemanticKind, SemanticToken};
use machine::{ClassTrait, Flow};
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, LineKind, Token, TokenKind};

pub(crate) fn tokens(sass: &SassView, range: Option<Range<usize>>) -> Cancellable<Vec<SemanticToken>> {
    let range = range.unwrap_or(0..sass.listing().len());
    let mut found = Vec::new();
    for index in sass.chunks_in(&range) {
        sass.cancel.check()?;
        let chunk = &sass.listing().chunks()[index];
        let start = sass.start(index);
        let model = (!chunk.instructions().is_empty()).then(|| sass.model(chunk, &sass.target(chunk)));
        for line in sass.lines_in(index, &range) {
            line_tokens(chunk, line, model.as_ref(), start, &mut found);
        }
    }
    found.retain(|token| token.range.start < range.end && range.start < token.range.end);
    Ok(found)
}

fn line_tokens(
    chunk: &Chunk,
    line: usize,
    model: Option<&Arc<KernelModel>>,
    chunk_start: usize,
    found: &mut Vec<SemanticToken>,
) {
    let text = chunk.line_text(line);
    let line_kind = chunk.lines()[line].kind;
    let line_start = chunk_start + chunk.lines()[line].start as usize;
    let written = model.map_or(0, |model| written_operands(chunk, line, model));
    let mut operands = OperandCounter::default();
    for token in chunk.line_tokens(line) {
        operands.advance(token);
        let Some(kind) = kind_of(token, text, line_kind) else { continue };
        let is_register = matches!(
            kind,
            SemanticKind::Register
                | SemanticKind::UniformRegister
                | SemanticKind::Predicate
                | SemanticKind::Name
        );
        found.push(SemanticToken {
            range: line_start + token.start as usize..line_start + token.end(),
            kind,
            written: is_register
                && !operands.in_brackets()
                && operands.current().is_some_and(|operand| written >> operand & 1 == 1),
            definition: token.kind == TokenKind::Label
                && matches!(line_kind, LineKind::Label | LineKind::Header),
            control_flow: token.kind == TokenKind::Mnemonic
                && model.is_some_and(|model| steers_flow(chunk, line, model)),
        });
    }
}

/// True if the instruction on a line changes the control flow or manages convergence.
fn steers_flow(chunk: &Chunk, line: usize, model: &KernelModel) -> bool {
    let Some(inst) = chunk.instruction_on(line as u32) else { return false };
    let inst = &model.program.instructions[inst];
    let class = inst.class.map(|class| model.program.arch.class(class));
    let meets = class.is_some_and(|class| class.has(ClassTrait::Convergence));
    inst.flow != Flow::Next || meets
}

/// Operands written by the instruction on a line, as a bit mask.
fn written_operands(chunk: &Chunk, line: usize, model: &KernelModel) -> u32 {
    let Some(inst) = chunk.instruction_on(line as u32) else { return 0 };
    let writes = model.program.writes(&model.program.instructions[inst]);
    let operands = writes.iter().filter_map(|access| access.operand).filter(|&operand| operand < 32);
    operands.fold(0, |mask, operand| mask | 1 << operand)
}

/// Counts operands while the tokens of a line are visited.
#[derive(Default)]
struct OperandCounter {
    /// Number of commas between operands so far; `None` before the mnemonic.
    commas: Option<u32>,
    depth: u32,
}

impl OperandCounter {
    fn advance(&mut self, token: &Token) {
        match (token.kind, token.value as u8) {
            (TokenKind::Mnemonic, _) => self.commas = Some(0),
            (TokenKind::Punct, b'[' | b'(' | b'{') => self.depth += 1,
            (TokenKind::Punct, b']' | b')' | b'}') => self.depth = self.depth.saturating_sub(1),
            (TokenKind::Punct, b',') if self.depth == 0 => {
                if let Some(commas) = &mut self.commas {
                    *commas += 1;
                }
            }
            _ => {}
        }
    }

    fn current(&self) -> Option<u32> {
        self.commas.filter(|&operand| operand < 32)
    }

    fn in_brackets(&self) -> bool {
        self.depth > 0
    }
}

fn kind_of(token: &Token, line: &str, line_kind: LineKind) -> Option<SemanticKind> {
    Some(match token.kind {
        TokenKind::Address => SemanticKind::Address,
        TokenKind::Control | TokenKind::DualOpen | TokenKind::DualClose | TokenKind::Schedule => {
            SemanticKind::ControlCode
        }
        TokenKind::Mnemonic => SemanticKind::Opcode,
        // `desc` and `32@lo` modify the following operand. A modifier modifies the preceding word.
        TokenKind::Modifier | TokenKind::Keyword => SemanticKind::Modifier,
        TokenKind::Register => SemanticKind::Register,
        TokenKind::UniformRegister => SemanticKind::UniformRegister,
        TokenKind::Predicate | TokenKind::UniformPredicate => SemanticKind::Predicate,
        TokenKind::Barrier | TokenKind::Scoreboard => SemanticKind::Barrier,
        TokenKind::SpecialRegister | TokenKind::StateRegister => SemanticKind::SpecialRegister,
        TokenKind::ConstantBank => SemanticKind::ConstantBank,
        TokenKind::Integer | TokenKind::Float => SemanticKind::Number,
        TokenKind::Label if line_kind == LineKind::Header && !token.text(line).starts_with("sm_") => {
            SemanticKind::Function
        }
        TokenKind::Label => SemanticKind::Label,
        TokenKind::Name => SemanticKind::Name,
        TokenKind::Word => SemanticKind::Encoding,
        TokenKind::Targets | TokenKind::LifeRange | TokenKind::Comment => SemanticKind::Comment,
        TokenKind::Directive => SemanticKind::Directive,
        TokenKind::String => SemanticKind::String,
        // `4x<16*4>` is a number. The output of inline code is unknown.
        TokenKind::Opaque
            if line_kind == LineKind::Instruction
                && token.text(line).starts_with(|c: char| c.is_ascii_digit()) =>
        {
            SemanticKind::Number
        }
        TokenKind::At | TokenKind::Punct | TokenKind::Opaque | TokenKind::Error => return None,
    })
}
