//! Reader of statements and variables.

use super::super::mask::unroll_before;
use super::super::{
    AsmOperand, Expr, ExprKind, InlineAsm, Loop, Memory, PreprocessorPart, Stmt, StmtKind, Unroll, Variable,
    parse_expression,
};
use super::expressions::Reader;
use super::nodes::{children, parts};
use tree_sitter::Node;

impl Reader<'_> {
    pub(super) fn stmt(&self, node: Node<'_>) -> Stmt {
        let kind = self.deeper().filter(|_| !node.is_error()).and_then(|inner| inner.stmt_kind(node));
        Stmt { kind: kind.unwrap_or(StmtKind::Unknown), range: self.text.range(node) }
    }

    fn boxed(&self, node: Node<'_>) -> Box<Stmt> {
        Box::new(self.stmt(node))
    }

    fn stmts<'t>(&self, nodes: impl Iterator<Item = Node<'t>>) -> Vec<Stmt> {
        nodes.map(|node| self.stmt(node)).collect()
    }

    /// The branches of a preprocessor condition.
    fn preprocessor_parts(&self, node: Node<'_>) -> Vec<PreprocessorPart> {
        let mut all = Vec::new();
        let mut open = Some(node);
        while let Some(node) = open {
            open = node.child_by_field_name("alternative");
            let skipped = ["condition", "name", "alternative"].map(|name| node.child_by_field_name(name));
            let body = self.stmts(parts(node).filter(|part| !skipped.contains(&Some(*part))));
            all.push(PreprocessorPart { directive: self.text.range(node).start, body });
        }
        all
    }

    fn stmt_kind(&self, node: Node<'_>) -> Option<StmtKind> {
        let field = |name| node.child_by_field_name(name);
        Some(match node.kind() {
            "compound_statement" => StmtKind::Block(self.stmts(parts(node))),
            "expression_statement" => match parts(node).next() {
                Some(inner) if inner.kind() == "gnu_asm_expression" => StmtKind::Asm(self.asm(inner)),
                Some(inner) => StmtKind::Expression(self.expr(inner)),
                None => StmtKind::Empty,
            },
            "declaration" => StmtKind::Declaration(self.variables(node)),
            "if_statement" => {
                let condition = field("condition")?;
                let otherwise = field("alternative").and_then(|clause| parts(clause).next());
                let init = condition.child_by_field_name("initializer").and_then(|init| {
                    let declaration =
                        if init.kind() == "init_statement" { parts(init).next()? } else { init };
                    Some(self.boxed(declaration))
                });
                StmtKind::If {
                    is_constexpr: children(node).any(|child| child.kind() == "constexpr"),
                    init,
                    condition: self.expr(condition.child_by_field_name("value").unwrap_or(condition)),
                    then: self.boxed(field("consequence")?),
                    otherwise: otherwise.map(|node| self.boxed(node)),
                }
            }
            "for_statement" => self.looped()?.for_loop(node)?,
            "while_statement" | "do_statement" => {
                let condition = field("condition")?;
                let condition = condition.child_by_field_name("value").unwrap_or(condition);
                StmtKind::Loop(Box::new(Loop {
                    init: None,
                    condition: Some(self.expr(condition)),
                    step: None,
                    body: self.looped()?.stmt(field("body")?),
                    is_do: node.kind() == "do_statement",
                    unroll: self.unroll(node),
                }))
            }
            "for_range_loop" => {
                let base = self.base_type(node);
                let words = self.qualifiers(node);
                let variable = self.variable(field("declarator")?, base, None, &words)?;
                StmtKind::ForEach {
                    variable,
                    of: self.expr(field("right")?),
                    body: self.looped()?.boxed(field("body")?),
                }
            }
            "switch_statement" => self.switch(node)?,
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "return_statement" => StmtKind::Return(parts(node).next().map(|value| self.expr(value))),
            "goto_statement" | "labeled_statement" => StmtKind::Goto,
            "preproc_if" | "preproc_ifdef" => StmtKind::Preprocessor(self.preprocessor_parts(node)),
            "using_declaration"
            | "alias_declaration"
            | "type_definition"
            | "static_assert_declaration"
            | "preproc_call"
            | "preproc_def"
            | "preproc_function_def"
            | "struct_specifier" => StmtKind::Empty,
            "attributed_statement" => return self.deeper()?.stmt_kind(parts(node).last()?),
            _ => return None,
        })
    }

    fn unroll(&self, node: Node<'_>) -> Unroll {
        match unroll_before(self.text.whole, node.start_byte()) {
            None => Unroll::Unsaid,
            Some(factor) => parse_expression(factor).map_or(Unroll::Whole, Unroll::By),
        }
    }

    fn for_loop(&self, node: Node<'_>) -> Option<StmtKind> {
        let field = |name| node.child_by_field_name(name);
        let init = field("initializer").map(|init| match init.kind() {
            "declaration" => self.stmt(init),
            _ => Stmt { kind: StmtKind::Expression(self.expr(init)), range: self.text.range(init) },
        });
        Some(StmtKind::Loop(Box::new(Loop {
            init,
            condition: field("condition").map(|condition| self.expr(condition)),
            step: field("update").map(|step| self.expr(step)),
            body: self.stmt(field("body")?),
            is_do: false,
            unroll: self.unroll(node),
        })))
    }

    fn switch(&self, node: Node<'_>) -> Option<StmtKind> {
        let condition = node.child_by_field_name("condition")?;
        let value = self.expr(condition.child_by_field_name("value").unwrap_or(condition));
        let cases = parts(node.child_by_field_name("body")?)
            .filter(|case| case.kind() == "case_statement")
            .map(|case| {
                let value = case.child_by_field_name("value");
                let body = parts(case).filter(|part| Some(*part) != value);
                (value.map(|value| self.expr(value)), self.stmts(body))
            })
            .collect();
        Some(StmtKind::Switch { value, cases })
    }

    /// The variables that a declaration declares. Declared functions are left out.
    pub(super) fn variables(&self, node: Node<'_>) -> Vec<Variable> {
        let base = self.base_type(node);
        let default = node.child_by_field_name("default_value");
        let words = self.qualifiers(node);
        let mut cursor = node.walk();
        let declarators: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
        declarators
            .into_iter()
            .filter_map(|each| self.variable(each, base.clone(), default, &words))
            .collect()
    }

    /// The qualifiers of a declaration, such as `__shared__`.
    fn qualifiers(&self, node: Node<'_>) -> Vec<&str> {
        children(node)
            .filter(|child| {
                matches!(child.kind(), "type_qualifier" | "storage_class_specifier") || !child.is_named()
            })
            .map(|child| self.text.slice(child))
            .filter(|word| *word != ",")
            .collect()
    }

    /// One variable of a declaration. `default` is its default value if it is a parameter; `words` are the
    /// qualifiers.
    fn variable(
        &self,
        declarator: Node<'_>,
        base: super::super::TypeName,
        default: Option<Node<'_>>,
        words: &[&str],
    ) -> Option<Variable> {
        let declared = self.declared(declarator, base);
        let value = declarator.child_by_field_name("value").or(default);
        let value = value.map(|value| match value.kind() {
            "argument_list" => {
                let kind = ExprKind::List(self.list(value));
                Expr { kind, range: self.text.range(value) }
            }
            _ => self.expr(value),
        });
        // The grammar parses `dim3 grid(a, b);` as a function with unnamed parameters of types `a` and `b`.
        // They are constructor arguments.
        let value = match declared.parameters {
            Some(parameters) if value.is_none() => Some(self.construction(parameters)?),
            Some(_) => return None,
            None => value,
        };
        let (name, name_range) = self.text.last_name(declared.name?);
        let has = |word: &str| words.contains(&word);
        let memory = match () {
            () if has("__shared__") => Memory::Shared,
            () if has("__constant__") => Memory::Constant,
            () if has("__device__") || has("__managed__") => Memory::Global,
            () => Memory::Local,
        };
        Some(Variable {
            name,
            name_range,
            of: declared.of,
            memory,
            is_extern: has("extern"),
            is_constexpr: has("constexpr"),
            is_static: has("static"),
            value,
        })
    }

    /// Reads unnamed parameters as the constructor arguments of an object.
    fn construction(&self, parameters: Node<'_>) -> Option<Expr> {
        let values = parts(parameters)
            .map(|parameter| {
                let of = parameter.child_by_field_name("type").filter(|of| of.kind() == "type_identifier");
                let is_bare = parameter.child_by_field_name("declarator").is_none();
                of.filter(|_| is_bare).map(|of| self.expr(of))
            })
            .collect::<Option<Vec<Expr>>>()?;
        (!values.is_empty())
            .then(|| Expr { kind: ExprKind::List(values), range: self.text.range(parameters) })
    }

    fn asm(&self, node: Node<'_>) -> InlineAsm {
        let mut asm = InlineAsm::default();
        for part in parts(node) {
            match part.kind() {
                "gnu_asm_qualifier" => asm.is_volatile |= self.text.slice(part).contains("volatile"),
                "string_literal" => asm.code.push(self.string(part)),
                "concatenated_string" => asm.code.extend(parts(part).map(|string| self.string(string))),
                "gnu_asm_output_operand_list" => asm.outputs = self.asm_operands(part),
                "gnu_asm_input_operand_list" => asm.inputs = self.asm_operands(part),
                _ => {}
            }
        }
        asm
    }

    /// Byte range between the quotes.
    fn string(&self, node: Node<'_>) -> std::ops::Range<u32> {
        let range = self.text.range(node);
        range.start + 1..range.end.saturating_sub(1).max(range.start + 1)
    }

    fn asm_operands(&self, list: Node<'_>) -> Vec<AsmOperand> {
        parts(list)
            .filter_map(|operand| {
                let constraint = operand.child_by_field_name("constraint")?;
                Some(AsmOperand {
                    constraint: self.text.slice(constraint).trim_matches('"').to_owned(),
                    constraint_range: self.text.range(constraint),
                    value: operand.child_by_field_name("value").map(|value| self.expr(value)),
                })
            })
            .collect()
    }
}
