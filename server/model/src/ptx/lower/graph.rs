//! Control flow of a function, before its values: blocks of statements, what dominates what, and loops.

mod loops;
mod trees;

use super::ir::{Block, BlockId};
use rustc_hash::FxHashMap;
use syntax::ptx::{Item, Statement, StatementKind};
use trees::{Ancestors, Nest};

/// Basic blocks of an item's statements.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub blocks: Vec<Block>,
    /// Statements of each block; labels and declarations among them.
    pub statements: Vec<std::ops::Range<usize>>,
    /// Loop depth of each block.
    pub depth: Vec<u32>,
    /// The block that each is directly dominated by; its own index for the first and for what nothing leads to.
    pub dominator: Vec<BlockId>,
    /// Blocks of the innermost loop around each, by its header.
    pub header: Vec<Option<BlockId>>,
    labels: FxHashMap<Box<str>, BlockId>,
    /// When a walk over the tree of dominators comes to a block and leaves it.
    span: Vec<(u32, u32)>,
    above: Ancestors,
    nest: Nest,
}

impl Graph {
    pub(super) fn of(item: &Item) -> Self {
        let mut graph = Self::default();
        graph.cut(item);
        graph.connect(item);
        graph.dominate();
        graph.above = Ancestors::of(&graph.dominator, &graph.span);
        (graph.depth, graph.header) = loops::find(&graph);
        graph.nest = Nest::of(&graph);
        graph
    }

    /// The block that a label opens.
    pub(super) fn label(&self, name: &str) -> Option<BlockId> {
        self.labels.get(name).copied()
    }

    /// Whether every way to `block` leads over `above`; true of itself.
    pub(super) fn dominates(&self, above: BlockId, block: BlockId) -> bool {
        let (Some(&(from, to)), Some(&(at, _))) =
            (self.span.get(above as usize), self.span.get(block as usize))
        else {
            return false;
        };
        from <= at && at < to
    }

    /// When a walk over the tree of dominators comes to a block and leaves it; blocks that it dominates have theirs within.
    pub(super) fn span(&self, block: BlockId) -> (u32, u32) {
        self.span.get(block as usize).copied().unwrap_or_default()
    }

    /// The nearest block that dominates both.
    pub(super) fn meet(&self, one: BlockId, other: BlockId) -> BlockId {
        self.above.nearest(&self.dominator, one, |at| self.dominates(at, other))
    }

    /// Whether a block lies in the loop of that header.
    pub(super) fn is_in_loop(&self, block: BlockId, header: BlockId) -> bool {
        self.header[block as usize].is_some_and(|own| self.nest.holds(header, own))
    }

    fn cut(&mut self, item: &Item) {
        let statements = item.statements();
        let body = item.function().and_then(|function| function.body).map_or(0, |open| open as usize + 1);
        let mut start = body;
        let mut has_instruction = false;
        for (at, statement) in statements.iter().enumerate().skip(body) {
            if statement.kind == StatementKind::Label {
                if has_instruction {
                    self.close(start..at);
                    start = at;
                    has_instruction = false;
                }
                let name = item.tokens_of(statement.tokens).first().map(|token| item.token_text(token));
                let block = self.statements.len() as BlockId;
                self.labels.extend(name.map(|name| (name.into(), block)));
            } else if matches!(statement.kind, StatementKind::Instruction { .. }) {
                has_instruction = true;
                if ends_block(item, statement) {
                    self.close(start..at + 1);
                    start = at + 1;
                    has_instruction = false;
                }
            }
        }
        self.close(start..statements.len());
    }

    fn close(&mut self, range: std::ops::Range<usize>) {
        self.statements.push(range);
        self.blocks.push(Block::default());
    }

    fn connect(&mut self, item: &Item) {
        for block in 0..self.blocks.len() {
            let last = self.statements[block]
                .clone()
                .rev()
                .map(|at| &item.statements()[at])
                .find(|statement| matches!(statement.kind, StatementKind::Instruction { .. }));
            let opcode = last.and_then(|last| item.opcode(last));
            let guarded = last.is_some_and(|last| item.guard(last).is_some());
            let mut next = Vec::new();
            if !matches!(opcode, Some("bra" | "brx" | "ret" | "exit" | "trap")) || guarded {
                next.extend((block + 1 < self.blocks.len()).then_some(block as BlockId + 1));
            }
            if let (Some("bra"), Some(last)) = (opcode, last) {
                let target = item.operands(last).next().and_then(|target| self.label(target.text()));
                next.extend(target.filter(|target| !next.contains(target)));
            }
            if let (Some("brx"), Some(last)) = (opcode, last) {
                let list = item.operands(last).nth(1).map_or("", |list| list.text());
                next.extend(self.listed(item, list));
            }
            for &to in &next {
                self.blocks[to as usize].predecessors.push(block as BlockId);
            }
            self.blocks[block].successors = next;
        }
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

    /// Cooper, Harvey and Kennedy: in reverse postorder until nothing changes.
    fn dominate(&mut self) {
        let count = self.blocks.len();
        let mut order = Vec::with_capacity(count);
        let mut seen = vec![false; count];
        let mut stack = vec![(0_usize, 0_usize)];
        if count > 0 {
            seen[0] = true;
        } else {
            stack.clear();
        }
        while let Some((block, next)) = stack.pop() {
            match self.blocks[block].successors.get(next) {
                Some(&to) => {
                    stack.push((block, next + 1));
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to as usize, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        let mut place = vec![usize::MAX; count];
        for (at, &block) in order.iter().enumerate() {
            place[block] = at;
        }
        self.dominator = (0..count as BlockId).collect();
        let mut known = vec![false; count];
        if count > 0 {
            known[0] = true;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().skip(1) {
                let mut best: Option<usize> = None;
                for &from in &self.blocks[block].predecessors {
                    let from = from as usize;
                    if known[from] && place[from] != usize::MAX {
                        best = Some(best.map_or(from, |best| self.common(&place, best, from)));
                    }
                }
                if let Some(best) = best
                    && (!known[block] || self.dominator[block] != best as BlockId)
                {
                    self.dominator[block] = best as BlockId;
                    known[block] = true;
                    changed = true;
                }
            }
        }
        self.number();
    }

    fn common(&self, place: &[usize], one: usize, other: usize) -> usize {
        let (mut one, mut other) = (one, other);
        while one != other {
            while place[one] > place[other] {
                one = self.dominator[one] as usize;
            }
            while place[other] > place[one] {
                other = self.dominator[other] as usize;
            }
        }
        one
    }

    fn number(&mut self) {
        let count = self.blocks.len();
        let mut children = vec![Vec::new(); count];
        let mut roots = Vec::new();
        for block in 0..count {
            let above = self.dominator[block] as usize;
            if above == block { roots.push(block) } else { children[above].push(block) }
        }
        self.span = vec![(0, 0); count];
        let mut clock = 0;
        for root in roots {
            let mut stack = vec![(root, 0_usize)];
            while let Some((block, next)) = stack.pop() {
                if next == 0 {
                    self.span[block].0 = clock;
                    clock += 1;
                }
                match children[block].get(next) {
                    Some(&child) => {
                        stack.push((block, next + 1));
                        stack.push((child, 0));
                    }
                    None => self.span[block].1 = clock,
                }
            }
        }
    }
}

fn ends_block(item: &Item, statement: &Statement) -> bool {
    matches!(item.opcode(statement), Some("bra" | "brx" | "ret" | "exit" | "trap"))
}
