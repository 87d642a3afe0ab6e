//! The PTX of an `asm` statement, wrapped in a function whose registers are the operands, and the errors that
//! ptxas reports for it.

use super::codes::SYNTAX_ERROR;
use super::constraint::{Constraint, Letter};
use crate::assembler::{self, Context, Heading};
use crate::finding::{ItemFinding as Finding, ItemRelated as Related, Severity};
use machine::ptx::{OperandKind as Role, Ptx, Target};
use model::ptx::{Globals, Item, Module, Names, StatementKind, Use, UseKind, bind, literal};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::asm::{Block, Template};

/// Placeholder for a constant of unknown value. It is valid in any operand, and findings that depend on it
/// are dropped.
const ANY: &str = "16";

/// Base of placeholder constants in code shown to users. A placeholder is this number plus the index of its
/// operand, a value that does not occur in real code.
const SHOWN: u32 = 1_927_300_000; // limit: no code has such a constant

/// A statement's code as PTX.
#[derive(Debug, Clone)]
pub struct Code {
    /// A module without a `.version` and a `.target`.
    text: String,
    /// Number of bytes in the module before the code.
    base: u32,
    /// For each byte of the code in the module, the corresponding byte of the template.
    bytes: Vec<u32>,
    /// Byte ranges in the module of constants whose values are unknown.
    unknown: Vec<Range<u32>>,
}

impl Code {
    /// Wraps the code of a statement in a function. `None` if the code is incomplete: another statement opens or
    /// closes one of its braces, or a constant string supplies code.
    ///
    /// If `line`, the number of the item's first line, is given, the code will be shown to users. Each byte then
    /// keeps its line number in the file, and messages about the code must be passed through [`Self::shown`].
    pub fn new(item: &str, block: &Block, template: &Template, line: Option<usize>) -> Option<Self> {
        if !template.is_balanced() || template.text.trim().is_empty() {
            return None;
        }
        let mut writer = Writer::default();
        let in_item = |range: &Range<u32>| item.get(range.start as usize..range.end as usize);
        if let Some(line) = line {
            let start = template.place(&(0..1)).start;
            let above = line + in_item(&(0..start))?.matches('\n').count();
            writer.text.extend(std::iter::repeat_n('\n', above));
        }
        writer.text.push_str(".entry asm() { ");
        let mut constants = Vec::with_capacity(block.operands.len());
        for (at, operand) in block.operands.iter().enumerate() {
            // Another rule reports an invalid constraint. Here its operand is accepted everywhere.
            let read = Constraint::read(in_item(&operand.constraint)?, operand.is_output);
            let letter = read.ok().map(|constraint| constraint.letter);
            constants.push(match letter {
                Some(Letter::Text) => return None,
                Some(Letter::Constant) => {
                    Some(literal::integer(in_item(&operand.value)?.trim()).map(|value| value.to_string()))
                }
                _ => None,
            });
            if let Some(of) = letter.and_then(Letter::register) {
                let _ = write!(writer.text, ".reg .{of} %{at}; ");
            }
        }
        let base = writer.text.len() as u32;
        let code = if line.is_some() { flat(&template.text) } else { template.text.clone() };
        let mut registers = template.registers.iter().peekable();
        let mut at = 0_u32;
        let mut last_place = template.place(&(0..1)).start;
        for char in code.chars() {
            let length = char.len_utf8() as u32;
            if line.is_some() {
                let place = template.place(&(at..at + 1)).start;
                writer.lines_due += in_item(&(last_place..place))?.matches('\n').count();
                last_place = place;
            }
            registers.next_if(|register| register.range.end <= at);
            let register = registers.peek().filter(|register| register.range.start <= at);
            match register.and_then(|register| {
                Some((register.range.start == at, constants.get(register.operand as usize)?.as_ref()?))
            }) {
                Some((true, _)) if line.is_some() => {
                    let number = register.map_or(0, |register| register.operand);
                    writer.push(&(SHOWN + number).to_string(), at);
                }
                Some((true, Some(value))) => writer.push(value, at),
                Some((true, None)) => {
                    writer.push(ANY, at);
                    let end = writer.text.len() as u32;
                    writer.unknown.push(end - ANY.len() as u32..end);
                }
                Some((false, _)) => {}
                None => writer.push(char.encode_utf8(&mut [0; 4]), at),
            }
            at += length;
        }
        writer.text.push_str("\n}\n");
        let Writer { text, bytes, unknown, .. } = writer;
        Some(Self { text, base, bytes, unknown })
    }

    /// The module that contains the code, without a `.version` and a `.target`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the placeholder numbers in a message about shown code with the operands that they represent.
    pub fn shown(said: &str, block: &Block) -> String {
        let numbers = 0..block.operands.len() as u32;
        numbers.fold(said.to_owned(), |said, number| {
            said.replace(&(SHOWN + number).to_string(), &format!("%{number}"))
        })
    }

    /// The byte offset in the module that corresponds to a byte offset in the template; `None` for an offset before
    /// the code.
    pub fn byte_at(&self, template: u32) -> Option<u32> {
        let at = self.bytes.iter().rposition(|byte| *byte <= template)?;
        Some(self.base + at as u32)
    }

    /// The byte range in the template that corresponds to a byte range in the module.
    pub fn place(&self, range: &Range<u32>) -> Range<u32> {
        let end = self.bytes.last().map_or(0, |last| last + 1);
        let byte = |at: u32| {
            let own = at.checked_sub(self.base).map(|at| at as usize);
            own.map_or(0, |own| self.bytes.get(own).copied().unwrap_or(end))
        };
        // The last byte in the range, and the byte after the range.
        let last = range.end.checked_sub(1).map_or(0, byte);
        byte(range.start)..(last + 1).min(end).max(byte(range.end).min(last + 1))
    }

    /// Returns the errors that ptxas would report, with byte ranges in the template. If `target` is `None`, no
    /// instruction is reported as too new.
    pub fn findings(&self, tables: &Ptx, target: Option<Target>) -> Vec<Finding> {
        let module = Module::parse(&self.text);
        let mut items = module.items().iter().enumerate().filter(|(_, item)| item.function().is_some());
        let Some((index, item)) = items.next() else { return Vec::new() };
        let mut found: Vec<Finding> = item
            .errors()
            .iter()
            .map(|error| Finding {
                severity: Some(Severity::Error),
                ..Finding::new(SYNTAX_ERROR, error.range.clone(), error.message.to_owned())
            })
            .collect();
        let names = Names::resolve(item);
        let globals = Globals::default();
        let version = tables.forms().iter().map(|form| form.need.ptx).max();
        let heading = Heading {
            version: version.filter(|_| target.is_some()),
            target,
            address_bits: Some(64),
            ..Heading::default()
        };
        let context = Context { tables, globals: &globals, item: index, module: heading };
        let problems = assembler::check(item, &names, &context);
        let is_reported = |problem: &Finding| {
            // The assembler accepts all other code, with or without a warning.
            problem.severity == Some(Severity::Error)
                && is_certain_name(item, &names, problem, tables)
                && !self.is_of_unknown(item, problem)
        };
        found.extend(problems.into_iter().filter(is_reported));
        for finding in &mut found {
            // A name may be the substituted text of an operand.
            let is_word = matches!(finding.code, "unknown-opcode" | "unknown-modifier");
            let in_template = self.place(&finding.place);
            let is_in_one_piece = in_template.len() == finding.place.len();
            if is_word && is_in_one_piece {
                let edits = finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits);
                edits.for_each(|edit| edit.place = self.place(&edit.place));
            } else {
                finding.fixes.clear();
            }
            finding.place = in_template;
            finding.related.retain(|Related { place, .. }| place.start >= self.base);
            for related in &mut finding.related {
                related.place = self.place(&related.place);
            }
        }
        found
    }

    /// True if a finding depends on a constant whose value is unknown.
    fn is_of_unknown(&self, item: &Arc<Item>, problem: &Finding) -> bool {
        if !matches!(
            problem.code,
            "operand-value" | "operand-kind" | "operand-type" | "operand-count" | "wrong-space"
        ) {
            return false;
        }
        let Some(statement) = item.statement_at(problem.place.start) else { return false };
        let range = item.range(&item.statements()[statement]);
        self.unknown.iter().any(|unknown| range.contains(&unknown.start))
    }
}

/// False for a name that the surrounding C++ code or the compiler may have declared: a variable in memory, a
/// function, or a register created by the compiler.
fn is_certain_name(item: &Arc<Item>, names: &Names, problem: &Finding, tables: &Ptx) -> bool {
    if problem.code != "undeclared-name" {
        return true;
    }
    let at = item.tokens().partition_point(|token| token.start < problem.place.start);
    let Some(used) = names.use_at(at as u32) else { return false };
    let Some(token) = item.tokens().get(at) else { return false };
    let name = item.token_text(token);
    // Another rule reports a `%0` without an operand. `%r1` may be declared.
    if name.starts_with('%') && name.ends_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    match used.kind {
        UseKind::Write | UseKind::ReadWrite | UseKind::Read => true,
        UseKind::Address => is_register(item, used, tables),
        UseKind::Call | UseKind::Jump | UseKind::List | UseKind::Mention => false,
    }
}

/// True if the operand can only be a register: it is not in brackets, and its value cannot be an address.
fn is_register(item: &Arc<Item>, used: &Use, tables: &Ptx) -> bool {
    let Some(token) = item.tokens().get(used.token as usize) else { return false };
    let Some(at) = item.statement_at(token.start) else { return false };
    let statement = &item.statements()[at];
    let StatementKind::Instruction { opcode, .. } = statement.kind else { return false };
    if used.token < opcode {
        return true;
    }
    if matches!(item.opcode(statement), None | Some("mov" | "cvta" | "call" | "ld" | "st" | "cvt")) {
        return false;
    }
    let Some(Ok(instruction)) = bind(tables, item, statement) else { return false };
    instruction.arguments.iter().any(|argument| {
        let holds = argument.operand.tokens().iter().any(|own| own.start == token.start);
        let is_plain = argument.operand.tokens().len() == 1;
        holds && is_plain && argument.role.is_some_and(|role| matches!(role.kind, Role::Value { .. }))
    })
}

/// The module's text while it is written.
#[derive(Default)]
struct Writer {
    text: String,
    bytes: Vec<u32>,
    unknown: Vec<Range<u32>>,
    /// Number of line ends to write before the next token.
    lines_due: usize,
}

impl Writer {
    /// Appends a piece of code. All its bytes map to byte `at` of the template.
    fn push(&mut self, piece: &str, at: u32) {
        if self.lines_due > 0 && self.text.ends_with([' ', '\t', ';', '{', '}', ',']) {
            self.text.extend(std::iter::repeat_n('\n', self.lines_due));
            self.bytes.extend(std::iter::repeat_n(at, self.lines_due));
            self.lines_due = 0;
        }
        self.text.push_str(piece);
        self.bytes.extend(std::iter::repeat_n(at, piece.len()));
    }
}

/// The code on a single line of the same length, with blanks for line ends and comments.
fn flat(code: &str) -> String {
    let mut text = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(char) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            text.push(if matches!(char, '\n' | '\r') { ' ' } else { char });
            rest = &rest[char.len_utf8()..];
            continue;
        };
        text.extend(std::iter::repeat_n(' ', length));
        rest = &rest[length..];
    }
    text
}
