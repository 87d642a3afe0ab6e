//! Maps the instructions of a hidden listing to the PTX source that the user sees. A hidden listing is the SASS
//! that a PTX document is lowered to for its cost estimates.

use super::lowered::Cost;
use crate::engine::ptx_text::placed;
use crate::engine::target::Target;
use model::{Chunk, Program};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, Start, StatementKind};

/// The PTX functions that a hidden listing is lowered from.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The GPU that the module is compiled for, and why that GPU was chosen.
    pub target: Target,
    functions: FxHashMap<Box<str>, LoweredFunction>,
}

/// A lowered function, and the position of the function in the PTX source.
#[derive(Debug, Clone)]
pub(crate) struct LoweredFunction {
    pub cost: Arc<Cost>,
    start: Start,
}

impl Origin {
    pub(crate) fn new(target: Target, functions: impl Iterator<Item = LoweredFunction>) -> Arc<Self> {
        let functions = functions.map(|placed| (placed.name().into(), placed)).collect();
        Arc::new(Self { target, functions })
    }

    /// Returns the function that a chunk of the listing was lowered from. `None` if the chunk was not lowered from a
    /// function.
    pub(crate) fn function(&self, chunk: &Chunk) -> Option<&LoweredFunction> {
        self.functions.get(chunk.name()?)
    }
}

impl LoweredFunction {
    pub(crate) const fn new(cost: Arc<Cost>, start: Start) -> Self {
        Self { cost, start }
    }

    fn text(&self) -> &Item {
        &self.cost.item
    }

    /// Returns the function's name.
    pub(crate) fn name(&self) -> &str {
        self.cost.name()
    }

    /// Returns the PTX statement that an instruction of the listing implements. `None` if the instruction
    /// belongs to no statement.
    pub(crate) fn statement(&self, inst: u32) -> Option<usize> {
        let statement = *self.cost.origin.get(inst as usize)? as usize;
        self.is_instruction(statement).then_some(statement)
    }

    /// True if a statement is an instruction, not a label, directive or declaration.
    pub(crate) fn is_instruction(&self, statement: usize) -> bool {
        let statement = self.text().statements().get(statement);
        statement.is_some_and(|statement| matches!(statement.kind, StatementKind::Instruction { .. }))
    }

    /// Returns the indices of the statements that are instructions, in text order.
    pub(crate) fn statements(&self) -> impl Iterator<Item = usize> {
        (0..self.text().statements().len()).filter(|&statement| self.is_instruction(statement))
    }

    /// True if a statement is the first instruction of a PTX basic block.
    pub(crate) fn starts_block(&self, statement: usize) -> bool {
        let blocks = &self.cost.blocks;
        let following = blocks.partition_point(|(statements, _)| statements.start as usize <= statement);
        let start = following.checked_sub(1).map_or(0, |at| blocks[at].0.start as usize);
        !(start..statement).any(|before| self.is_instruction(before))
    }

    /// Returns the range of a statement in the PTX source, in bytes.
    pub(crate) fn range(&self, statement: usize) -> Range<usize> {
        let range = self.text().range(&self.text().statements()[statement]);
        placed(self.start.byte as usize, &range)
    }

    /// Returns the 1-based line of the PTX source that a statement starts on.
    pub(crate) fn line(&self, statement: usize) -> u32 {
        self.line_at(self.text().range(&self.text().statements()[statement]).start)
    }

    /// Returns an instruction's opcode with its modifiers.
    pub(crate) fn spelled(&self, statement: usize) -> String {
        let item = self.text();
        let statement = &item.statements()[statement];
        let words = item.opcode(statement).into_iter().chain(item.modifiers(statement));
        words.collect::<Vec<_>>().join(".")
    }

    /// Returns a statement without its semicolon, on a single line.
    pub(crate) fn printed(&self, statement: usize) -> String {
        let range = self.text().range(&self.text().statements()[statement]);
        let text = &self.text().text()[range.start as usize..range.end as usize];
        text.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the label that a branch of the listing jumps to. `None` if the PTX statement is not `bra`.
    pub(crate) fn label(&self, branch: u32) -> Option<&str> {
        let item = self.text();
        let statement = &item.statements()[self.statement(branch)?];
        let leads = item.opcode(statement) == Some("bra");
        leads.then(|| item.operands(statement).next().map(|target| target.text())).flatten()
    }

    /// Returns the statement that defines a label. `None` if the function does not define the label.
    pub(crate) fn labelled(&self, label: &str) -> Option<usize> {
        let item = self.text();
        let is_it = |statement: &syntax::ptx::Statement| {
            statement.kind == StatementKind::Label
                && item
                    .tokens_of(statement.tokens)
                    .first()
                    .is_some_and(|token| item.token_text(token) == label)
        };
        item.statements().iter().position(is_it)
    }

    /// Returns the position of an instruction as text: `` `ld.global.f32` on line 12 ``.
    pub(crate) fn place(&self, inst: u32) -> String {
        match self.statement(inst) {
            Some(statement) => format!("`{}` on line {}", self.spelled(statement), self.line(statement)),
            None => format!("the function's start on line {}", self.start_line()),
        }
    }

    /// Returns the 1-based line of the PTX source that an instruction of the listing belongs to.
    pub(crate) fn line_of(&self, inst: u32) -> u32 {
        self.statement(inst).map_or_else(|| self.start_line(), |statement| self.line(statement))
    }

    fn start_line(&self) -> u32 {
        self.line_at(self.text().name_token().map_or(0, |token| token.start))
    }

    /// Returns the 1-based line of the PTX source that contains a byte of the function.
    fn line_at(&self, byte: u32) -> u32 {
        self.start.line + self.cost.lines.partition_point(|&end| end < byte) as u32 + 1
    }

    /// Returns the PTX basic blocks within a block of the listing, as ranges of their statements.
    fn blocks<'a>(
        &'a self,
        program: &Program,
        block: u32,
    ) -> impl DoubleEndedIterator<Item = &'a Range<u32>> {
        let own = &program.blocks[block as usize].instructions;
        let blocks = &self.cost.blocks;
        let at = |inst: u32| blocks.partition_point(|(_, first)| *first < inst);
        let count = program.instructions.len() as u32;
        let end = move |at: usize| blocks.get(at + 1).map_or(count, |(_, first)| *first);
        // A PTX block without instructions in the listing has the same start as the next PTX block.
        (at(own.start)..at(own.end)).filter(move |&at| blocks[at].1 < end(at)).map(move |at| &blocks[at].0)
    }

    /// Returns the first and last PTX line of a block of the listing. `None` if the block implements no PTX
    /// instruction.
    pub(crate) fn lines(&self, program: &Program, block: u32) -> Option<(u32, u32)> {
        let statements = |range: &Range<u32>| range.start as usize..range.end as usize;
        let is_one = |statement: &usize| self.is_instruction(*statement);
        let mut blocks = self.blocks(program, block);
        let first = self.blocks(program, block).find_map(|range| statements(range).find(is_one))?;
        let last = blocks.rfind(|range| statements(range).any(|one| self.is_instruction(one)))?;
        let last = statements(last).rev().find(is_one)?;
        Some((self.line(first), self.line(last)))
    }

    /// True if an instruction is still in the basic block of its PTX statement, not moved out of a loop or
    /// into another branch.
    pub(crate) fn is_in_place(&self, program: &Program, inst: u32) -> bool {
        let Some(statement) = self.statement(inst) else { return false };
        let blocks = &self.cost.blocks;
        let following = blocks.partition_point(|(statements, _)| statements.start as usize <= statement);
        let first = following.checked_sub(1).map(|at| blocks[at].1 as usize);
        let home = first.and_then(|first| program.instructions.get(first)).map(|inst| inst.block);
        home == Some(program.instructions[inst as usize].block)
    }
}

impl advisor::memory::Source for LoweredFunction {
    fn place(&self, inst: u32) -> String {
        self.place(inst)
    }

    fn label(&self, branch: u32) -> Option<String> {
        self.label(branch).map(str::to_owned)
    }
}

/// Returns the most significant of the instructions `own` that implement a PTX statement: the first that
/// accesses memory other than constant memory, otherwise the first in the statement's own basic block,
/// otherwise the first. `None` if `own` is empty.
pub(crate) fn main_of(placed: &LoweredFunction, program: &Program, own: &[u32]) -> Option<u32> {
    let accesses = |inst: &u32| {
        let memory = program.instructions[*inst as usize].memory;
        memory.is_some_and(|memory| memory.space != model::MemorySpace::Constant)
    };
    let is_home = |inst: &u32| placed.is_in_place(program, *inst);
    own.iter().copied().find(accesses).or_else(|| own.iter().copied().find(is_home)).or(own.first().copied())
}
