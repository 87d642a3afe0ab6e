//! Completion items for a site. They need no kernel model, so completion in a long kernel is fast.

use super::register_states::RegisterStates;
use super::registers::{RegisterNeed, by_value};
use super::scope::Scope;
use super::site::{OperandSite, Site, SiteKind};
use super::{controls, skeletons};
use crate::engine::sass_view::SassView;
use crate::sass::modifiers;
use crate::words::cycle_words::in_cycles;
use crate::{Completion, CompletionKind};
use machine::{Isa, Latency, RoleKind, docs};
use model::RegisterFile;
use rustc_hash::FxHashSet;
use syntax::sass::{Chunk, Dialect, LineKind, Token, TokenKind};

/// Number of instructions on each side of the cursor in which used opcodes are collected.
const NEIGHBOURS: usize = 500; // limit: completion must not wait

pub(super) fn proposals(sass: &SassView, site: &Site) -> Vec<Completion> {
    let chunk = &sass.listing().chunks()[site.chunk];
    let arch = sass.isa_arch(chunk);
    let scope = Scope { sass, chunk, dialect: sass.listing().dialect(), arch, at: site };
    match &site.context {
        SiteKind::Instruction { control } => scope.instruction(*control),
        SiteKind::Control => controls::templates(scope.dialect, &scope.arch),
        SiteKind::Modifier { opcode, taken } => scope.modifiers(opcode, taken),
        SiteKind::Guard => {
            let wanted = RegisterNeed::read(&[RegisterFile::Predicate, RegisterFile::UniformPredicate]);
            scope.registers(&wanted, &scope.around())
        }
        SiteKind::Operand(operand) => scope.operand(operand),
        SiteKind::RegisterSuffix { opcode, in_brackets } => scope.suffixes(opcode, *in_brackets),
        SiteKind::Label => scope.labels(""),
    }
}

impl Scope<'_> {
    fn isa(&self) -> &Isa {
        &self.arch.isa
    }

    /// Proposes opcodes. Opcodes used near the cursor come first. If the line has no control code yet, kernel templates
    /// and control codes precede the opcodes.
    fn instruction(&self, control: bool) -> Vec<Completion> {
        let near = self.neighbours();
        let mut opcodes: Vec<&str> = self.isa().mnemonics().collect();
        opcodes.sort_unstable_by_key(|opcode| (!near.contains(opcode), *opcode));
        let item = |opcode| Completion::new(opcode, CompletionKind::Opcode, &self.costs(opcode));
        let opcodes = opcodes.into_iter().map(item);
        let starts = if control { skeletons::kernels(self.sass) } else { Vec::new() };
        let controls = if control { controls::templates(self.dialect, &self.arch) } else { Vec::new() };
        starts.into_iter().chain(controls).chain(opcodes).collect()
    }

    /// Formats the class and the latency of an opcode: `alu, 4 cycles`. Empty if they depend on
    /// modifiers.
    fn costs(&self, opcode: &str) -> String {
        let Some(form) = self.isa().find(opcode, std::iter::empty()) else { return String::new() };
        let class = self.arch.class(self.isa().form(form).class);
        let cycles = in_cycles(class.latency.cycles().value.into());
        match class.latency {
            Latency::Fixed(_) => format!("{}, {cycles}", class.name),
            Latency::Variable(_) => format!("{}, ~{cycles}", class.name),
        }
    }

    fn neighbours(&self) -> FxHashSet<&str> {
        let start = self.sass.start(self.at.chunk);
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

    /// Modifiers of the opcode on this architecture, in page order. Modifiers that the present
    /// modifiers exclude are omitted.
    fn modifiers(&self, opcode: &str, taken: &[String]) -> Vec<Completion> {
        if !self.isa().has_mnemonic(opcode) {
            return Vec::new();
        }
        let page = docs::opcode(opcode);
        let mut others: Vec<&str> = self.isa().modifiers_of(opcode).collect();
        others.sort_unstable();
        let named = page.into_iter().flat_map(docs::Page::modifiers).map(|(name, _)| name);
        let all = named.chain(others.iter().copied());
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let taken = taken.iter().map(String::as_str);
        let fits = |name: &str| {
            let exists = page.is_none_or(|page| page.has_modifier_on(name, self.arch.sm));
            exists
                && page.map_or(!taken.clone().any(|taken| taken == name), |page| {
                    page.may_follow(name, taken.clone())
                })
                && taken.clone().all(|taken| taken == name || self.isa().go_together(opcode, taken, name))
        };
        all.filter(|name| fits(name) && seen.insert(name))
            .map(|name| {
                let meaning = modifiers::meaning(self.isa(), opcode, name).unwrap_or_default();
                Completion::explained(name, CompletionKind::Modifier, meaning)
            })
            .collect()
    }

    fn operand(&self, site: &OperandSite) -> Vec<Completion> {
        if site.index > 0 && self.reads_special_register(&site.opcode) {
            return self.special_registers();
        }
        let modifiers = site.modifiers.iter().map(String::as_str);
        let form = self.isa().find(&site.opcode, modifiers).map(|form| self.isa().form(form));
        let role = form.and_then(|form| Some(form.operands[site.role(&form.operands)?].kind));
        match role {
            Some(RoleKind::Target) => {
                let (opens, closes) = if self.names_labels_bare() { ("", "") } else { ("`(", ")") };
                let mut items = self.labels(opens);
                for item in &mut items {
                    item.label.push_str(closes);
                }
                items
            }
            Some(RoleKind::Other) if names_scoreboard(&site.opcode) => scoreboards(),
            _ => {
                let around = self.around();
                let wanted = RegisterNeed::by_role(site, form);
                let takes_names = wanted.files.contains(&RegisterFile::General);
                let mut names = if takes_names { self.names() } else { Vec::new() };
                by_value(&mut names, &around);
                names.into_iter().chain(self.registers(&wanted, &around)).collect()
            }
        }
    }

    fn around(&self) -> RegisterStates {
        RegisterStates::compute(self.sass, self.at, &self.arch)
    }

    fn reads_special_register(&self, opcode: &str) -> bool {
        let form = self.isa().find(opcode, std::iter::empty());
        form.is_some_and(|form| {
            let class = &self.arch.class(self.isa().form(form).class).name;
            matches!(class.as_str(), "s2r" | "s2ur" | "cs2r")
        })
    }

    /// True if branches name labels without a backtick.
    fn names_labels_bare(&self) -> bool {
        matches!(self.dialect, Some(Dialect::Maxas | Dialect::KeplerAs | Dialect::TuringAs))
    }

    fn special_registers(&self) -> Vec<Completion> {
        let mut all: Vec<(&str, &str)> = self.isa().special_registers().collect();
        all.sort_unstable();
        let item = |(name, meaning)| Completion::explained(name, CompletionKind::SpecialRegister, meaning);
        all.into_iter().map(item).collect()
    }

    /// Returns the labels of the kernel in text order, with `opens` as prefix.
    fn labels(&self, opens: &str) -> Vec<Completion> {
        let item = |name| Completion::new(&format!("{opens}{name}"), CompletionKind::Label, "");
        label_names(self.chunk).map(item).collect()
    }

    /// Names that the assembler maps to registers and constants, in text order.
    fn names(&self) -> Vec<Completion> {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut found = Vec::new();
        if self.names_labels_bare() {
            // The label of a branch has the same token kind as a name.
            for chunk in self.sass.listing().chunks() {
                seen.extend(label_names(chunk));
            }
            for (index, chunk) in self.sass.listing().chunks().iter().enumerate() {
                for (line, tokens) in named_lines(chunk) {
                    let (start, text) = (self.sass.line_range(index, line).start, chunk.line_text(line));
                    for (at, token) in tokens.iter().enumerate() {
                        let name = token.text(text);
                        if token.kind == TokenKind::Name
                            && start + token.start as usize != self.at.word.start
                            && is_name(name, token, tokens.get(at + 1))
                            && seen.insert(name)
                        {
                            found.push(Completion::new(name, CompletionKind::Name, ""));
                        }
                    }
                }
            }
        }
        found
    }

    /// Proposes suffixes of a register. In an address these are widths, otherwise `.reuse` and the
    /// source modifiers of the opcode.
    fn suffixes(&self, opcode: &str, in_brackets: bool) -> Vec<Completion> {
        let names: &[&str] = if in_brackets { &["64", "U32", "X4", "X8", "X16"] } else { &["reuse"] };
        let known = names.iter().filter_map(|name| Some((*name, self.isa().modifier("", name)?)));
        let page = docs::opcode(opcode).filter(|_| !in_brackets);
        let of_sources = page.into_iter().flat_map(docs::Page::of_sources);
        let of_sources =
            of_sources.map(|(name, said)| (name, self.isa().modifier(opcode, name).unwrap_or(said)));
        let item =
            |(name, meaning): (&str, &str)| Completion::explained(name, CompletionKind::Modifier, meaning);
        known.map(item).chain(of_sources.map(item)).collect()
    }
}

/// True if the page of an opcode describes a scoreboard operand.
fn names_scoreboard(opcode: &str) -> bool {
    docs::opcode(opcode).is_some_and(|page| {
        page.operands().any(|(names, meaning)| names == "Scoreboard" || meaning.contains("`SBn`"))
    })
}

fn scoreboards() -> Vec<Completion> {
    (0..6).map(|number| Completion::new(&format!("SB{number}"), CompletionKind::Name, "")).collect()
}

/// Labels that a chunk defines, without sections, in text order.
fn label_names(chunk: &Chunk) -> impl Iterator<Item = &str> {
    let lines = (0..chunk.lines().len()).filter(|&line| chunk.lines()[line].kind == LineKind::Label);
    let names = lines.filter_map(|line| Some(chunk.line_tokens(line).first()?.text(chunk.line_text(line))));
    names.filter(|name| !name.starts_with(".text."))
}

/// Lines of a chunk that may contain names of registers and constants, with their tokens.
fn named_lines(chunk: &Chunk) -> impl Iterator<Item = (usize, &[Token])> {
    let lines = chunk.lines().iter().enumerate();
    let is_one = |kind| matches!(kind, LineKind::Instruction | LineKind::Mapping);
    lines.filter(move |(_, line)| is_one(line.kind)).map(|(line, _)| (line, chunk.line_tokens(line)))
}

/// True if a token is an assembler name, and not the start of a pattern (`x<0-3>`), a constant bank or
/// a number.
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

/// Returns a sentence that describes an opcode.
pub(super) fn summary<'a>(isa: &'a Isa, opcode: &str) -> &'a str {
    let plain = isa.find(opcode, std::iter::empty());
    plain
        .map(|id| &*isa.form(id).summary)
        .or_else(|| docs::opcode(opcode).map(docs::Page::summary))
        .unwrap_or_default()
}
