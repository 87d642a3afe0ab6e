//! Control flow of a function, before its values: blocks of statements, what dominates what, and loops.

use crate::flow::{BlockId, DominatorTree, FlowGraph, LoopForest};
use rustc_hash::FxHashMap;
use std::ops::Range;
use syntax::ptx::{Item, Statement, StatementKind};

/// Basic blocks of an item's statements.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Statements of each block; labels and declarations among them.
    pub statements: Vec<Range<usize>>,
    pub flow: FlowGraph,
    pub dominators: DominatorTree,
    pub loops: LoopForest,
    labels: FxHashMap<Box<str>, BlockId>,
}

impl Graph {
    pub(super) fn of(item: &Item) -> Self {
        let mut graph = Self::default();
        graph.cut(item);
        graph.flow = graph.connect(item);
        // What nothing leads to is entered from nowhere, too, so that each block has a place in the tree.
        let (_, roots) = graph.flow.reverse_postorder((!graph.flow.is_empty()).then_some(0));
        let rooted = graph.flow.with_root(&roots);
        graph.dominators = DominatorTree::of(&rooted, graph.flow.len() as BlockId);
        graph.loops = LoopForest::of(&rooted, &graph.dominators);
        graph
    }

    /// The block that a label opens.
    pub(super) fn label(&self, name: &str) -> Option<BlockId> {
        self.labels.get(name).copied()
    }

    /// Returns the block that directly dominates this one; `None` where control comes from elsewhere.
    pub(super) fn dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators.parent(block).filter(|&above| (above as usize) < self.flow.len())
    }

    fn cut(&mut self, item: &Item) {
        let statements = item.statements();
        let body = item.function().and_then(|function| function.body).map_or(0, |open| open as usize + 1);
        let mut start = body;
        let mut has_instruction = false;
        for (at, statement) in statements.iter().enumerate().skip(body) {
            if statement.kind == StatementKind::Label {
                if has_instruction {
                    self.statements.push(start..at);
                    start = at;
                    has_instruction = false;
                }
                let name = item.tokens_of(statement.tokens).first().map(|token| item.token_text(token));
                let block = self.statements.len() as BlockId;
                self.labels.extend(name.map(|name| (name.into(), block)));
            } else if matches!(statement.kind, StatementKind::Instruction { .. }) {
                has_instruction = true;
                if ends_block(item, statement) {
                    self.statements.push(start..at + 1);
                    start = at + 1;
                    has_instruction = false;
                }
            }
        }
        self.statements.push(start..statements.len());
    }

    fn connect(&self, item: &Item) -> FlowGraph {
        let count = self.statements.len();
        FlowGraph::new((0..count).map(|block| {
            let last = self.statements[block]
                .clone()
                .rev()
                .map(|at| &item.statements()[at])
                .find(|statement| matches!(statement.kind, StatementKind::Instruction { .. }));
            let opcode = last.and_then(|last| item.opcode(last));
            let guarded = last.is_some_and(|last| item.guard(last).is_some());
            let mut next = Vec::new();
            if !matches!(opcode, Some("bra" | "brx" | "ret" | "exit" | "trap")) || guarded {
                next.extend((block + 1 < count).then_some(block as BlockId + 1));
            }
            if let (Some("bra"), Some(last)) = (opcode, last) {
                let target = item.operands(last).next().and_then(|target| self.label(target.text()));
                next.extend(target.filter(|target| !next.contains(target)));
            }
            if let (Some("brx"), Some(last)) = (opcode, last) {
                let list = item.operands(last).nth(1).map_or("", |list| list.text());
                next.extend(self.listed(item, list));
            }
            next
        }))
    }

    /// The blocks that a `.branchtargets` of that name lists.
    fn listed(&self, item: &Item, name: &str) -> Vec<BlockId> {
        let mut found = Vec::new();
        let mut statements = item.statements().iter().peekable();
        while let Some(statement) = statements.next() {
            let tokens = item.tokens_of(statement.tokens);
            let is_label = statement.kind == StatementKind::Label
                && tokens.first().is_some_and(|token| item.token_text(token) == name);
            if is_label
                && let Some(list) = statements.peek()
                && item.directive(list) == Some(".branchtargets")
            {
                found.extend(item.operands(list).filter_map(|target| self.label(target.text())));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn ends_block(item: &Item, statement: &Statement) -> bool {
    matches!(item.opcode(statement), Some("bra" | "brx" | "ret" | "exit" | "trap"))
}
