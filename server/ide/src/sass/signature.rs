//! Signature help: explains the operands of the opcode at the cursor.

use crate::engine::sass_view::SassView;
use crate::sass::complete::{OperandSite, Site};
use crate::{Signature, SignatureOperand};
use machine::docs::{self, Page};
use machine::{Opcode, OperandRole, RegisterCount, RoleKind};
use std::fmt::Write;

/// Returns the signature of the instruction whose operands contain the offset. `None` outside of
/// operands, after the last operand, or if the architecture lacks the opcode.
pub(crate) fn signature(sass: &SassView, offset: usize) -> Option<Signature> {
    let (chunk, operand) = Site::operand_at(sass, offset)?;
    let arch = sass.isa_arch(&sass.listing().chunks()[chunk]);
    let modifiers = operand.modifiers.iter().map(String::as_str);
    let form = arch.isa.form(arch.isa.find(&operand.opcode, modifiers)?);
    operand.role(&form.operands).map(|active| write(form, &operand, active))
}

fn write(form: &Opcode, site: &OperandSite, active: usize) -> Signature {
    let mut label = site.opcode.clone();
    for modifier in &site.modifiers {
        let _ = write!(label, ".{modifier}");
    }
    let reads = form.operands.iter().filter(|role| role.kind == RoleKind::Read).count();
    let mut described = OperandDescriptions::new(docs::opcode(&site.opcode), reads);
    let mut operands = Vec::with_capacity(form.operands.len());
    for role in &form.operands {
        label.push_str(if operands.is_empty() { " " } else { ", " });
        let (name, said) = described.next(role.kind);
        let start = label.len();
        let _ = write!(label, "{name}{}", if role.optional { "?" } else { "" });
        operands.push(SignatureOperand { label: start..label.len(), meaning: meaning(*role, said) });
    }
    Signature { label, summary: form.summary.to_string(), operands, active }
}

/// Formats the meaning of an operand: the facts of the opcode table (`read`), followed by the text of
/// the page.
fn meaning(role: OperandRole, said: Option<&str>) -> String {
    let kind = match role.kind {
        RoleKind::Write => "written",
        RoleKind::Read => "read",
        RoleKind::ReadWrite => "read and written",
        RoleKind::WritePredicate => "predicate written",
        RoleKind::ReadPredicate => "predicate read",
        // The page has a better description.
        RoleKind::Address | RoleKind::Target if said.is_some() => "",
        RoleKind::Address => "address",
        RoleKind::Target => "branch target",
        RoleKind::Other => "",
    };
    let registers = match role.registers {
        RegisterCount::Fixed(0 | 1) => String::new(),
        RegisterCount::Fixed(count) => format!("{count} consecutive registers"),
        RegisterCount::ByWidth => "as many registers as the access width requires".to_owned(),
        RegisterCount::Components => "a register for each component that the mask selects".to_owned(),
        RegisterCount::FirstComponents => "registers of the first two components".to_owned(),
        RegisterCount::LaterComponents => "registers of the components after the first two".to_owned(),
        RegisterCount::Coordinates => "a register, or two for more than one dimension".to_owned(),
        RegisterCount::LowerWords => {
            "a register for each of the lower four words, except those that a mask leaves out".to_owned()
        }
        RegisterCount::UpperWords => {
            "a register for each of the upper four words, except those that a mask leaves out".to_owned()
        }
    };
    let optional = if role.optional { "optional" } else { "" };
    let facts: Vec<&str> = [kind, &registers, optional].into_iter().filter(|fact| !fact.is_empty()).collect();
    let facts = facts.join(", ");
    match said {
        Some(said) if facts.is_empty() => said.to_owned(),
        Some(said) => format!("{facts}: {said}"),
        None => facts,
    }
}

/// Descriptions of operands from an opcode's page. For each operand kind, they are consumed in page
/// order.
struct OperandDescriptions {
    /// Names and descriptions that are not consumed yet.
    open: Vec<(&'static str, &'static str)>,
    given: Vec<RoleKind>,
    /// Number of source operands that are not named yet.
    reads_left: usize,
}

impl OperandDescriptions {
    fn new(page: Option<Page>, reads_left: usize) -> Self {
        let mut open = Vec::new();
        for (names, said) in page.into_iter().flat_map(Page::operands) {
            let mut ticked =
                names.split('`').skip(1).step_by(2).filter(|name| !name.starts_with('.')).peekable();
            if ticked.peek().is_none() {
                open.push((names, said));
            }
            open.extend(ticked.map(|name| (name, said)));
        }
        Self { open, given: Vec::new(), reads_left }
    }

    /// Returns a name for the next operand of this kind, and its description if the page describes the
    /// operand.
    fn next(&mut self, kind: RoleKind) -> (String, Option<&'static str>) {
        let found = if kind == RoleKind::Read {
            self.next_source()
        } else {
            self.open.iter().position(|(name, _)| names(kind, name))
        };
        let count = self.given.iter().filter(|&&given| given == kind).count();
        self.given.push(kind);
        match found.map(|at| self.open.remove(at)) {
            Some((name, said)) => (shown(name), Some(said)),
            None => (usual_name(kind, count), None),
        }
    }

    /// Returns the index in [`Self::open`] of the next source operand: registers in alphabetical order, because pages may
    /// describe `Rc` together with `Rd`, then other sources. `None` if no source is left, or if the page names fewer
    /// sources than remain and the next name is not the expected register.
    fn next_source(&mut self) -> Option<usize> {
        const LETTERS: [&str; 3] = ["Ra", "Rb", "Rc"];
        let due = LETTERS.get(self.given.iter().filter(|&&given| given == RoleKind::Read).count());
        let open = self.open.iter().enumerate().filter(|(_, (name, _))| names(RoleKind::Read, name));
        let key = |name: &'static str| if is_register(name) { (0, name) } else { (1, "") };
        let first = open.clone().min_by_key(|(_, (name, _))| key(name));
        let enough = open.count() >= self.reads_left;
        self.reads_left = self.reads_left.saturating_sub(1);
        let (at, (name, _)) = first?;
        let is_due = due.is_none_or(|due| name.trim_start_matches('U') == *due);
        (enough || is_due || !is_register(name)).then_some(at)
    }
}

/// True if a page uses this name (`Rd`, `Ra`, `Address`) for operands of this kind.
fn names(kind: RoleKind, name: &str) -> bool {
    let register = name.trim_start_matches('U');
    let starts = |prefix: &str| register.starts_with(prefix);
    match kind {
        RoleKind::Write | RoleKind::ReadWrite => starts("Rd") || name == "Destination",
        RoleKind::WritePredicate => starts("Pd"),
        RoleKind::ReadPredicate => starts("Pq") || starts("Pp"),
        RoleKind::Address => name.starts_with("Address") || name.contains('['),
        RoleKind::Target => name.starts_with("Target"),
        RoleKind::Read => {
            starts("Ra")
                || starts("Rb")
                || starts("Rc")
                || matches!(name, "Immediate" | "Source" | "Shift" | "Count")
        }
        RoleKind::Other => {
            !(starts("R")
                || starts("P")
                || name.starts_with("Address")
                || name.starts_with("Target")
                || name.contains('['))
        }
    }
}

/// Formats a page's operand name for a label: registers unchanged, words in lower case.
fn shown(name: &str) -> String {
    if name.contains('[') {
        return name.to_owned();
    }
    let first = name.split([' ', '(', ',', '.']).next().unwrap_or(name);
    match first {
        "Address" => "[address]".to_owned(),
        _ if is_register(first) => first.to_owned(),
        _ => first.to_lowercase(),
    }
}

/// True for a register name, such as `Rd`, `URa` or `Pd2`.
fn is_register(name: &str) -> bool {
    name.ends_with(|last: char| last.is_ascii_digit()) || name.trim_start_matches('U').len() <= 2
}

/// Returns the usual name of an operand that the page does not name.
fn usual_name(kind: RoleKind, count: usize) -> String {
    let name = match kind {
        RoleKind::Write | RoleKind::ReadWrite => "Rd",
        RoleKind::Read => ["Ra", "Rb", "Rc"].get(count).copied().unwrap_or("R"),
        RoleKind::WritePredicate => "Pd",
        RoleKind::ReadPredicate => "Pq",
        RoleKind::Address => "[address]",
        RoleKind::Target => "target",
        RoleKind::Other => "operand",
    };
    let numbered = count > 0 && kind != RoleKind::Read;
    if numbered { format!("{name}{}", count + 1) } else { name.to_owned() }
}
