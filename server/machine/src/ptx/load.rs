//! Reads the tables under `data/ptx`.

mod behaviour;
mod costly;
mod operands;
mod slots;

use super::{
    Directive, Form, Limit, Need, Ptx, SpecialRegister, Spread, TargetRange, Type, TypeClass, Values, Version,
};
use crate::Machine;
use crate::load::{DataError, Text, data_text, rows};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The words of each named set.
type Sets = FxHashMap<Box<str>, Arc<[Box<str>]>>;

/// Declares a struct with one field per table, named like the table's file.
macro_rules! tables {
    ($($name:ident),* $(,)?) => {
        /// Texts of the tables.
        #[derive(Clone, Copy)]
        pub(super) struct Tables<'a> {
            $(pub(super) $name: Text<'a>,)*
        }

        pub(super) fn built_in_tables() -> Tables<'static> {
            Tables { $($name: data_text!("ptx/", stringify!($name), ".csv"),)* }
        }
    };
}

tables! {
    sets, instructions, since, modifiers, special_registers, directives, types, limits, targets, behaviour, costly,
    capacities,
}

pub(super) fn builtin() -> Result<Ptx, DataError> {
    read(&built_in_tables())
}

/// Tables that lowering uses.
pub(super) fn expansion_tables() -> [Text<'static>; 4] {
    [
        data_text!("ptx/expansion.csv"),
        data_text!("ptx/lowering.csv"),
        data_text!("ptx/alternatives.csv"),
        data_text!("ptx/spacing.csv"),
    ]
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
    let header = ["instruction", "word", "meaning"];
    for (line, [instruction, word, meaning]) in rows::<[String; 3]>(tables.modifiers, &header)? {
        let words = ptx.meanings.entry(instruction.into()).or_default();
        let is_new = words.insert(word.clone().into(), meaning.into()).is_none();
        tables.modifiers.once(is_new, line, "word", &word)?;
    }
    special_registers(tables.special_registers, &mut ptx)?;
    directives(tables.directives, &mut ptx)?;
    types(tables.types, &mut ptx)?;
    limits(tables.limits, &mut ptx)?;
    for (line, [target, first]) in rows::<[String; 2]>(tables.targets, &["target", "ptx"])? {
        let known = target.parse();
        let wrong = |()| tables.targets.error(line, format!("a target like `sm_90a`, not `{target}`"));
        ptx.targets.push((known.map_err(wrong)?, version(tables.targets, line, &first)?));
    }
    ptx.targets.extend(Machine::builtin().targets());
    ptx.targets.sort_unstable_by_key(|(target, _)| *target);
    ptx.behaviours = behaviour::read(tables.behaviour)?;
    ptx.costly = costly::read(tables.costly)?;
    ptx.static_shared_bytes = costly::capacity(tables.capacities, "static_shared_bytes")?;
    Ok(ptx)
}

fn sets(text: Text<'_>) -> Result<Sets, DataError> {
    let mut sets = Sets::default();
    for (line, [set, words]) in rows::<[String; 2]>(text, &["set", "words"])? {
        let words: Arc<[Box<str>]> = words.split_whitespace().map(Box::from).collect();
        if words.is_empty() {
            return Err(text.error(line, format!("at least one word in set `{set}`")));
        }
        text.once(sets.insert(set.clone().into(), words).is_none(), line, "set", &set)?;
    }
    Ok(sets)
}

fn forms(text: Text<'_>, sets: &Sets) -> Result<Vec<Form>, DataError> {
    let mut forms = Vec::new();
    let header = ["name", "modifiers", "operands", "ptx", "sm"];
    for (line, [name, modifiers, operands, ptx, sm]) in rows::<[String; 5]>(text, &header)? {
        let error = |expected| text.error(line, expected);
        let need = need(text, line, &ptx, &sm)?;
        for modifiers in slots::alternatives(&modifiers).map_err(error)? {
            let (slots, fixed, optional) = slots::read(&name, &modifiers, sets).map_err(error)?;
            let operands = operands::read(&operands, &slots).map_err(error)?;
            let (name, need) = (name.clone().into(), need.clone());
            forms.push(Form { name, slots, fixed, optional, operands, need, words_need: Arc::default() });
        }
    }
    Ok(forms)
}

/// Sets the requirements of each form's words, from the rows for the form's name, for a prefix of the name and
/// for any instruction.
fn since(text: Text<'_>, forms: &mut [Form]) -> Result<(), DataError> {
    let mut needs: Vec<(String, Box<str>, Need)> = Vec::new();
    for (line, [name, word, ptx, sm]) in rows::<[String; 4]>(text, &["instruction", "word", "ptx", "sm"])? {
        let concerns =
            |form: &Form| is_beginning(&name, &form.name) && form.slots.iter().any(|slot| slot.has(&word));
        if !forms.iter().any(concerns) {
            return Err(text.error(line, format!("a word of `{name}`, not `{word}`")));
        }
        needs.push((name, word.into(), need(text, line, &ptx, &sm)?));
    }
    for form in forms {
        let own = needs.iter().filter(|(name, word, _)| {
            is_beginning(name, &form.name) && form.slots.iter().any(|slot| slot.has(word))
        });
        form.words_need = own.map(|(_, word, need)| (word.clone(), need.clone())).collect();
    }
    Ok(())
}

/// True if the words of `beginning` are the first words of `name`; an empty `beginning` matches any name.
pub(super) fn is_beginning(beginning: &str, name: &str) -> bool {
    beginning.is_empty()
        || name.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn special_registers(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    let header = ["register", "type", "components", "varies", "ptx", "sm", "meaning"];
    for (line, [register, ty, components, varies, ptx_version, sm, meaning]) in
        rows::<[String; 7]>(text, &header)?
    {
        let need = need(text, line, &ptx_version, &sm)?;
        let varies = varies.split_whitespace().map(|word| {
            Spread::named(word).ok_or_else(|| text.error(line, format!("`lane` or `warp`, not `{word}`")))
        });
        let varies = varies.collect::<Result<Box<[_]>, _>>()?;
        // `%envreg<32>` is short for `%envreg0` to `%envreg31`.
        let names = match register.split_once('<') {
            Some((stem, count)) => {
                let count = count.strip_suffix('>').and_then(|count| count.parse::<u16>().ok());
                let count = count.ok_or_else(|| text.error(line, "a count like `%envreg<32>`".into()))?;
                (0..count).map(|index| format!("{stem}{index}")).collect()
            }
            None => vec![register],
        };
        for name in names {
            let register = SpecialRegister {
                name: name.clone().into(),
                ty: ty.clone().into(),
                components: components.chars().collect(),
                varies: varies.clone(),
                need: need.clone(),
                meaning: meaning.clone().into(),
            };
            let is_new = ptx.special_registers.insert(name.clone().into(), register).is_none();
            text.once(is_new, line, "register", &name)?;
        }
    }
    Ok(())
}

fn directives(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    const PLACES: [&str; 6] = ["module", "function", "body", "variable", "parameter", "section"];
    let header = ["directive", "places", "ptx", "sm", "meaning"];
    for (line, [name, places, version, sm, meaning]) in rows::<[String; 5]>(text, &header)? {
        let places = words_among(&PLACES, &places)
            .map_err(|place| text.error(line, format!("a place: {}, not `{place}`", PLACES.join(", "))))?;
        let need = need(text, line, &version, &sm)?;
        let directive = Directive { name: name.clone().into(), places, need, meaning: meaning.into() };
        let is_new = ptx.directives.insert(name.clone().into(), directive).is_none();
        text.once(is_new, line, "directive", &name)?;
    }
    Ok(())
}

/// The words of a column, all of which must be known. `Err` is an unknown word.
fn words_among<'w>(known: &[&str], column: &'w str) -> Result<Box<[Box<str>]>, &'w str> {
    let words = column.split_whitespace();
    words.map(|word| if known.contains(&word) { Ok(word.into()) } else { Err(word) }).collect()
}

fn types(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    const SPACES: [&str; 6] = ["reg", "memory", "param", "value", "global", "entry"];
    let header = ["type", "class", "bits", "spaces"];
    for (line, (name, class, bits, spaces)) in rows::<(String, TypeClass, u16, String)>(text, &header)? {
        let spaces = words_among(&SPACES, &spaces)
            .map_err(|space| text.error(line, format!("one of {}, not `{space}`", SPACES.join(", "))))?;
        let is_new = ptx.types.insert(name.clone().into(), Type { class, bits, spaces }).is_none();
        text.once(is_new, line, "type", &name)?;
    }
    Ok(())
}

fn limits(text: Text<'_>, ptx: &mut Ptx) -> Result<(), DataError> {
    for (line, [name, word, operand, values]) in
        rows::<[String; 4]>(text, &["name", "word", "operand", "values"])?
    {
        let concerns = |form: &Form| {
            is_beginning(&name, &form.name) && form.operands.iter().any(|have| *have.name == *operand)
        };
        if !ptx.forms.iter().any(concerns) {
            return Err(text.error(line, format!("an operand of `{name}`, not `{operand}`")));
        }
        let wrong = || text.error(line, format!("values like `0..15`, not `{values}`"));
        let values = Values::parse(&values).ok_or_else(wrong)?;
        ptx.limits.push(Limit { name: name.into(), word: word.into(), operand: operand.into(), values });
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
        return Err(text.error(line, "a value in column `sm`".into()));
    }
    Ok(Need { ptx: version(text, line, ptx)?, targets })
}

fn version(text: Text<'_>, line: usize, version: &str) -> Result<Version, DataError> {
    version.parse().map_err(|()| text.error(line, format!("a PTX version like `8.6`, not `{version}`")))
}
