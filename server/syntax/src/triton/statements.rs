//! Statements of modules and functions that build lists of configurations.

use super::interpreter::{Interpreter, MAX_ITEMS, Scope};
use super::names::{parts, slice, walk};
use super::shortened;
use super::value::Value;
use tree_sitter::Node;

/// Control flow after a statement.
enum Flow {
    Next,
    /// Skip to the next iteration of the loop.
    Continue,
    Break,
    Return(Value),
}

/// A scope in which names are assigned: the module or a function.
enum Names<'s> {
    Module,
    Function(&'s mut Scope),
}

impl<'t> Interpreter<'t> {
    /// Executes a statement of the module.
    pub(super) fn execute(&self, statement: Node<'t>) {
        let _ = self.statement(statement, &mut Names::Module, 0);
    }

    /// The value that a function of the text returns. `None` if the call cannot be evaluated.
    pub(super) fn call_of(
        &self,
        function: Node<'t>,
        arguments: Node<'t>,
        locals: Option<&Scope>,
        depth: usize,
    ) -> Option<Value> {
        let mut scope = Scope::default();
        let mut positional = parts(arguments).filter(|part| part.kind() != "keyword_argument");
        for parameter in parts(function.child_by_field_name("parameters")?) {
            let name = match parameter.kind() {
                "identifier" => parameter,
                "typed_parameter" => parts(parameter).next()?,
                "default_parameter" | "typed_default_parameter" => parameter.child_by_field_name("name")?,
                _ => return None,
            };
            let name = slice(self.text, name);
            let keyword = parts(arguments).find(|part| {
                part.kind() == "keyword_argument"
                    && part.child_by_field_name("name").is_some_and(|own| slice(self.text, own) == name)
            });
            let value = match keyword {
                Some(keyword) => self.value(keyword.child_by_field_name("value")?, locals, depth + 1),
                None => match positional.next() {
                    Some(value) => self.value(value, locals, depth + 1),
                    None => self.value(parameter.child_by_field_name("value")?, None, depth + 1),
                },
            };
            scope.insert(name.to_owned(), value);
        }
        let body = function.child_by_field_name("body")?;
        match self.block(body, &mut Names::Function(&mut scope), depth + 1) {
            Flow::Return(value) => Some(value),
            _ => Some(Value::Nothing),
        }
    }

    fn block(&self, block: Node<'t>, names: &mut Names<'_>, depth: usize) -> Flow {
        for statement in parts(block) {
            match self.statement(statement, names, depth) {
                Flow::Next => {}
                other => return other,
            }
        }
        Flow::Next
    }

    fn statement(&self, node: Node<'t>, names: &mut Names<'_>, depth: usize) -> Flow {
        if depth > 60 || self.is_spent() {
            self.spoil(node, names);
            return Flow::Return(self.unknown(node));
        }
        match node.kind() {
            "expression_statement" => {
                for part in parts(node) {
                    self.expression(part, names, depth);
                }
            }
            "return_statement" => {
                let value = parts(node).next().map(|value| self.value_of(value, names, depth));
                return Flow::Return(value.unwrap_or(Value::Nothing));
            }
            "continue_statement" => return Flow::Continue,
            "break_statement" => return Flow::Break,
            "if_statement" => return self.choice(node, names, depth),
            "for_statement" => return self.repetition(node, names, depth),
            "function_definition" => self.define(node, names),
            "decorated_definition" => {
                if let Some(name) =
                    node.child_by_field_name("definition").and_then(|inner| inner.child_by_field_name("name"))
                {
                    let value = Value::Unknown(slice(self.text, name).to_owned());
                    self.assign(name, value, names);
                }
            }
            "while_statement" | "with_statement" | "try_statement" | "match_statement" => {
                self.spoil(node, names);
                if has_return(node) {
                    return Flow::Return(self.unknown(node));
                }
            }
            _ => {}
        }
        Flow::Next
    }

    fn define(&self, node: Node<'t>, names: &Names<'_>) {
        if let (Some(name), Names::Module) = (node.child_by_field_name("name"), names) {
            self.functions.borrow_mut().insert(slice(self.text, name).to_owned(), node);
        }
    }

    fn expression(&self, node: Node<'t>, names: &mut Names<'_>, depth: usize) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "assignment" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return };
                let value = self.value_of(right, names, depth);
                self.assign(left, value, names);
            }
            "augmented_assignment" => {
                let (Some(left), Some(right)) = (field("left"), field("right")) else { return };
                let (before, added) = (self.value_of(left, names, depth), self.value_of(right, names, depth));
                let is_sum = field("operator").is_some_and(|operator| slice(self.text, operator) == "+=");
                let value = match (before, added) {
                    (Value::List(mut before), Value::List(added)) if is_sum => {
                        before.extend(added);
                        Value::List(before)
                    }
                    (Value::List(mut before), _) if is_sum => {
                        before.push(self.unknown(right));
                        Value::List(before)
                    }
                    _ => self.unknown(node),
                };
                self.assign(left, value, names);
            }
            "call" => self.method(node, names, depth),
            _ => {}
        }
    }

    /// Evaluates `configs.append(...)` and `configs.extend(...)`. Any other call may change the lists passed
    /// to it.
    fn method(&self, node: Node<'t>, names: &mut Names<'_>, depth: usize) {
        let callee = node.child_by_field_name("function").filter(|callee| callee.kind() == "attribute");
        let parts_of = callee.and_then(|callee| {
            let object = callee.child_by_field_name("object").filter(|own| own.kind() == "identifier")?;
            Some((object, callee.child_by_field_name("attribute")?))
        });
        let Some((object, method)) = parts_of else { return self.spoil(node, names) };
        let Value::List(mut items) = self.value_of(object, names, depth) else { return };
        let arguments = node.child_by_field_name("arguments");
        let argument = arguments.and_then(|arguments| parts(arguments).next());
        let value = argument.map(|argument| self.value_of(argument, names, depth));
        match (slice(self.text, method), value) {
            _ if items.len() > MAX_ITEMS => {}
            ("append", Some(value)) => items.push(value),
            ("extend", Some(Value::List(more))) => items.extend(more),
            _ => items.push(self.unknown(node)),
        }
        self.assign(object, Value::List(items), names);
    }

    fn choice(&self, node: Node<'t>, names: &mut Names<'_>, depth: usize) -> Flow {
        let mut branch = Some(node);
        let others: Vec<Node<'t>> = parts(node).filter(|part| part.kind().ends_with("_clause")).collect();
        let mut others = others.into_iter();
        while let Some(own) = branch {
            let condition = own.child_by_field_name("condition");
            let body = own.child_by_field_name("consequence").or_else(|| own.child_by_field_name("body"));
            let is_taken = match condition {
                Some(condition) => self.value_of(condition, names, depth).is_true(),
                None => Some(true),
            };
            match (is_taken, body) {
                (Some(true), Some(body)) => return self.block(body, names, depth + 1),
                (Some(_), _) => branch = others.next(),
                (None, _) => {
                    self.spoil(node, names);
                    let condition = condition.unwrap_or(own);
                    return if has_return(node) { Flow::Return(self.unknown(condition)) } else { Flow::Next };
                }
            }
        }
        Flow::Next
    }

    fn repetition(&self, node: Node<'t>, names: &mut Names<'_>, depth: usize) -> Flow {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(left), Some(right), Some(body)) = (field("left"), field("right"), field("body")) else {
            return Flow::Next;
        };
        let items = match self.value_of(right, names, depth) {
            Value::List(items) if items.iter().all(|item| !matches!(item, Value::Unknown(_))) => items,
            _ => {
                self.spoil(node, names);
                return if has_return(node) { Flow::Return(self.unknown(right)) } else { Flow::Next };
            }
        };
        for item in items {
            self.assign(left, item, names);
            match self.block(body, names, depth + 1) {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Flow::Return(value),
            }
        }
        Flow::Next
    }

    /// Marks as unknown the names that a statement may change, if it is uncertain whether the statement runs.
    fn spoil(&self, node: Node<'t>, names: &mut Names<'_>) {
        let mut named: Vec<Node<'t>> = Vec::new();
        walk(node, |inner| {
            if inner.kind() == "identifier" {
                named.push(inner);
            }
            inner.kind() != "function_definition"
        });
        let why = Value::Unknown(shortened(slice(self.text, node)));
        let spoil = |scope: &mut Scope| {
            for name in named {
                let text = slice(self.text, name);
                match scope.get_mut(text) {
                    Some(Value::List(items)) if items.contains(&why) => {}
                    Some(Value::List(items)) => items.push(why.clone()),
                    Some(value) => *value = Value::Unknown(text.to_owned()),
                    None => {}
                }
            }
        };
        match names {
            Names::Module => spoil(&mut self.globals.borrow_mut()),
            Names::Function(scope) => spoil(scope),
        }
    }

    /// Collects the items of a comprehension.
    pub(super) fn comprehend(
        &self,
        body: Node<'t>,
        clauses: &[Node<'t>],
        scope: &mut Scope,
        depth: usize,
        items: &mut Vec<Value>,
    ) {
        let Some((clause, rest)) = clauses.split_first() else {
            items.push(self.value(body, Some(scope), depth));
            return;
        };
        if items.len() > MAX_ITEMS || self.is_spent() {
            return;
        }
        if clause.kind() == "if_clause" {
            let condition = parts(*clause).next();
            match condition.and_then(|condition| self.value(condition, Some(scope), depth).is_true()) {
                Some(true) => self.comprehend(body, rest, scope, depth, items),
                Some(false) => {}
                None => push_once(items, self.unknown(*clause)),
            }
            return;
        }
        let left = clause.child_by_field_name("left");
        let right = clause.child_by_field_name("right");
        let (Some(left), Some(right)) = (left, right) else { return };
        match self.value(right, Some(scope), depth) {
            Value::List(own) => {
                for item in own {
                    if let Value::Unknown(_) = item {
                        push_once(items, self.unknown(right));
                        continue;
                    }
                    self.bind(left, item, scope);
                    self.comprehend(body, rest, scope, depth, items);
                }
            }
            _ => push_once(items, self.unknown(right)),
        }
    }

    /// Assigns values to the names of a pattern in a scope.
    fn bind(&self, left: Node<'t>, value: Value, scope: &mut Scope) {
        match left.kind() {
            "identifier" => {
                scope.insert(slice(self.text, left).to_owned(), value);
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" => {
                let targets: Vec<Node<'t>> = parts(left).collect();
                let values = match value {
                    Value::List(values) if values.len() == targets.len() => values,
                    _ => vec![self.unknown(left); targets.len()],
                };
                for (target, value) in targets.into_iter().zip(values) {
                    self.bind(target, value, scope);
                }
            }
            _ => {}
        }
    }

    fn assign(&self, left: Node<'t>, value: Value, names: &mut Names<'_>) {
        match names {
            Names::Function(scope) => self.bind(left, value, scope),
            Names::Module => self.bind(left, value, &mut self.globals.borrow_mut()),
        }
    }

    fn value_of(&self, node: Node<'t>, names: &Names<'_>, depth: usize) -> Value {
        match names {
            Names::Module => self.value(node, None, depth),
            Names::Function(scope) => self.value(node, Some(scope), depth),
        }
    }
}

fn push_once(items: &mut Vec<Value>, item: Value) {
    if items.last() != Some(&item) {
        items.push(item);
    }
}

fn has_return(node: Node<'_>) -> bool {
    let mut found = false;
    walk(node, |inner| {
        found |= inner.kind() == "return_statement";
        !found && inner.kind() != "function_definition"
    });
    found
}
