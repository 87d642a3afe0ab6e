//! Questions about trees of blocks that are answered without walking them.

use super::{BlockId, Graph};

/// Ways up the tree of dominators that leave out most of it: Myers, "An Applicative Random-Access Stack" (1983).
#[derive(Debug, Default)]
pub(super) struct Ancestors {
    jump: Vec<BlockId>,
}

impl Ancestors {
    /// `span`: when a walk over the tree comes to each block and leaves it.
    pub(super) fn of(dominator: &[BlockId], span: &[(u32, u32)]) -> Self {
        let mut order: Vec<BlockId> = (0..dominator.len() as BlockId).collect();
        order.sort_unstable_by_key(|&block| span[block as usize].0);
        let mut jump: Vec<BlockId> = (0..dominator.len() as BlockId).collect();
        let mut level = vec![0_u32; dominator.len()];
        for block in order {
            let up = dominator[block as usize];
            if up == block {
                continue;
            }
            level[block as usize] = level[up as usize] + 1;
            let far = jump[up as usize];
            let further = jump[far as usize];
            let is_even =
                level[up as usize] - level[far as usize] == level[far as usize] - level[further as usize];
            jump[block as usize] = if is_even { further } else { up };
        }
        Self { jump }
    }

    /// The first block on the way up from `from`, itself included, of which `holds` is true; the root if it is true of
    /// none. It must stay true further up.
    pub(super) fn nearest(
        &self,
        dominator: &[BlockId],
        from: BlockId,
        holds: impl Fn(BlockId) -> bool,
    ) -> BlockId {
        let mut at = from;
        while !holds(at) {
            let (far, up) = (self.jump[at as usize], dominator[at as usize]);
            if up == at {
                return at;
            }
            at = if holds(far) { up } else { far };
        }
        at
    }
}

/// The nesting of the loops.
#[derive(Debug, Default)]
pub(super) struct Nest {
    /// Steps at which a walk over the tree of loops comes to each header and leaves it. Empty for what is no header.
    span: Vec<(u32, u32)>,
}

impl Nest {
    pub(super) fn of(graph: &Graph) -> Self {
        let count = graph.dominator.len();
        let lower = lower(graph);
        let is_header = |block: &usize| graph.header[*block] == Some(*block as BlockId);
        let mut inner: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut roots = Vec::new();
        for header in (0..count).filter(is_header) {
            match lower[header].and_then(|below| graph.header[below as usize]) {
                Some(around) => inner[around as usize].push(header),
                None => roots.push(header),
            }
        }
        let mut span = vec![(0, 0); count];
        let mut clock = 0;
        for root in roots {
            let mut stack = vec![(root, 0_usize)];
            while let Some((header, next)) = stack.pop() {
                if next == 0 {
                    span[header].0 = clock;
                    clock += 1;
                }
                match inner[header].get(next) {
                    Some(&one) => {
                        stack.push((header, next + 1));
                        stack.push((one, 0));
                    }
                    None => span[header].1 = clock,
                }
            }
        }
        Self { span }
    }

    /// Whether the loop of `inner` is the loop of `header` or lies in it.
    pub(super) fn holds(&self, header: BlockId, inner: BlockId) -> bool {
        let (from, to) = self.span[header as usize];
        header == inner || (from..to).contains(&self.span[inner as usize].0)
    }
}

/// Returns the nearest ancestor of each block, in the tree of dominators, that is in fewer loops.
fn lower(graph: &Graph) -> Vec<Option<BlockId>> {
    let mut order: Vec<usize> = (0..graph.dominator.len()).collect();
    order.sort_unstable_by_key(|&block| graph.span[block].0);
    let mut lower: Vec<Option<BlockId>> = vec![None; order.len()];
    for block in order {
        let up = graph.dominator[block];
        // What lies between was passed when the blocks above were looked at.
        let mut at = Some(up).filter(|&up| up as usize != block);
        while let Some(other) = at.filter(|&other| graph.depth[other as usize] >= graph.depth[block]) {
            at = lower[other as usize];
        }
        lower[block] = at;
    }
    lower
}
