//! Completion of registers, from the declarations above the cursor.

use super::items::Scope;
use crate::{Completion, CompletionKind};
use machine::ptx::{Type, TypeClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use syntax::ptx::{Declarator, Item, StatementKind, Token, TokenKind, Variable, literal};

/// A declared name that is in scope at the cursor.
pub(super) struct VisibleName<'a> {
    pub name: &'a str,
    /// State space without its dot: `reg`, `shared`, `param`.
    pub space: &'a str,
    /// Type without its dot.
    pub ty: &'a str,
    /// Number of elements of a vector; 1 for a scalar.
    pub vector: usize,
    /// Number of registers in a family, such as 10 for `%r<10>`; `None` for a single name.
    pub count: Option<u64>,
}

impl<'a> VisibleName<'a> {
    fn new(item: &'a Item, variable: &Variable<'a>, name: &Declarator<'a>) -> Self {
        let word = |token: Option<&'a Token>| {
            token.map_or("", |token| item.token_text(token).trim_start_matches('.'))
        };
        Self {
            name: item.token_text(name.name),
            space: word(variable.space()).split([':', '[']).next().unwrap_or_default(),
            ty: word(variable.ty()),
            vector: word(variable.vector())
                .strip_prefix('v')
                .and_then(|count| count.parse().ok())
                .unwrap_or(1),
            count: name.count.and_then(|count| literal::integer(item.token_text(count))),
        }
    }

    pub(super) fn is_register(&self) -> bool {
        self.space == "reg"
    }
}

/// Registers that an operand accepts.
pub(super) struct RegisterNeed<'t> {
    /// Required type; `None` if every type is accepted.
    pub ty: Option<&'t str>,
    pub may_be_wider: bool,
    /// True if the operand is written. A register without a value is then proposed first.
    pub is_written: bool,
}

/// Largest number of proposed members of a family such as `%r<10>`.
const MAX_MEMBERS: usize = 48; // limit: a few screens of a menu
/// Number of tokens above the cursor that are searched for members of a family such as `%r<10>`.
const NEAR: usize = 4000; // limit: a few screens of text above the cursor

impl<'a> Scope<'_, 'a> {
    /// Registers, parameters and variables in scope at the cursor, innermost scope last.
    pub(super) fn visible(&self) -> Vec<VisibleName<'a>> {
        let item: &'a Item = self.site.place.item;
        let mut found: Vec<VisibleName<'a>> = Vec::new();
        if let Some(function) = item.function() {
            for variable in
                [function.returns, function.parameters].into_iter().flat_map(|range| item.parameters(range))
            {
                found.extend(variable.declarators().map(|name| VisibleName::new(item, &variable, &name)));
            }
        }
        let mut scopes: Vec<usize> = Vec::new();
        for statement in item.statements() {
            let start = item.tokens().get(statement.tokens.start as usize).map_or(0, |token| token.start);
            if start >= self.site.word.start {
                break;
            }
            match statement.kind {
                StatementKind::Open { .. } => scopes.push(found.len()),
                StatementKind::Close { .. } => found.truncate(scopes.pop().unwrap_or(found.len())),
                StatementKind::Variable => {
                    let Some(variable) = item.variable(statement) else { continue };
                    found.extend(variable.declarators().map(|name| VisibleName::new(item, &variable, &name)));
                }
                _ => {}
            }
        }
        found
    }

    /// Completions for registers: first registers of the required type, then wider compatible registers, then all
    /// others. The most recently used registers of each group come first.
    pub(super) fn registers(&self, wanted: &RegisterNeed<'_>) -> Vec<Completion> {
        let visible = self.visible();
        let recent = self.recent(&visible);
        let largest = self.largest(&visible);
        let [mut fitting, mut wider, mut others] = [Vec::new(), Vec::new(), Vec::new()];
        for register in visible.iter().rev().filter(|one| one.is_register()) {
            let into = match self.fit(register, wanted) {
                TypeMatch::Exact => &mut fitting,
                TypeMatch::Wider => &mut wider,
                TypeMatch::None => &mut others,
            };
            let detail = if register.vector > 1 {
                format!(".v{} .{}", register.vector, register.ty)
            } else {
                format!(".{}", register.ty)
            };
            let rank = |name: &str| recent.get(name).copied().unwrap_or(usize::MAX);
            let Some(count) = register.count else {
                into.push((
                    rank(register.name),
                    Completion::new(register.name, CompletionKind::Register, &detail),
                ));
                continue;
            };
            let mut members = members(register, count, &recent);
            let free = largest.get(register.name).map_or(0, |largest| largest + 1);
            if free < count {
                let rank = if wanted.is_written { 0 } else { usize::MAX };
                members.push((rank, format!("{}{free}", register.name)));
            }
            for (rank, name) in members.drain(..) {
                into.push((rank, Completion::new(&name, CompletionKind::Register, &detail)));
            }
        }
        for tier in [&mut fitting, &mut wider, &mut others] {
            tier.sort_by_key(|(rank, _)| *rank);
        }
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let all = fitting.into_iter().chain(wider).chain(others).map(|(_, item)| item);
        all.filter(|item| seen.insert(item.label.clone())).collect()
    }

    /// Largest member number that the item uses in each family, keyed by the stem, such as `%r` for
    /// `%r<10>`.
    fn largest<'v>(&self, visible: &[VisibleName<'v>]) -> FxHashMap<&'v str, u64> {
        let families: Vec<(&str, u64)> =
            visible.iter().filter_map(|one| Some((one.name, one.count?))).collect();
        let item = self.site.place.item;
        let own = self.site.word.start;
        let named = item.tokens().iter().filter(|token| token.kind == TokenKind::Name && token.start != own);
        let mut largest = FxHashMap::default();
        for name in named.map(|token| item.token_text(token)) {
            for &(stem, count) in &families {
                if let Some(number) = member(stem, count, name) {
                    let most = largest.entry(stem).or_insert(number);
                    *most = number.max(*most);
                }
            }
        }
        largest
    }

    /// Ranks of the names used above the cursor. The name nearest to the cursor has the lowest rank.
    fn recent(&self, visible: &[VisibleName<'_>]) -> FxHashMap<&'a str, usize> {
        let item: &'a Item = self.site.place.item;
        let at = item.tokens().partition_point(|token| token.start < self.site.word.start);
        let above = item.tokens()[at.saturating_sub(NEAR)..at].iter().rev();
        let mut found = FxHashMap::default();
        let declared: FxHashSet<&str> = visible.iter().map(|one| one.name).collect();
        for (rank, token) in above.filter(|token| token.kind == TokenKind::Name).enumerate() {
            let name = item.token_text(token);
            let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            if declared.contains(name) || declared.contains(stem) {
                found.entry(name).or_insert(rank + 1);
            }
        }
        found
    }

    /// Rates whether a register has the required type or a wider compatible type.
    fn fit(&self, register: &VisibleName<'_>, wanted: &RegisterNeed<'_>) -> TypeMatch {
        let Some(ty) = wanted.ty else { return TypeMatch::Exact };
        if register.ty == ty {
            return TypeMatch::Exact;
        }
        let table = &self.view.table;
        let (Some(have), Some(want)) = (table.type_of(register.ty), table.type_of(ty)) else {
            return TypeMatch::None;
        };
        let is_bits = |ty: &Type| matches!(ty.class, TypeClass::Bits | TypeClass::Packed);
        let is_predicate = |ty: &Type| ty.class == TypeClass::Predicate;
        let goes = if is_predicate(have) || is_predicate(want) {
            is_predicate(have) && is_predicate(want)
        } else {
            is_bits(have)
                || is_bits(want)
                || have.class == want.class
                || have.is_integer() && want.is_integer()
        };
        match have.bits.cmp(&want.bits) {
            Ordering::Equal if goes => TypeMatch::Exact,
            Ordering::Greater if goes && wanted.may_be_wider => TypeMatch::Wider,
            _ => TypeMatch::None,
        }
    }
}

/// Members of a family used above the cursor, with their ranks.
fn members(family: &VisibleName<'_>, count: u64, recent: &FxHashMap<&str, usize>) -> Vec<(usize, String)> {
    let mut used: Vec<(usize, &str)> = recent
        .iter()
        .filter(|(name, _)| member(family.name, count, name).is_some())
        .map(|(name, rank)| (*rank, *name))
        .collect();
    used.sort_unstable();
    used.truncate(MAX_MEMBERS);
    used.into_iter().map(|(rank, name)| (rank, name.to_owned())).collect()
}

/// Match between the types of a register and of an operand.
enum TypeMatch {
    Exact,
    Wider,
    None,
}

/// Number of a member in a family such as `%r<10>`; `None` for any other name.
fn member(stem: &str, count: u64, name: &str) -> Option<u64> {
    let digits = name.strip_prefix(stem)?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&number| is_number && number < count)
}
