//! Interpreter for expressions whose values are literal.

use super::names::{Imports, parts, slice};
use super::value::Value;
use super::{Configuration, Element, MAX_CONFIGURATIONS, shortened};
use crate::stop;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use tree_sitter::Node;

/// Values of names.
pub(super) type Scope = FxHashMap<String, Value>;

/// Maximum nesting depth of expressions and calls that are evaluated.
const MAX_DEPTH: usize = 40; // limit: the stack

/// Maximum number of expressions that are evaluated for one text. Loop iterations count separately.
const MAX_STEPS: usize = 400_000; // limit: time for a text

/// Maximum length of a list. Elements past the limit are unknown.
pub(super) const MAX_ITEMS: usize = 4 * MAX_CONFIGURATIONS; // limit: memory for a list

/// State of the interpreter of a module's statements, with the names whose values are known so far.
pub(super) struct Interpreter<'t> {
    pub(super) text: &'t str,
    pub(super) imports: Imports,
    /// Values of the module's names before the current statement.
    pub(super) globals: RefCell<Scope>,
    /// Functions of the module by name. The last definition counts.
    pub(super) functions: RefCell<FxHashMap<String, Node<'t>>>,
    steps: Cell<usize>,
}

/// Function that Triton's tutorials call to query the GPU vendor. Ranking assumes NVIDIA GPUs.
const IS_NVIDIA: &str = "is_cuda";
const IS_OTHER: [&str; 4] = ["is_hip", "is_xpu", "is_cpu", "is_amd"];

impl<'t> Interpreter<'t> {
    pub(super) fn new(text: &'t str, imports: Imports) -> Self {
        Self {
            text,
            imports,
            globals: RefCell::default(),
            functions: RefCell::default(),
            steps: Cell::new(0),
        }
    }

    pub(super) fn unknown(&self, node: Node<'_>) -> Value {
        Value::Unknown(shortened(slice(self.text, node)))
    }

    /// Counts one step. Returns true if the step limit is exceeded.
    pub(super) fn is_spent(&self) -> bool {
        let steps = self.steps.get();
        stop::check_at(steps);
        self.steps.set(steps + 1);
        steps > MAX_STEPS
    }

    /// Value of an expression. `locals` are the names of the enclosing function, or `None` at module level.
    pub(super) fn value(&self, node: Node<'t>, locals: Option<&Scope>, depth: usize) -> Value {
        self.known(node, locals, depth).unwrap_or_else(|| self.unknown(node))
    }

    /// The value of an expression; `None` if it is unknown.
    fn known(&self, node: Node<'t>, locals: Option<&Scope>, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH || self.is_spent() || node.is_error() || node.is_missing() {
            return None;
        }
        let of = |node: Node<'t>| self.value(node, locals, depth + 1);
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "none" => Some(Value::Nothing),
            "true" => Some(Value::Boolean(true)),
            "false" => Some(Value::Boolean(false)),
            "integer" => integer(slice(self.text, node)),
            "float" => Some(Value::Other(shortened(slice(self.text, node)))),
            "string" => self.string(node),
            "parenthesized_expression" | "expression_list" if node.named_child_count() == 1 => {
                Some(of(parts(node).next()?))
            }
            "identifier" => {
                let name = slice(self.text, node);
                let own = locals.and_then(|locals| locals.get(name));
                own.cloned().or_else(|| self.globals.borrow().get(name).cloned())
            }
            "attribute" => self.attribute(node),
            "list" | "tuple" | "expression_list" | "pattern_list" => Some(self.list(node, locals, depth)),
            "dictionary" => Some(self.dictionary(node, locals, depth)),
            "list_comprehension" | "generator_expression" => {
                let mut scope = locals.cloned().unwrap_or_default();
                let mut items = Vec::new();
                let clauses: Vec<Node<'t>> = parts(node).skip(1).collect();
                let body = field("body")?;
                self.comprehend(body, &clauses, &mut scope, depth + 1, &mut items);
                Some(Value::List(items))
            }
            "conditional_expression" => {
                let [then, condition, otherwise] = parts(node).collect::<Vec<_>>().try_into().ok()?;
                Some(of(if of(condition).is_true()? { then } else { otherwise }))
            }
            "boolean_operator" => {
                let left = of(field("left")?);
                let is_or = slice(self.text, field("operator")?) == "or";
                Some(if left.is_true()? == is_or { left } else { of(field("right")?) })
            }
            "not_operator" => Some(Value::Boolean(!of(field("argument")?).is_true()?)),
            "unary_operator" => {
                let number = of(field("argument")?).as_number()?;
                match slice(self.text, field("operator")?) {
                    "-" => number.checked_neg().map(Value::Integer),
                    "+" => Some(Value::Integer(number)),
                    _ => None,
                }
            }
            "binary_operator" => {
                arithmetic(&of(field("left")?), slice(self.text, field("operator")?), &of(field("right")?))
            }
            "comparison_operator" => self.comparison(node, locals, depth),
            "call" => self.call(node, locals, depth),
            _ => None,
        }
    }

    fn string(&self, node: Node<'_>) -> Option<Value> {
        let is_plain = slice(self.text, node).starts_with(['"', '\'']);
        let mut text = String::new();
        for part in parts(node) {
            match part.kind() {
                "string_content" if part.named_child_count() == 0 => text.push_str(slice(self.text, part)),
                "string_start" | "string_end" => {}
                _ => return None,
            }
        }
        is_plain.then_some(Value::Text(text))
    }

    /// `torch.version.hip` is `None` on NVIDIA's GPUs.
    fn attribute(&self, node: Node<'_>) -> Option<Value> {
        match self.imports.path(self.text, node)?.as_str() {
            "torch.version.hip" => Some(Value::Nothing),
            _ => None,
        }
    }

    fn list(&self, node: Node<'t>, locals: Option<&Scope>, depth: usize) -> Value {
        let mut items = Vec::new();
        for part in parts(node) {
            if items.len() > MAX_ITEMS {
                items.push(self.unknown(part));
                break;
            }
            // The grammar reads `*f(x)` as a call of `*f`.
            let callee = part.child_by_field_name("function");
            let is_splat = |node: Node<'_>| node.kind() == "list_splat";
            if is_splat(part) || callee.is_some_and(is_splat) {
                let inner = if is_splat(part) { parts(part).next() } else { Some(part) };
                match inner.map(|inner| self.value(inner, locals, depth + 1)) {
                    Some(Value::List(inner)) => items.extend(inner),
                    _ => items.push(self.unknown(part)),
                }
                continue;
            }
            let mut item = self.value(part, locals, depth + 1);
            if let Value::Configuration(own) = &mut item
                && part.kind() == "call"
            {
                own.element = Some((node.start_byte(), element(part)));
            }
            items.push(item);
        }
        Value::List(items)
    }

    fn dictionary(&self, node: Node<'t>, locals: Option<&Scope>, depth: usize) -> Value {
        let mut items = Vec::new();
        for part in parts(node) {
            let pair = part.child_by_field_name("key").zip(part.child_by_field_name("value"));
            let read = pair.map(|(key, value)| {
                (self.value(key, locals, depth + 1), self.value(value, locals, depth + 1))
            });
            match read {
                Some((Value::Text(name), value)) => items.push((name, value)),
                // An unknown key may be any key.
                _ => return self.unknown(node),
            }
        }
        Value::Dictionary(items)
    }

    fn comparison(&self, node: Node<'t>, locals: Option<&Scope>, depth: usize) -> Option<Value> {
        let [left, right] = parts(node).collect::<Vec<_>>().try_into().ok()?;
        let operator = node.child_by_field_name("operators")?;
        let (left, right) = (self.value(left, locals, depth + 1), self.value(right, locals, depth + 1));
        let numbers = || left.as_number().zip(right.as_number());
        let is_equal = || match (&left, &right) {
            (Value::Unknown(_) | Value::Other(_), _) | (_, Value::Unknown(_) | Value::Other(_)) => None,
            _ => Some(numbers().map_or_else(|| left == right, |(left, right)| left == right)),
        };
        let is_among = || match &right {
            Value::List(items) if items.iter().all(|item| item.as_number().is_some()) => {
                let own = left.as_number()?;
                Some(items.iter().any(|item| item.as_number() == Some(own)))
            }
            _ => None,
        };
        let holds = match slice(self.text, operator) {
            "<" => numbers().map(|(left, right)| left < right),
            "<=" => numbers().map(|(left, right)| left <= right),
            ">" => numbers().map(|(left, right)| left > right),
            ">=" => numbers().map(|(left, right)| left >= right),
            "==" | "is" => is_equal(),
            "!=" | "is not" => is_equal().map(|is_equal| !is_equal),
            "in" => is_among(),
            "not in" => is_among().map(|is_among| !is_among),
            _ => None,
        };
        holds.map(Value::Boolean)
    }

    fn call(&self, node: Node<'t>, locals: Option<&Scope>, depth: usize) -> Option<Value> {
        let mut callee = node.child_by_field_name("function")?;
        if callee.kind() == "list_splat" {
            callee = parts(callee).next()?;
        }
        let arguments = node.child_by_field_name("arguments")?;
        if self.imports.is_of_triton(self.text, callee, "Config") {
            return Some(Value::Configuration(Box::new(self.configuration(arguments, locals, depth))));
        }
        let path = self.imports.path(self.text, callee)?;
        let name = path.rsplit('.').next().unwrap_or(&path);
        if name == IS_NVIDIA {
            return Some(Value::Boolean(true));
        }
        if IS_OTHER.contains(&name) {
            return Some(Value::Boolean(false));
        }
        let given = || -> Option<Vec<Value>> {
            // `list(x for x in y)`
            if arguments.kind() == "generator_expression" {
                return Some(vec![self.value(arguments, locals, depth + 1)]);
            }
            let is_plain = parts(arguments).all(|part| part.kind() != "keyword_argument");
            is_plain.then(|| parts(arguments).map(|part| self.value(part, locals, depth + 1)).collect())
        };
        match path.as_str() {
            "list" | "tuple" => {
                let [items] = given()?.try_into().ok()?;
                matches!(items, Value::List(_)).then_some(items)
            }
            // The items that `filter` keeps depend on the execution of its function.
            "filter" => {
                let [_, items] = given()?.try_into().ok()?;
                let Value::List(mut items) = items else { return None };
                items.push(self.unknown(node));
                Some(Value::List(items))
            }
            "range" => range(&given()?),
            "itertools.product" => product(given()?),
            "dict" => {
                let mut items = Vec::new();
                for part in parts(arguments) {
                    let (name, value) =
                        part.child_by_field_name("name").zip(part.child_by_field_name("value"))?;
                    items.push((slice(self.text, name).to_owned(), self.value(value, locals, depth + 1)));
                }
                Some(Value::Dictionary(items))
            }
            _ => {
                let function = self.functions.borrow().get(path.as_str()).copied()?;
                self.call_of(function, arguments, locals, depth)
            }
        }
    }

    fn configuration(&self, arguments: Node<'t>, locals: Option<&Scope>, depth: usize) -> Configuration {
        const PLACES: [&str; 4] = ["kwargs", "num_warps", "num_stages", "num_ctas"];
        let mut own = Configuration {
            values: Vec::new(),
            num_warps: None,
            num_stages: None,
            num_ctas: None,
            maxnreg: None,
            element: None,
        };
        for (at, part) in parts(arguments).enumerate() {
            let keyword = part.child_by_field_name("name").filter(|_| part.kind() == "keyword_argument");
            let (name, value) = match keyword {
                Some(name) => (slice(self.text, name), part.child_by_field_name("value")),
                None => (PLACES.get(at).copied().unwrap_or_default(), Some(part)),
            };
            let Some(node) = value else { continue };
            let value = self.value(node, locals, depth + 1);
            let text = slice(self.text, node);
            match name {
                "kwargs" => match value {
                    Value::Dictionary(items) => {
                        own.values =
                            items.into_iter().map(|(name, value)| (name, value.setting(""))).collect();
                    }
                    // Without a dictionary, the parameter names are unknown.
                    other => own.values.push((String::new(), other.setting(text))),
                },
                "num_warps" => own.num_warps = Some(value.setting(text)),
                "num_stages" => own.num_stages = Some(value.setting(text)),
                "num_ctas" => own.num_ctas = Some(value.setting(text)),
                "maxnreg" => own.maxnreg = Some(value.setting(text)).filter(|value| !value.is_none()),
                _ => {}
            }
        }
        own
    }
}

impl super::Setting {
    fn is_none(&self) -> bool {
        matches!(self, Self::Other(text) if text == "None")
    }
}

/// Ranges of a list element, without and with the comma after it.
fn element(node: Node<'_>) -> Element {
    let range = node.byte_range();
    let mut next = node.next_sibling();
    while let Some(comment) = next.filter(|next| next.kind() == "comment") {
        next = comment.next_sibling();
    }
    let end = next.filter(|next| next.kind() == ",").map_or(range.end, |comma| comma.end_byte());
    Element { with_comma: range.start..end, range }
}

fn integer(text: &str) -> Option<Value> {
    let digits = text.replace('_', "").to_ascii_lowercase();
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2)];
    let prefixed = prefixes.iter().find_map(|(prefix, base)| Some((digits.strip_prefix(prefix)?, *base)));
    let (digits, base) = prefixed.unwrap_or((&digits, 10));
    i64::from_str_radix(digits, base).ok().map(Value::Integer)
}

fn arithmetic(left: &Value, operator: &str, right: &Value) -> Option<Value> {
    if let (Value::List(left), Value::List(right), "+") = (left, right, operator) {
        let is_short = left.len() + right.len() <= MAX_ITEMS;
        return is_short.then(|| Value::List(left.iter().chain(right).cloned().collect()));
    }
    let (left, right) = (left.as_number()?, right.as_number()?);
    let positive = || u32::try_from(right).ok();
    let number = match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        // Python's `//` rounds towards negative infinity.
        "//" => left.checked_div(right).map(|whole| {
            whole
                - i64::from(
                    left.checked_rem(right).is_some_and(|rest| rest != 0) && (left < 0) != (right < 0),
                )
        }),
        "%" => left
            .checked_rem(right)
            .map(|rest| if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }),
        "**" => left.checked_pow(positive()?),
        "<<" => positive().filter(|by| *by < 62).and_then(|by| left.checked_mul(1 << by)),
        ">>" => positive().map(|by| left >> by.min(63)),
        _ => None,
    };
    number.map(Value::Integer)
}

fn range(given: &[Value]) -> Option<Value> {
    let numbers: Vec<i64> = given.iter().map(Value::as_number).collect::<Option<_>>()?;
    let (first, end, step) = match numbers[..] {
        [end] => (0, end, 1),
        [first, end] => (first, end, 1),
        [first, end, step] if step != 0 => (first, end, step),
        _ => return None,
    };
    let mut items = Vec::new();
    let mut at = first;
    while if step > 0 { at < end } else { at > end } {
        items.push(Value::Integer(at));
        at = at.checked_add(step)?;
        if items.len() > MAX_ITEMS {
            return None;
        }
    }
    Some(Value::List(items))
}

/// All combinations of the lists' items. The last position changes fastest.
fn product(given: Vec<Value>) -> Option<Value> {
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for list in given {
        let Value::List(items) = list else { return None };
        if all.len().saturating_mul(items.len()) > MAX_ITEMS {
            return None;
        }
        let with = |head: &Vec<Value>| -> Vec<Vec<Value>> {
            items.iter().map(|item| head.iter().chain([item]).cloned().collect()).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    Some(Value::List(all.into_iter().map(Value::List).collect()))
}
