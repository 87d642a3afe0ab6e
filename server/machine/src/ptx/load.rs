//! Reads the tables under `data/ptx`.

mod behaviour;
mod costly;
mod operands;
mod slots;

use super::{
    Directive, Form, Limit, Need, Ptx, SpecialRegister, Spread, TargetRange, Type, TypeClass, Values, Version,
};
use crate::load::{DataError, Text, rows};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::sync::Arc;

macro_rules! text {
    ($name:literal) => {
        Text { path: concat!("ptx/", $name), content: include_str!(concat!("../../data/ptx/", $name)) }
    };
}

/// The words of each named set.
type Sets = FxHashMap<Box<str>, Arc<[Box<str>]>>;

/// The tables as they are read.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    pub(super) sets: Text<'a>,
    pub(super) instructions: Text<'a>,
    pub(super) since: Text<'a>,
    pub(super) modifiers: Text<'a>,
    pub(super) special_registers: Text<'a>,
    pub(super) directives: Text<'a>,
    pub(super) types: Text<'a>,
    pub(super) limits: Text<'a>,
    pub(super) targets: Text<'a>,
    pub(super) behaviour: Text<'a>,
    pub(super) costly: Text<'a>,
    pub(super) capacities: Text<'a>,
}

pub(super) fn builtin() -> Result<Ptx, DataError> {
    read(&built_in_tables())
}

pub(super) fn built_in_tables() -> Tables<'static> {
    Tables {
        sets: text!("sets.csv"),
        instructions: text!("instructions.csv"),
        since: text!("since.csv"),
        modifiers: text!("modifiers.csv"),
        special_registers: text!("special_registers.csv"),
        directives: text!("directives.csv"),
        types: text!("types.csv"),
        limits: text!("limits.csv"),
        targets: text!("targets.csv"),
        behaviour: text!("behaviour.csv"),
        costly: text!("costly.csv"),
        capacities: text!("capacities.csv"),
    }
}

/// Tables that lowering goes by.
pub(super) fn expansion_tables() -> [Text<'static>; 4] {
    [text!("expansion.csv"), text!("lowering.csv"), text!("alternatives.csv"), text!("spacing.csv")]
}

pub(super) fn read(tables: &Tables<'_>) -> Result<Ptx, DataError> {
    let sets = sets(tables.sets)?;
    let mut forms = forms(tables.instructions, &sets)?;
    since(tables.since, &mut forms)?;
    forms.sort_by(|a, b| a.opcode().cmp(b.opcode()));
    let words = |set: &str| sets.get(set).cloned().unwrap_or_default();
    let (ignored, repeatable) = (words("ignored"), words("repeatable"));
    let mut ptx = Ptx { forms, ignored, repeatable, ..Ptx::default() };
    let mut first = 0;
    for (at, form) in ptx.forms.iter().enumerate() {
        if form.opcode() != ptx.forms[first].opcode() {
            first = at;
        }
        ptx.by_opcode.insert(form.opcode().into(), first..at + 1);
    }
    for (line, row) in rows::<ModifierRow>(tables.modifiers, &["instruction", "word", "meaning"])? {
        let words = ptx.meanings.entry(row.instruction.into()).or_default();
        if words.insert(row.word.clone().into(), row.meaning.into()).is_some() {
            return Err(tables.modifiers.error(line, format!("each word once; `{}` stands above", row.word)));
        }
    }
    special_registers(tables.special_registers, &mut ptx)?;
    directives(tables.directives, &mut ptx)?;
    types(tables.types, &mut ptx)?;
    limits(tables.limits, &mut ptx)?;
    for (line, row) in rows::<TargetRow>(tables.targets, &["target", "ptx"])? {
        let target = row.target.parse();
        let target = target.map_err(|()| {
            tables.targets.error(line, format!("a target like `sm_90a`, not `{}`", row.target))
        })?;
        ptx.targets.push((target, version(tables.targets, line, &row.ptx)?));
    }
    ptx.behaviours = behaviour::read(tables.behaviour)?;
    ptx.costly = costly::read(tables.costly)?;
    ptx.static_shared_bytes = costly::capacity(tables.capacities, "static_shared_bytes")?;
    Ok(ptx)
}

#[derive(Deserialize)]
struct SetRow {
    set: String,
    words: String,
}

#[derive(Deserialize)]
struct FormRow {
    name: String,
    modifiers: String,
    operands: String,
    ptx: String,
    sm: String,
}

#[derive(Deserialize)]
struct SinceRow {
    instruction: String,
    word: String,
    ptx: String,
    sm: String,
}

#[derive(Deserialize)]
struct ModifierRow {
    instruction: String,
    word: String,
    meaning: String,
}

#[derive(Deserialize)]
struct RegisterRow {
    register: String,
    #[serde(rename = "type")]
    ty: String,
    components: String,
    varies: String,
    ptx: String,
    sm: String,
    meaning: String,
}

#[derive(Deserialize)]
struct DirectiveRow {
    directive: String,
    places: String,
    ptx: String,
    sm: String,
    meaning: String,
}

#[derive(Deserialize)]
struct TypeRow {
    #[serde(rename = "type")]
    ty: String,
    class: String,
    bits: u16,
    spaces: String,
}

#[derive(Deserialize)]
struct LimitRow {
    name: String,
    word: String,
    operand: String,
    values: String,
}

#[derive(Deserialize)]
struct TargetRow {
    target: String,
    ptx: String,
}

fn sets(text: Text<'_>) -> Result<Sets, DataError> {
    let mut sets = Sets::default();
    for (line, row) in rows::<SetRow>(text, &["set", "words"])? {
        let words: Arc<[Box<str>]> = row.words.split_whitespace().map(Box::from).collect();
        if words.is_empty() {
            return Err(text.error(line, format!("a word or more in set `{}`", row.set)));
        }
        if sets.insert(row.set.clone().into(), words).is_some() {
            return Err(text.error(line, format!("each set once; `{}` stands above", row.set)));
        }
    }
    Ok(sets)
}

fn forms(text: Text<'_>, sets: &Sets) -> Result<Vec<Form>, DataError> {
    let mut forms = Vec::new();
    for (line, row) in rows::<FormRow>(text, &["name", "modifiers", "operands", "ptx", "sm"])? {
        let error = |expected| text.error(line, expected);
        let need = need(text, line, &row.ptx, &row.sm)?;
        for modifiers in slots::alternatives(&row.modifiers).map_err(error)? {
            let (slots, fixed, optional) = slots::read(&row.name, &modifiers, sets).map_err(error)?;
            let operands = operands::read(&row.operands, &slots).map_err(error)?;
            forms.push(Form {
                name: row.name.clone().into(),
                slots,
                fixed,
                optional,
                operands,
                need: need.clone(),
                words_need: Arc::default(),
            });
        }
    }
    Ok(forms)
}

/// Gives each form what its words need: rows of its own name, of a beginning of it and those for any instruction.
fn since(text: Text<'_>, forms: &mut [Form]) -> Result<(), DataError> {
    let mut needs: Vec<(String, Box<str>, Need)> = Vec::new();
    for (line, row) in rows::<SinceRow>(text, &["instruction", "word", "ptx", "sm"])? {
        let concerns = |form: &Form| {
            is_beginning(&row.instruction, &form.name) && form.slots.iter().any(|slot| slot.has(&row.word))
        };
        if !forms.iter().any(concerns) {
            let expected = format!("a word of `{}`, not `{}`", row.instruction, row.word);
            return Err(text.error(line, expected));
        }
        needs.push((row.instruction, row.word.into(), need(text, line, &row.ptx, &row.sm)?));
    }
    for form in forms {
        let own = needs.iter().filter(|(name, word, _)| {
            is_beginning(name, &form.name) && form.slots.iter().any(|slot| slot.has(word))
        });
        form.words_need = own.map(|(_, word, need)| (word.clone(), need.clone())).collect();
    }
    Ok(())
}

/// True if the words of `beginning` are the first of `name`; those of the empty one are of any.
pub(super) fn is_beginning(beginning: &str, name: &str) -> bool {
    beginning.is_empty()
        || name.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn special_registers(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    let header = ["register", "type", "components", "varies", "ptx", "sm", "meaning"];
    for (line, row) in rows::<RegisterRow>(text, &header)? {
        let need = need(text, line, &row.ptx, &row.sm)?;
        let varies = row.varies.split_whitespace().map(|word| {
            Spread::named(word).ok_or_else(|| text.error(line, format!("`lane` or `warp`, not `{word}`")))
        });
        let varies = varies.collect::<Result<Box<[_]>, _>>()?;
        // `%envreg<32>` stands for `%envreg0` to `%envreg31`.
        let names = match row.register.split_once('<') {
            Some((stem, count)) => {
                let count = count.strip_suffix('>').and_then(|count| count.parse::<u16>().ok());
                let count = count.ok_or_else(|| text.error(line, "a count like `%envreg<32>`".into()))?;
                (0..count).map(|index| format!("{stem}{index}")).collect()
            }
            None => vec![row.register],
        };
        for name in names {
            let register = SpecialRegister {
                name: name.clone().into(),
                ty: row.ty.clone().into(),
                components: row.components.chars().collect(),
                varies: varies.clone(),
                need: need.clone(),
                meaning: row.meaning.clone().into(),
            };
            if ptx.special_registers.insert(name.clone().into(), register).is_some() {
                return Err(text.error(line, format!("each register once; `{name}` stands above")));
            }
        }
    }
    Ok(())
}

fn directives(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    const PLACES: [&str; 6] = ["module", "function", "body", "variable", "parameter", "section"];
    for (line, row) in rows::<DirectiveRow>(text, &["directive", "places", "ptx", "sm", "meaning"])? {
        if let Some(place) = row.places.split_whitespace().find(|place| !PLACES.contains(place)) {
            return Err(text.error(line, format!("a place: {}, not `{place}`", PLACES.join(", "))));
        }
        let directive = Directive {
            name: row.directive.clone().into(),
            places: row.places.split_whitespace().map(Box::from).collect(),
            need: need(text, line, &row.ptx, &row.sm)?,
            meaning: row.meaning.into(),
        };
        if ptx.directives.insert(row.directive.clone().into(), directive).is_some() {
            return Err(text.error(line, format!("each directive once; `{}` stands above", row.directive)));
        }
    }
    Ok(())
}

fn types(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    const SPACES: [&str; 6] = ["reg", "memory", "param", "value", "global", "entry"];
    for (line, row) in rows::<TypeRow>(text, &["type", "class", "bits", "spaces"])? {
        let class = match &*row.class {
            "predicate" => TypeClass::Predicate,
            "bits" => TypeClass::Bits,
            "unsigned" => TypeClass::Unsigned,
            "signed" => TypeClass::Signed,
            "float" => TypeClass::Float,
            "packed" => TypeClass::Packed,
            "opaque" => TypeClass::Opaque,
            other => return Err(text.error(line, format!("a class of types, not `{other}`"))),
        };
        if let Some(space) = row.spaces.split_whitespace().find(|space| !SPACES.contains(space)) {
            return Err(text.error(line, format!("one of {}, not `{space}`", SPACES.join(", "))));
        }
        let spaces = row.spaces.split_whitespace().map(Box::from).collect();
        let ty = Type { class, bits: row.bits, spaces };
        if ptx.types.insert(row.ty.clone().into(), ty).is_some() {
            return Err(text.error(line, format!("each type once; `{}` stands above", row.ty)));
        }
    }
    Ok(())
}

fn limits(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    for (line, row) in rows::<LimitRow>(text, &["name", "word", "operand", "values"])? {
        let concerns = |form: &Form| {
            is_beginning(&row.name, &form.name) && form.operands.iter().any(|have| *have.name == *row.operand)
        };
        if !ptx.forms.iter().any(concerns) {
            return Err(text.error(line, format!("an operand of `{}`, not `{}`", row.name, row.operand)));
        }
        let values = Values::parse(&row.values);
        let values =
            values.ok_or_else(|| text.error(line, format!("values like `0..15`, not `{}`", row.values)))?;
        let (name, word, operand) = (row.name.into(), row.word.into(), row.operand.into());
        ptx.limits.push(Limit { name, word, operand, values });
    }
    Ok(())
}

fn need(text: Text<'_>, line: usize, ptx: &str, sm: &str) -> Result<Need, DataError> {
    let targets = sm.split_whitespace().map(|range| {
        let wrong =
            || text.error(line, format!("targets like `80`, `90a`, `100f` or `30..62`, not `{range}`"));
        range.parse::<TargetRange>().map_err(|()| wrong())
    });
    let targets = targets.collect::<Result<Box<[_]>, _>>()?;
    if targets.is_empty() {
        return Err(text.error(line, "column `sm` filled".into()));
    }
    Ok(Need { ptx: version(text, line, ptx)?, targets })
}

fn version(text: Text<'_>, line: usize, version: &str) -> Result<Version, DataError> {
    version.parse().map_err(|()| text.error(line, format!("a PTX version like `8.6`, not `{version}`")))
}
