//! Completion items that are words of PTX: opcodes, modifiers, types, directives and targets.

use super::pages;
use super::site::{Site, Spelled};
use crate::ptx::view::View;
use crate::{Completion, CompletionKind};
use rustc_hash::FxHashSet;
use syntax::ptx::TokenKind;

/// The document and the cursor for which items are proposed.
pub(super) struct Scope<'v, 'a> {
    pub view: &'v View<'a>,
    pub site: &'v Site<'a>,
}

/// Number of tokens before and after the cursor in which used opcodes are collected.
const NEAR: usize = 4000; // limit: a few screens of text around the cursor

/// Snippet with the first directives of a module.
const MODULE: &str = ".version ${1:8.0}\n.target ${2:sm_90}\n.address_size 64\n\n$0";
/// Snippet of a kernel.
const KERNEL: &str =
    ".visible .entry ${1:kernel}(\n\t.param .u64 ${2:${1:kernel}_param_0}\n)\n{\n\t$0\n\tret;\n}";
/// Snippet of a device function.
const FUNCTION: &str =
    ".func (.param .b32 ${1:result}) ${2:function}(\n\t.param .b32 ${3:x}\n)\n{\n\t$0\n\tret;\n}";

impl Scope<'_, '_> {
    /// Opcodes supported by the module's version and target. Opcodes used near the cursor come first.
    pub(super) fn instructions(&self) -> Vec<Completion> {
        let table = &self.view.table;
        let near = self.near();
        let module = self.view.written_for();
        let exists = |opcode: &&str| {
            let forms = table.instruction(opcode);
            module.is_none_or(|(version, target)| forms.iter().any(|form| form.exists_on(version, target)))
        };
        let mut opcodes: Vec<&str> = table.opcodes().filter(exists).collect();
        opcodes.sort_unstable_by_key(|opcode| (!near.contains(opcode), *opcode));
        let summary = |opcode: &str| pages::of_opcode(table, opcode).next().map_or("", |page| page.summary());
        opcodes
            .into_iter()
            .map(|opcode| Completion::explained(opcode, CompletionKind::Opcode, summary(opcode)))
            .collect()
    }

    fn near(&self) -> FxHashSet<&str> {
        let item = self.site.place.item;
        let at = item.tokens().partition_point(|token| token.start < self.site.word.start);
        let around = &item.tokens()[at.saturating_sub(NEAR)..item.tokens().len().min(at + NEAR)];
        let opcodes = around
            .iter()
            .filter(|token| token.kind == TokenKind::Opcode && token.start != self.site.word.start);
        opcodes.map(|token| item.token_text(token)).collect()
    }

    /// Types and other words of a declaration, without dots.
    pub(super) fn declaration(&self, space: &str, place: &str) -> Vec<Completion> {
        let sort = match space.split([':', '[']).next().unwrap_or(space) {
            "reg" => "reg",
            "param" => "param",
            _ => "memory",
        };
        let table = &self.view.table;
        let may_be = |ty: &machine::ptx::Type| ty.may_be(sort) || sort == "memory" && ty.may_be(space);
        let mut types: Vec<&str> = table.types().filter(|(_, ty)| may_be(ty)).map(|(name, _)| name).collect();
        types.sort_unstable_by_key(|name| table.type_of(name).map(|ty| (ty.class as u8, ty.bits)));
        let mut items: Vec<Completion> = types
            .into_iter()
            .map(|name| {
                let meaning = table.modifier("", name).unwrap_or_default();
                Completion::explained(name, CompletionKind::Type, meaning)
            })
            .collect();
        for mut directive in directives(self.view, place) {
            directive.label.remove(0);
            if items.iter().all(|have| have.label != directive.label) && directive.label != space {
                items.push(directive);
            }
        }
        items
    }

    /// Targets that the module's PTX version supports, newest first.
    pub(super) fn targets(&self) -> Vec<Completion> {
        let version = self.view.version();
        let known =
            self.view.table.targets().filter(|(_, since)| version.is_none_or(|version| version >= *since));
        let mut items: Vec<Completion> = known
            .map(|(target, since)| {
                Completion::new(&target.to_string(), CompletionKind::Name, &format!("Since PTX {since}."))
            })
            .collect();
        items.reverse();
        items
    }

    /// Modifiers that can follow the modifiers written so far and that the module's version and target support.
    pub(super) fn modifiers(&self, spelled: &Spelled) -> Vec<Completion> {
        let table = &self.view.table;
        let taken: Vec<&str> = spelled.modifiers.iter().map(String::as_str).collect();
        let words = table.possible_next(&spelled.opcode, &taken, self.view.written_for());
        let name = [spelled.opcode.as_str()].into_iter().chain(taken).collect::<Vec<_>>().join(".");
        let meaning = |word: &str| pages::of_modifier(table, &name, word).unwrap_or_default();
        words
            .into_iter()
            .map(|word| Completion::explained(word, CompletionKind::Modifier, meaning(word)))
            .collect()
    }

    /// Components of a special register or vector register, to be inserted after the dot.
    pub(super) fn selectors(&self, name: &str) -> Vec<Completion> {
        const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
        const MEANINGS: [&str; 4] = [
            "The first component.",
            "The second component.",
            "The third component.",
            "The fourth component.",
        ];
        let count = match self.view.table.special_register(name) {
            Some(register) => register.components.len(),
            None => self.visible().into_iter().find(|one| one.name == name).map_or(0, |one| one.vector),
        };
        let all = COMPONENTS.iter().zip(MEANINGS).take(count);
        all.map(|(name, meaning)| Completion::new(name, CompletionKind::Modifier, meaning)).collect()
    }
}

/// Items at module level: snippets, and directives with their dots.
pub(super) fn of_module(view: &View<'_>) -> Vec<Completion> {
    let skeleton = |label: &str, detail: &str, text: &str| Completion {
        snippet: Some(text.to_owned()),
        ..Completion::explained(label, CompletionKind::Snippet, detail)
    };
    let mut items = Vec::new();
    if view.module.version().is_none() {
        items.push(skeleton("module", "Version, target and address size.", MODULE));
    }
    items.push(skeleton("entry", "A kernel with one parameter.", KERNEL));
    items.push(skeleton("func", "A function with a result and a parameter.", FUNCTION));
    items.extend(directives(view, "module"));
    items
}

/// Directives, including dots, that are allowed at one of the positions named in `directives.csv`.
pub(super) fn directives(view: &View<'_>, place: &str) -> Vec<Completion> {
    let module = view.written_for();
    let all = view.table.directives().filter(|directive| {
        let may = module.is_none_or(|(version, target)| directive.need.is_met(version, target));
        may && directive.places.iter().any(|have| **have == *place)
    });
    let mut all: Vec<_> = all.collect();
    all.sort_unstable_by_key(|directive| &directive.name);
    all.into_iter()
        .map(|one| Completion::explained(&one.name, CompletionKind::Directive, &one.meaning))
        .collect()
}
