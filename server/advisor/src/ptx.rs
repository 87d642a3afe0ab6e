//! Runs the rules on PTX, item by item.

use crate::assembler::{self, Context};

pub use crate::assembler::Heading;
use crate::finding::Severity;
pub use crate::finding::{ItemEdit as Edit, ItemFinding as Finding, ItemFix as Fix, ItemRelated as Related};
use model::Gpu;
use model::ptx::{Body, Globals, Item, Names, Ptx};
use std::cell::OnceCell;
use std::ops::Range;

/// Input of a rule: an item of a module, and the version and target that the module declares.
#[derive(Debug)]
pub struct Subject<'a> {
    pub item: &'a Item,
    /// Index of the item in the module.
    pub index: usize,
    /// The resolved names of the item.
    pub names: &'a Names,
    /// The declarations at module scope.
    pub globals: &'a Globals,
    /// The PTX instruction tables.
    pub tables: &'a Ptx,
    pub module: Heading,
    /// The GPU whose limits and rates apply.
    pub gpu: &'a Gpu,
    body: OnceCell<Option<Body<'a>>>,
    problems: OnceCell<Vec<Finding>>,
}

impl<'a> Subject<'a> {
    /// Stores the given facts. The body and the assembler's errors are computed on first use.
    pub fn new(
        item: &'a Item,
        index: usize,
        names: &'a Names,
        globals: &'a Globals,
        tables: &'a Ptx,
        module: Heading,
        gpu: &'a Gpu,
    ) -> Self {
        let (body, problems) = (OnceCell::new(), OnceCell::new());
        Self { item, index, names, globals, tables, module, gpu, body, problems }
    }

    /// Adds the errors that the assembler would report under this code.
    pub(crate) fn report(&self, code: &str, findings: &mut Vec<Finding>) {
        findings.extend(self.problems().iter().filter(|problem| problem.code == code).cloned());
    }

    fn problems(&self) -> &[Finding] {
        self.problems.get_or_init(|| {
            let (tables, globals, item) = (self.tables, self.globals, self.index);
            let context = Context { tables, globals, item, module: self.module };
            assembler::check(self.item, self.names, &context)
        })
    }

    /// True if the assembler would report an error in this range. The meaning of the code in the range is
    /// then unknown.
    pub(crate) fn has_error_in(&self, range: &Range<u32>) -> bool {
        self.problems().iter().any(|problem| {
            problem.severity == Some(Severity::Error)
                && problem.place.start < range.end
                && range.start < problem.place.end
        })
    }

    /// The body of a function whose speed matters: [`Self::body`], or `None` in a module compiled for a
    /// debugger.
    pub(crate) fn fast_body(&self) -> Option<&Body<'a>> {
        self.body().filter(|_| !self.module.is_debug)
    }

    /// The function's control flow and values. `None` if the item is not a function with a body, or if it has
    /// syntax errors. Values in incomplete code are unknown.
    pub fn body(&self) -> Option<&Body<'a>> {
        let body = || {
            let is_read = self.item.errors().is_empty();
            is_read.then(|| Body::new(self.item, self.names, self.tables)).flatten()
        };
        self.body.get_or_init(body).as_ref()
    }
}

/// Maximum number of related positions per finding.
const MAX_RELATED: usize = 8; // limit: length of a finding

/// Returns a single finding for several instructions. It is at the first instruction, and the other
/// instructions are related positions.
pub(crate) fn folded(
    code: &'static str,
    body: &Body<'_>,
    instructions: &[u32],
    message: String,
) -> Option<Finding> {
    let (&first, others) = instructions.split_first()?;
    let mut finding = Finding::new(code, body.opcode_range(first), message);
    let place =
        |&at: &u32| Related { place: body.opcode_range(at), message: format!("also `{}`", body.spelled(at)) };
    finding.related = others.iter().take(MAX_RELATED).map(place).collect();
    Some(finding)
}

/// Phrase with the number of other instructions: `; 3 more calls in this function`. Empty for a single instruction.
pub(crate) fn so_are_more(found: &[u32], things: &str) -> String {
    match found.len() {
        0 | 1 => String::new(),
        count => format!("; {} more{things} in this function", count - 1),
    }
}

/// Instructions of a function that are reachable from its entry, in text order.
pub(crate) fn reached<'b>(body: &'b Body<'_>) -> impl Iterator<Item = u32> + 'b {
    let blocks = body.flow.blocks().iter().filter(|block| block.is_reached);
    blocks.flat_map(|block| block.instructions.clone())
}
