//! Completion of operands by their role. The role comes from the instruction forms that match the
//! modifiers.

use super::items::Scope;
use super::registers::RegisterNeed;
use super::site::{OperandSite, Spelled};
use crate::{Completion, CompletionKind};
use machine::ptx::{Access, Form, FormBinding, Operand, OperandKind, Presence, Ptx, TypeClass, TypeSource};
use model::ptx::SymbolKind;
use rustc_hash::FxHashSet;
use syntax::ptx::StatementKind;

/// Instruction forms that match the opcode and the modifiers.
pub(in crate::ptx) fn forms<'t>(table: &'t Ptx, spelled: &Spelled) -> Vec<(&'t Form, FormBinding<'t>)> {
    let modifiers: Vec<&str> = spelled.modifiers.iter().map(String::as_str).collect();
    table.find(&spelled.opcode, &modifiers).and_then(Result::ok).unwrap_or_default()
}

/// Operands of a form that are present with the given modifiers.
pub(in crate::ptx) fn present<'t>(form: &'t Form, bound: &FormBinding<'_>) -> Vec<&'t Operand> {
    let is_there = |operand: &&Operand| match &operand.presence {
        Presence::With(words) => words.iter().any(|word| bound.has(word)),
        Presence::Always | Presence::Optional => true,
    };
    form.operands.iter().filter(is_there).collect()
}

/// Indices of the form's operands that may be at the cursor. Earlier optional operands may be missing.
pub(in crate::ptx) fn possible(operands: &[&Operand], site: &OperandSite) -> Vec<usize> {
    // A leading list contains the results of a call. Without such a list, the call has no results.
    let lists_results =
        |operand: &Operand| operand.kind == OperandKind::Arguments && operand.access == Access::Write;
    if let [first, ..] = operands
        && lists_results(first)
        && (site.index > 0 || site.bracket.is_none())
    {
        let at = if site.begins_with_list { site.index } else { site.index + 1 };
        return if at < operands.len() { vec![at] } else { Vec::new() };
    }
    let is_optional = |at: &usize| operands[*at].presence == Presence::Optional;
    let mut found = Vec::new();
    for at in 0..operands.len() {
        let optional = (0..at).filter(is_optional).count();
        if (at - optional..=at).contains(&site.index) {
            found.push(at);
        }
    }
    found
}

impl Scope<'_, '_> {
    pub(super) fn operand(&self, site: &OperandSite) -> Vec<Completion> {
        let forms = forms(&self.view.table, &site.spelled);
        let mut roles: Vec<(&Operand, &FormBinding<'_>)> = Vec::new();
        for (form, bound) in &forms {
            let operands = present(form, bound);
            for at in possible(&operands, site) {
                roles.push((operands[at], bound));
            }
        }
        let has = |is: fn(&OperandKind) -> bool| roles.iter().any(|(role, _)| is(&role.kind));
        let mut items = Vec::new();
        if site.bracket == Some(b'[') {
            return self.address(site);
        }
        if has(|kind| matches!(kind, OperandKind::Label)) {
            items.extend(self.labels(false));
        }
        if has(|kind| matches!(kind, OperandKind::Targets)) {
            items.extend(self.labels(true));
        }
        if has(|kind| matches!(kind, OperandKind::Function)) {
            items.extend(self.functions());
        }
        if has(|kind| matches!(kind, OperandKind::Arguments)) && site.bracket == Some(b'(') {
            items.extend(self.variables(|space| space == "param"));
            items.extend(self.registers(&RegisterNeed { ty: None, may_be_wider: true, is_written: false }));
        }
        let value = roles.iter().find_map(|(role, bound)| match &role.kind {
            OperandKind::Value { of, may_be_wider, .. } => Some((role, *bound, of, *may_be_wider)),
            _ => None,
        });
        if let Some((role, bound, of, may_be_wider)) = value {
            let ty = type_word(of, bound);
            let is_written = role.access == Access::Write;
            items.extend(self.registers(&RegisterNeed { ty, may_be_wider, is_written }));
            if !is_written {
                items.extend(self.special_registers());
                // The address of a variable is also a value.
                if ty.is_some_and(|ty| self.holds_address(ty)) {
                    items.extend(self.variables(|space| space != "reg"));
                    items.extend(self.globals(|_| true));
                }
            }
        } else if roles.is_empty() && site.bracket != Some(b'[') {
            items.extend(self.registers(&RegisterNeed {
                ty: None,
                may_be_wider: true,
                is_written: site.index == 0,
            }));
            items.extend(self.special_registers());
        }
        items
    }

    /// True for a type that can hold an address.
    fn holds_address(&self, ty: &str) -> bool {
        let known = self.view.table.type_of(ty);
        known.is_some_and(|ty| matches!(ty.bits, 32 | 64) && (ty.is_integer() || ty.class == TypeClass::Bits))
    }

    /// Proposals for a guard: predicate registers.
    pub(super) fn guards(&self) -> Vec<Completion> {
        let wanted = RegisterNeed { ty: Some("pred"), may_be_wider: false, is_written: false };
        let visible: FxHashSet<String> = self
            .visible()
            .iter()
            .filter(|one| one.is_register() && one.ty == "pred")
            .map(|one| one.name.to_owned())
            .collect();
        let is_predicate = |name: &str| {
            visible.contains(name)
                || visible.contains(name.trim_end_matches(|letter: char| letter.is_ascii_digit()))
        };
        self.registers(&wanted).into_iter().filter(|item| is_predicate(&item.label)).collect()
    }

    /// Proposals for the base of an address: variables of the state space, and registers of sufficient
    /// width.
    fn address(&self, site: &OperandSite) -> Vec<Completion> {
        let space = site.spelled.modifiers.iter().find_map(|word| {
            let stem = word.split(':').next().unwrap_or(word);
            matches!(stem, "global" | "shared" | "local" | "const" | "param").then_some(stem)
        });
        let is_meant = |have: &str| match space {
            Some(space) => have == space,
            None => have != "reg",
        };
        let registers = || {
            let ty = Some(if matches!(space, Some("shared" | "local")) { "b32" } else { "b64" });
            self.registers(&RegisterNeed { ty, may_be_wider: true, is_written: false })
        };
        let mut items = Vec::new();
        if space.is_none() {
            items.extend(registers());
        }
        items.extend(self.variables(is_meant));
        items.extend(self.globals(is_meant));
        if space.is_some() {
            items.extend(registers());
        }
        items
    }

    /// Parameters and variables of the function whose state space satisfies `is_meant`, innermost scope
    /// first.
    fn variables(&self, is_meant: impl Fn(&str) -> bool) -> Vec<Completion> {
        let visible = self.visible();
        let meant = visible.iter().rev().filter(|one| !one.is_register() && is_meant(one.space));
        meant
            .map(|one| {
                Completion::new(one.name, CompletionKind::Variable, &format!(".{} .{}", one.space, one.ty))
            })
            .collect()
    }

    /// Module variables whose state space satisfies `is_meant`, in text order.
    fn globals(&self, is_meant: impl Fn(&str) -> bool) -> Vec<Completion> {
        let mut items = Vec::new();
        for global in self.view.globals().all() {
            let Some(space) = global.variable.as_ref().and_then(|variable| variable.space) else { continue };
            if is_meant(space.word()) {
                let ty = global.ty.as_deref().unwrap_or_default();
                items.push(Completion::new(
                    &global.name,
                    CompletionKind::Variable,
                    &format!(".{} .{ty}", space.word()),
                ));
            }
        }
        items
    }

    /// Branch labels of the function. If `lists` is true: labels of the function's lists of branch and
    /// call targets.
    fn labels(&self, lists: bool) -> Vec<Completion> {
        let own = self.site.place.item;
        let statements = own.statements();
        let mut items = Vec::new();
        for (at, statement) in statements.iter().enumerate() {
            if statement.kind != StatementKind::Label {
                continue;
            }
            let next = statements.get(at + 1).and_then(|next| own.directive(next));
            let is_list = matches!(next, Some(".branchtargets" | ".calltargets" | ".callprototype"));
            if let (true, Some(name)) = (is_list == lists, own.label(statement)) {
                items.push(Completion::new(
                    name,
                    CompletionKind::Label,
                    if lists { next.unwrap_or_default() } else { "" },
                ));
            }
        }
        items
    }

    /// Callable functions without duplicates, in text order.
    fn functions(&self) -> Vec<Completion> {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let functions = self.view.globals().all().iter().filter(|global| {
            let is_callable = global.function.as_ref().is_some_and(|function| !function.is_entry);
            global.kind == SymbolKind::Function && is_callable && seen.insert(&global.name)
        });
        functions
            .map(|global| {
                let detail = crate::engine::names::demangle(&global.name).unwrap_or_default();
                Completion::new(&global.name, CompletionKind::Function, &detail)
            })
            .collect()
    }

    fn special_registers(&self) -> Vec<Completion> {
        let module = self.view.written_for();
        let exists =
            module.map(|(version, target)| move |need: &machine::ptx::Need| need.is_met(version, target));
        let all = self.view.table.special_registers();
        let mut all: Vec<_> =
            all.filter(|register| exists.as_ref().is_none_or(|exists| exists(&register.need))).collect();
        all.sort_unstable_by_key(|register| &register.name);
        all.into_iter()
            .map(|register| {
                Completion::explained(&register.name, CompletionKind::SpecialRegister, &register.meaning)
            })
            .collect()
    }
}

/// Type of an operand, as its form or a modifier states it; `None` if the type depends on other operands, or if the
/// modifier is missing.
fn type_word<'b>(of: &'b TypeSource, bound: &FormBinding<'b>) -> Option<&'b str> {
    match of {
        TypeSource::Slot(slot) => bound.word(slot),
        TypeSource::Fixed(word) => Some(word),
        TypeSource::Part => None,
    }
}
