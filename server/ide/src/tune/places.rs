//! Finds where CUDA source sets the values of a kernel's tuning parameters.

use super::error::TuningError;
use crate::TextEdit;
use crate::cuda::view::CudaView;
use std::ops::Range;
use syntax::cuda::{Argument, Expr, ExprKind, Function, ItemKind, PlacedItem, StmtKind, Variable};

/// Positions and value of a parameter in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParameterPlace {
    /// Byte ranges of the number, in text order. At least one range.
    pub numbers: Vec<Range<usize>>,
    /// The current value.
    pub now: i64,
    /// Index among the kernel's template parameters. `None` if it is not a template parameter.
    pub template: Option<usize>,
}

impl ParameterPlace {
    /// Returns the edits that write a value. Empty if it is the current value.
    pub(crate) fn edits(&self, value: i64) -> Vec<TextEdit> {
        if value == self.now {
            return Vec::new();
        }
        let edit = |range: &Range<usize>| TextEdit { range: range.clone(), text: value.to_string() };
        self.numbers.iter().map(edit).collect()
    }
}

/// Finds a parameter of a kernel in the source. `Err` if the parameter is not a single number.
pub(crate) fn place(view: &CudaView<'_>, item: u32, name: &str) -> Result<ParameterPlace, TuningError> {
    let parameter = || name.to_owned();
    let Some((_, placed, kernel)) = view.kernels().find(|(at, ..)| *at == item) else {
        return Err(TuningError::NoKernel { parameter: parameter() });
    };
    if let Some(at) = kernel.templates.iter().position(|own| own.name == name && !own.is_type) {
        return of_template(view, placed, kernel, at);
    }
    let mut found = in_body(view, placed, kernel, name);
    if found.is_empty() {
        found = in_unit(view, name);
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(Some((range, now))), None) => Ok(ParameterPlace { numbers: vec![range], now, template: None }),
        (Some(None), None) => Err(TuningError::NotANumber { parameter: parameter() }),
        (Some(_), Some(_)) => Err(TuningError::DefinedTwice { parameter: parameter() }),
        (None, _) => Err(TuningError::NotDefined { parameter: parameter(), kernel: kernel.name.clone() }),
    }
}

/// A number and its byte range in the source. `None` for a definition whose value is not a number.
type Written = Option<(Range<usize>, i64)>;

fn number(placed: &PlacedItem, value: &Expr) -> Written {
    match &value.kind {
        ExprKind::Integer { value: number, .. } => {
            Some((placed.range(&value.range), i64::try_from(*number).ok()?))
        }
        _ => None,
    }
}

fn is_constant(variable: &Variable, name: &str) -> bool {
    let of = &variable.of;
    variable.name == name && (variable.is_constexpr || of.is_const && of.pointers == 0)
}

/// Returns the definitions of the constant or macro `name` in the kernel's body.
fn in_body(view: &CudaView<'_>, placed: &PlacedItem, kernel: &Function, name: &str) -> Vec<Written> {
    let mut found = Vec::new();
    if let Some(body) = &kernel.body {
        body.walk(&mut |stmt| {
            if let StmtKind::Declaration(variables) = &stmt.kind {
                let own = variables.iter().filter(|variable| is_constant(variable, name));
                found.extend(own.map(|variable| number(placed, variable.value.as_ref()?)));
            }
        });
    }
    // Macros defined inside the function.
    let text = &view.text.text()[placed.range(&(0..placed.item.length))];
    found.extend(macros_in(text, placed.start as usize, name));
    found
}

/// Returns the definitions of the macro, constant or enumerator `name` outside of functions.
fn in_unit(view: &CudaView<'_>, name: &str) -> Vec<Written> {
    let mut found = Vec::new();
    for placed in &view.text.unit().items {
        match &placed.item.kind {
            ItemKind::Macro(own) if own.name == name => {
                let text = &view.text.text()[placed.range(&(0..placed.item.length))];
                let read = macros_in(text, placed.start as usize, name).into_iter().next();
                found.push(read.flatten().filter(|_| own.parameters.is_none()));
            }
            ItemKind::Variables(variables) => {
                let own = variables.iter().filter(|variable| is_constant(variable, name));
                found.extend(own.map(|variable| number(placed, variable.value.as_ref()?)));
            }
            ItemKind::Enumerators(all) => {
                let own = all.iter().filter(|own| own.name == name);
                found.extend(own.map(|own| number(placed, own.value.as_ref()?)));
            }
            _ => {}
        }
    }
    found
}

/// Returns the definitions of the macro `name` in `text`, which starts at byte `start` of the document.
fn macros_in(text: &str, start: usize, name: &str) -> Vec<Written> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let line_start = at;
        at += line.len();
        let words = line.trim_start().strip_prefix('#').map(str::trim_start);
        let Some(rest) = words.and_then(|words| words.strip_prefix("define")).map(str::trim_start) else {
            continue;
        };
        let Some(value) = rest.strip_prefix(name) else { continue };
        if !value.starts_with([' ', '\t', '(', '\r', '\n']) && !value.is_empty() {
            continue;
        }
        let offset = start + line_start + (line.len() - value.len());
        found.push(if value.starts_with('(') { None } else { number_in(value, offset) });
    }
    found
}

/// Parses a number, with or without parentheses. `None` if anything other than a comment follows the number.
fn number_in(text: &str, offset: usize) -> Written {
    let inner = text.trim_start_matches([' ', '\t', '(']);
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let rest = inner[end..].trim_start_matches([' ', '\t', ')']).trim();
    if !rest.is_empty() && !rest.starts_with("//") && !rest.starts_with("/*") {
        return None;
    }
    let digits = inner[..end].trim_end_matches(['u', 'U', 'l', 'L']);
    let now = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let start = offset + text.len() - inner.len();
    Some((start..start + end, now))
}

/// Returns the position of a template parameter's value: the argument at each use of the kernel, and the
/// default if a use relies on it.
fn of_template(
    view: &CudaView<'_>,
    placed: &PlacedItem,
    kernel: &Function,
    at: usize,
) -> Result<ParameterPlace, TuningError> {
    let parameter = || kernel.templates[at].name.clone();
    let mut written: Vec<Written> = Vec::new();
    let mut takes_default = false;
    for other in &view.text.unit().items {
        let ItemKind::Function(function) = &other.item.kind else { continue };
        let Some(body) = &function.body else { continue };
        body.walk_expressions(&mut |expr| {
            let ExprKind::Name { name: used, arguments } = &expr.kind else { return };
            if used.rsplit("::").next() != Some(kernel.name.as_str()) {
                return;
            }
            match arguments.get(at) {
                Some(Argument::Value(value)) => written.push(number(other, value)),
                Some(Argument::Type(_)) => written.push(None),
                None => takes_default = true,
            }
        });
    }
    written.extend(instantiations(view, kernel, at));
    let default = match &kernel.templates[at].default {
        Some(Argument::Value(value)) => Some(number(placed, value)),
        Some(Argument::Type(_)) => Some(None),
        None => None,
    };
    if let Some(default) = default.filter(|_| takes_default || written.is_empty()) {
        written.push(default);
    }
    if written.is_empty() {
        let (parameter, kernel) = (parameter(), kernel.name.clone());
        return Err(TuningError::NotInstantiated { parameter, kernel });
    }
    let numbers: Option<Vec<(Range<usize>, i64)>> = written.into_iter().collect();
    let Some(mut numbers) = numbers else {
        return Err(TuningError::ArgumentNotANumber { parameter: parameter() });
    };
    numbers.sort_by_key(|(range, _)| range.start);
    numbers.dedup();
    let now = numbers[0].1;
    if let Some(&(_, other)) = numbers.iter().find(|(_, value)| *value != now) {
        let (parameter, kernel) = (parameter(), kernel.name.clone());
        return Err(TuningError::SeveralValues { parameter, kernel, one: now, other });
    }
    let numbers = numbers.into_iter().map(|(range, _)| range).collect();
    Ok(ParameterPlace { numbers, now, template: Some(at) })
}

/// Returns the arguments of explicit instantiations: `template __global__ void kernel<64, 32>(float *);`.
fn instantiations(view: &CudaView<'_>, kernel: &Function, at: usize) -> Vec<Written> {
    let mut found = Vec::new();
    let text = view.text.text();
    for (start, _) in text.match_indices(&format!("{}<", kernel.name)) {
        let head = &text[..start];
        let statement = head.rfind([';', '}', '{']).map_or(head, |end| &head[end + 1..]).trim_start();
        // In an explicit instantiation, no parameter list follows the keyword `template`.
        let Some(rest) = statement.strip_prefix("template") else { continue };
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !rest.starts_with(char::is_whitespace) || rest.contains('<') || head.ends_with(is_part) {
            continue;
        }
        let open = start + kernel.name.len() + 1;
        let Some(length) = text[open..].find(['>', ';', '{']) else { continue };
        let mut offset = open;
        for (number, argument) in text[open..open + length].split(',').enumerate() {
            if number == at {
                found.push(number_in(argument, offset));
            }
            offset += argument.len() + 1;
        }
    }
    found
}
