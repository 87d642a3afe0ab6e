//! The items for a site. Nothing here needs a kernel's model: long kernels answer at once, right behind a keystroke.

use super::site::{Context, OperandSite, Site};
use super::{Completion, CompletionKind, controls};
use crate::Analysis;
use machine::{Arch, Isa, RoleKind, docs};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, Dialect, LineKind, Token, TokenKind};

/// Instructions around the cursor whose opcodes come first.
const NEIGHBOURS: usize = 500;

/// Registers that an instruction can name: its fields for them have eight bits.
const REGISTERS: usize = 256;

pub(super) fn of(analysis: &Analysis, site: &Site) -> Vec<Completion> {
    let chunk = &analysis.listing().chunks()[site.chunk];
    let arch = analysis.context.machine.gpu_for_sm(analysis.target(chunk).isa_sm).arch;
    let scope = Scope { analysis, chunk, dialect: analysis.listing().dialect(), arch, at: site };
    match &site.context {
        Context::Instruction { control } => scope.instruction(*control),
        Context::Control => controls::templates(scope.dialect, &scope.arch),
        Context::Modifier { opcode, taken } => scope.modifiers(opcode, taken),
        Context::Guard => scope.registers(&[TokenKind::Predicate, TokenKind::UniformPredicate]),
        Context::Operand(operand) => scope.operand(operand),
        Context::RegisterSuffix { in_brackets } => scope.suffixes(*in_brackets),
        Context::Label => scope.labels(""),
    }
}

/// What items are chosen from.
struct Scope<'a> {
    analysis: &'a Analysis,
    chunk: &'a Arc<Chunk>,
    dialect: Option<Dialect>,
    /// Of the text.
    arch: Arc<Arch>,
    at: &'a Site,
}

impl Scope<'_> {
    fn isa(&self) -> &Isa {
        &self.arch.isa
    }

    /// Opcodes, those used nearby first; before them control codes, where the line has none.
    fn instruction(&self, control: bool) -> Vec<Completion> {
        let near = self.neighbours();
        let mut opcodes: Vec<&str> = self.isa().mnemonics().collect();
        opcodes.sort_unstable_by_key(|opcode| (!near.contains(opcode), *opcode));
        let opcodes = opcodes.into_iter().map(|opcode| Completion {
            label: opcode.to_owned(),
            kind: CompletionKind::Opcode,
            detail: summary(self.isa(), opcode).to_owned(),
            snippet: None,
        });
        let controls = if control { controls::templates(self.dialect, &self.arch) } else { Vec::new() };
        controls.into_iter().chain(opcodes).collect()
    }

    fn neighbours(&self) -> FxHashSet<&str> {
        let start = self.analysis.start(self.at.chunk);
        let here = u32::try_from(self.at.word.start - start).unwrap_or(u32::MAX);
        let line = self.chunk.line_at(here).unwrap_or(0);
        let instructions = self.chunk.instructions();
        let middle = instructions.partition_point(|inst| (inst.line as usize) < line);
        let from = middle.saturating_sub(NEIGHBOURS);
        let to = instructions.len().min(middle + NEIGHBOURS);
        instructions[from..to]
            .iter()
            .filter(|inst| inst.line as usize != line)
            .map(|inst| self.chunk.mnemonic(inst))
            .collect()
    }

    /// The modifiers that the opcode knows on this architecture, in the order of its page.
    fn modifiers(&self, opcode: &str, taken: &[String]) -> Vec<Completion> {
        if !self.isa().has_mnemonic(opcode) {
            return Vec::new();
        }
        let page = docs::opcode(opcode);
        let mut others: Vec<&str> = self.isa().modifiers_of(opcode).collect();
        others.sort_unstable();
        let named =
            page.into_iter().flat_map(docs::Page::modifiers).map(|(name, meaning)| (name, Some(meaning)));
        let all = named.chain(others.iter().map(|&name| (name, None)));
        let mut seen: FxHashSet<&str> = taken.iter().map(String::as_str).collect();
        let fits = |name: &str| page.is_none_or(|page| page.has_modifier_on(name, self.arch.sm));
        all.filter(|(name, _)| fits(name) && seen.insert(name))
            .map(|(name, meaning)| Completion {
                label: name.to_owned(),
                kind: CompletionKind::Modifier,
                detail: meaning.or_else(|| self.isa().modifier(opcode, name)).unwrap_or_default().to_owned(),
                snippet: None,
            })
            .collect()
    }

    fn operand(&self, site: &OperandSite) -> Vec<Completion> {
        use TokenKind::{Predicate, Register, UniformPredicate, UniformRegister};
        if site.index > 0 && self.reads_special_register(&site.opcode) {
            return self.special_registers();
        }
        let in_brackets = site.operands().last().is_some_and(|tokens| is_open(tokens));
        match self.role(site) {
            Some(RoleKind::Target) => {
                let (opens, closes) = if self.names_labels_bare() { ("", "") } else { ("`(", ")") };
                let mut items = self.labels(opens);
                for item in &mut items {
                    item.label.push_str(closes);
                }
                items
            }
            Some(RoleKind::WritePredicate | RoleKind::ReadPredicate) if !in_brackets => {
                self.registers(&[Predicate, UniformPredicate])
            }
            _ if in_brackets => self.names().chain(self.registers(&[Register, UniformRegister])).collect(),
            _ => {
                let registers = self.registers(&[Register, UniformRegister, Predicate, UniformPredicate]);
                self.names().chain(registers).collect()
            }
        }
    }

    fn reads_special_register(&self, opcode: &str) -> bool {
        let form = self.isa().find(opcode, std::iter::empty());
        form.is_some_and(|form| {
            let class = &self.arch.class(self.isa().form(form).class).name;
            matches!(class.as_str(), "s2r" | "cs2r")
        })
    }

    /// What the opcode does with the operand, judged by those before it and by what has been written of it.
    fn role(&self, site: &OperandSite) -> Option<RoleKind> {
        let modifiers = site.modifiers.iter().map(String::as_str);
        let form = self.isa().form(self.isa().find(&site.opcode, modifiers)?);
        Some(form.operands[site.role(&form.operands)?].kind)
    }

    /// True where branches name labels without a backtick.
    fn names_labels_bare(&self) -> bool {
        matches!(self.dialect, Some(Dialect::Maxas | Dialect::KeplerAs | Dialect::TuringAs))
    }

    fn special_registers(&self) -> Vec<Completion> {
        let mut all: Vec<(&str, &str)> = self.isa().special_registers().collect();
        all.sort_unstable();
        let item = |(name, meaning): (&str, &str)| Completion {
            label: name.to_owned(),
            kind: CompletionKind::SpecialRegister,
            detail: meaning.to_owned(),
            snippet: None,
        };
        all.into_iter().map(item).collect()
    }

    /// The labels of the kernel, each behind `opens`, in text order.
    fn labels(&self, opens: &str) -> Vec<Completion> {
        label_names(self.chunk)
            .map(|name| Completion {
                label: format!("{opens}{name}"),
                kind: CompletionKind::Label,
                detail: String::new(),
                snippet: None,
            })
            .collect()
    }

    /// The registers of these kinds that the kernel names, and those that hold nothing; kind by kind, ascending.
    fn registers(&self, kinds: &[TokenKind]) -> Vec<Completion> {
        // A long kernel names a few registers many times over.
        let mut named = vec![[false; REGISTERS]; kinds.len()];
        for_each_token(self.chunk, self.analysis.start(self.at.chunk), &self.at.word, |token, _| {
            if let Some(kind) = kinds.iter().position(|&kind| kind == token.kind)
                && let Some(seen) = named[kind].get_mut(token.value as usize)
            {
                *seen = true;
            }
        });
        let listed = named.iter().enumerate();
        let mut listed: Vec<(usize, u32)> = listed
            .flat_map(|(kind, seen)| {
                (0..).zip(seen).filter(|(_, seen)| **seen).map(move |(value, _)| (kind, value))
            })
            .collect();
        let has_uniform = self.isa().has_mnemonic("R2UR");
        for (at, kind) in kinds.iter().enumerate() {
            if has_uniform || matches!(kind, TokenKind::Register | TokenKind::Predicate) {
                listed.push((at, Token::ZERO_REGISTER));
            }
        }
        listed.sort_unstable();
        let item = |(kind, value): (usize, u32)| Completion {
            label: register_name(kinds[kind], value),
            kind: CompletionKind::Register,
            detail: String::new(),
            snippet: None,
        };
        listed.into_iter().map(item).collect()
    }

    /// The names that the assembler maps to registers and constants, in the order of the text.
    fn names(&self) -> impl Iterator<Item = Completion> + use<> {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut found = Vec::new();
        if self.names_labels_bare() {
            // A branch's label looks like a name.
            for chunk in self.analysis.listing().chunks() {
                seen.extend(label_names(chunk));
            }
            for (index, chunk) in self.analysis.listing().chunks().iter().enumerate() {
                for_each_token(chunk, self.analysis.start(index), &self.at.word, |token, place| {
                    let name = token.text(place.text);
                    if token.kind == TokenKind::Name
                        && is_name(name, token, place.behind.first())
                        && seen.insert(name)
                    {
                        found.push(Completion {
                            label: name.to_owned(),
                            kind: CompletionKind::Name,
                            detail: String::new(),
                            snippet: None,
                        });
                    }
                });
            }
        }
        found.into_iter()
    }

    /// What may follow a register: `.reuse`, and in an address how wide it is.
    fn suffixes(&self, in_brackets: bool) -> Vec<Completion> {
        let names: &[&str] = if in_brackets { &["64", "U32", "X4", "X8", "X16"] } else { &["reuse"] };
        let known = names.iter().filter_map(|name| Some((name, self.isa().modifier("", name)?)));
        let item = |(name, meaning): (&&str, &str)| Completion {
            label: (*name).to_owned(),
            kind: CompletionKind::Modifier,
            detail: meaning.to_owned(),
            snippet: None,
        };
        known.map(item).collect()
    }
}

/// The names of labels that lines define, sections left aside, in text order.
fn label_names(chunk: &Chunk) -> impl Iterator<Item = &str> {
    let lines = (0..chunk.lines().len()).filter(|&line| chunk.lines()[line].kind == LineKind::Label);
    let names = lines.filter_map(|line| Some(chunk.line_tokens(line).first()?.text(chunk.line_text(line))));
    names.filter(|name| !name.starts_with(".text."))
}

/// A token's line.
struct Place<'a> {
    text: &'a str,
    /// The tokens behind it.
    behind: &'a [Token],
}

/// Gives every token of a chunk but the word that is being written.
fn for_each_token<'a>(
    chunk: &'a Chunk,
    start: usize,
    word: &Range<usize>,
    mut give: impl FnMut(&Token, &Place<'a>),
) {
    for (number, line) in chunk.lines().iter().enumerate() {
        if !matches!(line.kind, LineKind::Instruction | LineKind::Mapping) {
            continue;
        }
        let line_start = start + line.start as usize;
        let tokens = chunk.line_tokens(number);
        let text = chunk.line_text(number);
        for (at, token) in tokens.iter().enumerate() {
            if line_start + token.start as usize != word.start {
                give(token, &Place { text, behind: &tokens[at + 1..] });
            }
        }
    }
}

/// False for what a pattern (`x<0-3>`) begins with, a constant bank and a number.
fn is_name(name: &str, token: &Token, next: Option<&Token>) -> bool {
    let followed = |byte: u8| {
        next.is_some_and(|next| {
            next.kind == TokenKind::Punct
                && next.value == u32::from(byte)
                && next.start as usize == token.end()
        })
    };
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && !followed(b'<')
        && !(name == "c" && followed(b'['))
}

fn is_open(tokens: &[Token]) -> bool {
    let count = |byte: u8| {
        tokens.iter().filter(|token| token.kind == TokenKind::Punct && token.value == u32::from(byte)).count()
    };
    count(b'[') > count(b']')
}

fn register_name(kind: TokenKind, value: u32) -> String {
    let (prefix, zero) = match kind {
        TokenKind::UniformRegister => ("UR", "URZ"),
        TokenKind::Predicate => ("P", "PT"),
        TokenKind::UniformPredicate => ("UP", "UPT"),
        _ => ("R", "RZ"),
    };
    if value == Token::ZERO_REGISTER { zero.to_owned() } else { format!("{prefix}{value}") }
}

/// What an opcode does, in a sentence.
pub(super) fn summary<'a>(isa: &'a Isa, opcode: &str) -> &'a str {
    let plain = isa.find(opcode, std::iter::empty());
    plain
        .map(|id| &*isa.form(id).summary)
        .or_else(|| docs::opcode(opcode).map(docs::Page::summary))
        .unwrap_or_default()
}
