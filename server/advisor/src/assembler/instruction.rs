//! Instructions: opcode, modifiers, what they need, the operands' places.

use super::Check;
use super::code::Code;
use super::place::Place;
use super::spelled::Spelled;
use super::value::Given;
use machine::ptx::{Mismatch, MismatchKind, Need, OperandKind as RoleKind, TypeClass};
use machine::{any_of, nearest_name};
use model::ptx::{Binder, Instruction, Meaning, Misfit, NotBound};
use syntax::ptx::{OperandKind, Statement, StatementKind, TokenKind};

impl<'a> Check<'a> {
    pub(super) fn instructions(&mut self) {
        let mut binder = Binder::new(self.context.tables)
            .of_module(self.context.module.version, self.context.module.target);
        if !self.item.errors().is_empty() {
            self.call_results.pass_unread();
        }
        for statement in self.item.instructions() {
            if !self.is_broken(statement) {
                self.instruction(statement, &mut binder);
            }
        }
    }

    fn instruction(&mut self, statement: &'a Statement, binder: &mut Binder<'a>) {
        let StatementKind::Instruction { opcode, operands } = statement.kind else { return };
        self.guard(statement, opcode);
        let Some(bound) = binder.bind(self.item, statement) else { return };
        let instruction = match bound {
            Ok(instruction) => instruction,
            Err(NotBound::UnknownOpcode) => {
                self.call_results.pass_unread();
                let name = self.text(opcode);
                let near = nearest_name(name, self.context.tables.opcodes());
                let range = self.range_of(opcode);
                let message = format!("`{name}` is not an instruction");
                return self.add(Code::UnknownOpcode, true, range, message).suggest(near);
            }
            Err(NotBound::Modifier { token, mismatch }) => {
                self.call_results.pass_unread();
                self.modifier(statement, token, &mismatch);
                return;
            }
        };
        for &(token, kind) in &*instruction.passed_over {
            let word = self.text(token);
            let range = self.range_of(token);
            let message = match kind {
                MismatchKind::Repeated => format!("duplicate `{word}`"),
                _ => format!("`{word}` has no effect on `{}` and is ignored", instruction.form.name),
            };
            self.warning(Code::UselessModifier, range, message);
        }
        self.needs(&instruction, opcode, operands);
        self.specials_need(statement);
        let Some(spelling) = self.spelled(opcode, operands) else { return };
        let spelled = Spelled { instruction: &instruction, spelling };
        if instruction.misfit.is_some() {
            self.call_results.pass_unread();
        }
        match instruction.misfit {
            Some(Misfit::Count { least, most }) => {
                self.operand_count(statement, spelling, instruction.arguments.len(), least, most);
            }
            Some(Misfit::Shape { operand }) => self.shape(spelled, operand),
            None => {
                let before = self.problems.len();
                self.best_operands(statement, spelled, binder);
                // What is wrong in another way starts no cascade.
                if self.problems.len() == before || instruction.form.opcode() == "call" {
                    self.call_parameters(statement, spelled, opcode);
                }
            }
        }
    }

    /// The operands by the form that has nothing against them, else by the first.
    fn best_operands(
        &mut self,
        statement: &Statement,
        instruction: Spelled<'_, 'a>,
        binder: &mut Binder<'a>,
    ) {
        let before = self.problems.len();
        self.operands(instruction);
        if self.problems.len() == before {
            return;
        }
        let own = self.problems.split_off(before);
        for other in binder.bind_all(self.item, statement).iter().skip(1) {
            self.operands(Spelled { instruction: other, ..instruction });
            if self.problems.len() == before {
                return;
            }
            self.problems.truncate(before);
        }
        // A call goes over several lines; what is wrong with it is said where it begins.
        let start = self.item.range(statement).start;
        self.problems.extend(own.into_iter().map(|mut problem| {
            if problem.code == Code::CallMismatch.name() {
                problem.place.start = start;
            }
            problem
        }));
    }

    fn operands(&mut self, instruction: Spelled<'_, 'a>) {
        let mut addresses = 0;
        for argument in &instruction.arguments {
            let Some(role) = argument.role else { continue };
            match &role.kind {
                RoleKind::Value { .. } => self.value(instruction, &argument.operand, role),
                RoleKind::Immediate(_) => self.immediate(instruction, &argument.operand, role),
                RoleKind::Address(parts) => {
                    self.address(instruction, &argument.operand, parts, addresses);
                    addresses += 1;
                }
                RoleKind::Label => self.target(&argument.operand, instruction.spelling),
                RoleKind::Targets => {
                    self.targets(&argument.operand, instruction.form.opcode(), instruction.spelling);
                }
                RoleKind::Function | RoleKind::Arguments => {}
            }
            self.limit(instruction, &argument.operand, &role.name);
        }
        if instruction.form.opcode() == "call" {
            self.call(&instruction);
        }
    }

    /// The opcode with its modifiers, as spelled in the text up to the first operand.
    fn spelled(&self, opcode: u32, operands: u32) -> Option<&'a str> {
        let (first, last) = (self.range_of(opcode), self.range_of(operands.saturating_sub(1).max(opcode)));
        self.item.text().get(first.start as usize..last.end as usize)
    }

    fn guard(&mut self, statement: &Statement, opcode: u32) {
        let tokens = statement.tokens.start..opcode;
        let mut names = tokens.filter(|token| {
            self.item.tokens().get(*token as usize).is_some_and(|token| token.kind == TokenKind::Name)
        });
        let Some(name) = names.next() else { return };
        let token = &self.item.tokens()[name as usize];
        let range = self.range_of(name);
        let text = self.text(name);
        match self.named(token, None, 0) {
            Given::Unknown => {}
            Given::Register(register) if register.ty.class == TypeClass::Predicate => {}
            Given::Register(register) => {
                let message = format!("`{text}` is .{}, but a guard must be a predicate", register.word);
                self.error(Code::OperandType, range, message);
            }
            _ => {
                let message = format!("a guard must be a predicate register, not `{text}`");
                self.error(Code::OperandKind, range, message);
            }
        }
    }

    fn modifier(&mut self, statement: &Statement, token: u32, mismatch: &Mismatch<'_>) {
        let StatementKind::Instruction { opcode, operands } = statement.kind else { return };
        let range = self.range_of(token);
        let word = self.text(token).trim_start_matches('.');
        let name = self.spelled(opcode, operands).unwrap_or_default();
        let listed = || list(&mismatch.possible);
        match mismatch.kind {
            MismatchKind::Missing => {
                let range = self.range_of(opcode).start..self.range_of(operands.saturating_sub(1)).end;
                self.error(
                    Code::MissingModifier,
                    range,
                    format!("`{name}` needs another modifier{}", listed()),
                );
            }
            MismatchKind::Unknown => {
                let near = nearest_name(word, mismatch.possible.iter().copied());
                let others = if near.is_none() { listed() } else { String::new() };
                let message = format!("{} has no modifier `.{word}`{others}", self.text(opcode));
                let near = near.map(|near| format!(".{near}"));
                self.add(Code::UnknownModifier, true, range, message).suggest(near.as_deref());
            }
            MismatchKind::Repeated => {
                let message = format!("duplicate `.{word}` in `{name}`; ptxas accepts it only once");
                self.error(Code::MisplacedModifier, range, message);
            }
            MismatchKind::Misplaced | MismatchKind::Ignored => {
                let message = format!("`.{word}` is not allowed here in `{name}`{}", listed());
                self.error(Code::MisplacedModifier, range, message);
            }
        }
    }

    fn needs(&mut self, instruction: &Instruction<'a, 'a>, opcode: u32, operands: u32) {
        let Some((version, target)) = self.context.module.version_and_target() else { return };
        let Some((word, need)) = instruction.form.lacks(&instruction.words, version, target) else { return };
        let token = word.and_then(|word| {
            (opcode + 1..operands).find(|token| self.text(*token).strip_prefix('.') == Some(word))
        });
        let (range, what) = if let (Some(token), Some(word)) = (token, word) {
            (self.range_of(token), format!("`.{word}` of {}", instruction.form.opcode()))
        } else {
            let range =
                self.range_of(opcode).start..self.range_of(operands.saturating_sub(1).max(opcode)).end;
            (range.clone(), self.item.text()[range.start as usize..range.end as usize].to_owned())
        };
        self.need(range, &what, need);
    }

    /// Reports the part of a need that the module's version and target do not meet.
    pub(super) fn need(&mut self, place: impl Place, what: &str, need: &Need) {
        let Some((version, target)) = self.context.module.version_and_target() else { return };
        if !need.targets.iter().any(|range| range.holds(target)) {
            let targets: Vec<String> = need.targets.iter().map(ToString::to_string).collect();
            let message = format!("{what} requires {}; the module targets {target}", targets.join(" or "));
            self.error(Code::AboveTarget, place, message);
        } else if version < need.ptx {
            let message = format!("{what} requires PTX {}; the module uses {version}", need.ptx);
            self.error(Code::AboveVersion, place, message);
        }
    }

    fn specials_need(&mut self, statement: &Statement) {
        let tokens = statement.tokens.start..statement.tokens.end;
        let Some((version, target)) = self.context.module.version_and_target() else { return };
        for token in tokens {
            if self.names.use_at(token).is_some_and(|used| used.what == Meaning::SpecialRegister)
                && let Some(special) = self.context.tables.special_register(self.text(token))
                && !special.need.is_met(version, target)
            {
                self.need(self.range_of(token), &format!("`{}`", special.name), &special.need);
            }
        }
    }

    fn operand_count(
        &mut self,
        statement: &Statement,
        spelled: &str,
        have: usize,
        least: usize,
        most: usize,
    ) {
        let StatementKind::Instruction { opcode, .. } = statement.kind else { return };
        let takes = match (least, most) {
            (0, 0) => "none".into(),
            (least, most) if least == most => format!("{least}"),
            (least, most) if least + 1 == most => format!("{least} or {most}"),
            (least, most) => format!("{least} to {most}"),
        };
        let operands = if most == 1 { "operand" } else { "operands" };
        let range = self.range_of(opcode).start..self.item.range(statement).end;
        self.error(Code::OperandCount, range, format!("{spelled} takes {takes} {operands}, not {have}"));
    }

    /// An operand of a shape that its place does not take.
    fn shape(&mut self, instruction: Spelled<'_, 'a>, at: usize) {
        let Some(argument) = instruction.arguments.get(at) else { return };
        let operand = argument.operand;
        let text = operand.text();
        let wants = argument.role.map(|role| match &role.kind {
            RoleKind::Address(_) => "an address in brackets".to_owned(),
            RoleKind::Immediate(_) => "a constant".into(),
            RoleKind::Label => "a label".into(),
            RoleKind::Targets => "the name of a list of targets".into(),
            RoleKind::Function => "a function".into(),
            RoleKind::Arguments => "a list in parentheses".into(),
            RoleKind::Value { .. } => match instruction.count_of(role) {
                Some(1) if operand.kind() == OperandKind::Pair => "one result".into(),
                Some(1) => "one value".into(),
                Some(count) => format!("{count} values in braces"),
                None => "values".into(),
            },
        });
        let message = match wants {
            Some(wants) => format!("{instruction} takes {wants} here, not `{text}`"),
            None => format!("{instruction} does not take an operand such as `{text}`"),
        };
        self.error(Code::OperandKind, &operand, message);
    }
}

/// `; expected .a, .b or .c`, cut after the first `MOST` words.
fn list(possible: &[&str]) -> String {
    const MOST: usize = 8;
    let words: Vec<String> = possible.iter().take(MOST).map(|word| format!(".{word}")).collect();
    if words.is_empty() {
        return String::new();
    }
    if possible.len() > MOST {
        return format!("; expected {}, …", words.join(", "));
    }
    format!("; expected {}", any_of(words))
}
