//! Checks of directives: their positions and their arguments.

use super::Check;
use super::code::Code;
use machine::nearest_name;
use model::ptx::{Meaning, SymbolKind};
use syntax::ptx::{FunctionKind, ItemKind, Performance, Statement, StatementKind, TokenKind, literal};

impl<'a> Check<'a> {
    pub(super) fn directives(&mut self) {
        self.performance();
        for statement in self.item.statements() {
            if statement.kind != StatementKind::Directive || self.is_broken(statement) {
                continue;
            }
            match self.item.directive(statement) {
                Some(".branchtargets") => self.target_list(statement, SymbolKind::Label),
                Some(".calltargets") => self.target_list(statement, SymbolKind::Function),
                Some(".pragma") if self.item.kind() == ItemKind::Directive => {}
                Some(word) => self.directive_need(statement, word),
                None => {}
            }
        }
    }

    fn directive_need(&mut self, statement: &Statement, word: &str) {
        if matches!(word, ".version" | ".target" | ".address_size") {
            return;
        }
        let Some((version, target)) = self.context.module.version_and_target() else { return };
        let Some(directive) = self.context.tables.directive(word) else { return };
        if !directive.need.is_met(version, target) {
            self.need(self.range_of(statement.tokens.start), &format!("`{word}`"), &directive.need);
        }
    }

    /// Checks the directives between a function's parameters and its body.
    fn performance(&mut self) {
        let Some(function) = self.item.function().copied() else { return };
        let head = self.item.statements().first();
        if head.is_none_or(|head| self.is_broken(head)) {
            return;
        }
        let is_entry = function.kind == FunctionKind::Entry;
        let all: Vec<Performance<'a>> = self.item.performance(&function).collect();
        let has = |name: &str| all.iter().any(|one| self.item.token_text(one.word) == name);
        let conflicts = [(".maxntid", ".reqntid"), (".reqnctapercluster", ".maxclusterrank")];
        let conflict = conflicts.into_iter().find(|(first, second)| has(first) && has(second));
        let has_results = function.returns.start < function.returns.end;
        for one in &all {
            let word = self.item.token_text(one.word);
            let is_for_kernels = matches!(
                word,
                ".maxnreg"
                    | ".maxntid"
                    | ".reqntid"
                    | ".minnctapersm"
                    | ".maxnctapersm"
                    | ".reqnctapercluster"
                    | ".explicitcluster"
                    | ".maxclusterrank"
                    | ".blocksareclusters"
                    | ".minperctamemory"
            );
            let is_for_functions = matches!(word, ".noreturn" | ".abi_preserve" | ".abi_preserve_control");
            let Some(directive) = self.context.tables.directive(word) else {
                let all = self.context.tables.directives();
                let known = all.filter(|one| one.places.iter().any(|place| &**place == "function"));
                let near = nearest_name(word, known.map(|one| &*one.name));
                let message = format!("`{word}` is not a function directive");
                self.add(Code::InvalidDirective, true, one.word, message).suggest(near);
                continue;
            };
            let clash = conflict.filter(|(_, second)| *second == word);
            let wrong = if is_for_kernels && !is_entry {
                Some(format!("`{word}` is only for kernels, not for a .func"))
            } else if is_for_functions && is_entry {
                Some(format!("`{word}` is only for a .func, not for kernels"))
            } else if word == ".noreturn" && has_results {
                Some("a .noreturn function cannot have results".to_owned())
            } else {
                clash.map(|(first, second)| format!("`{first}` and `{second}` cannot be combined"))
            };
            if let Some(message) = wrong {
                self.error(Code::InvalidDirective, one.word, message);
            } else if let Some((version, target)) = self.context.module.version_and_target()
                && !directive.need.is_met(version, target)
            {
                self.need(one.word, &format!("`{word}`"), &directive.need);
            } else {
                self.sizes(one, word);
            }
        }
    }

    /// The numbers of `.maxntid 256, 1, 1`.
    fn sizes(&mut self, one: &Performance<'a>, word: &str) {
        let most = match word {
            ".maxntid" | ".reqntid" | ".reqnctapercluster" => 3,
            ".maxnreg" | ".minnctapersm" | ".maxnctapersm" | ".maxclusterrank" => 1,
            _ => return,
        };
        let arguments: Vec<_> = one.arguments().collect();
        if arguments.is_empty() || arguments.len() > most {
            let takes = if most == 1 { "one number".to_owned() } else { format!("one to {most} numbers") };
            let message = format!("`{word}` takes {takes}, not {}", arguments.len());
            return self.error(Code::InvalidDirective, one.word, message);
        }
        for argument in arguments {
            let is_fit = match argument.tokens() {
                [number] if number.kind == TokenKind::Integer => {
                    literal::integer(self.item.token_text(number)) != Some(0)
                }
                _ => false,
            };
            if !is_fit {
                let message = format!("`{word}` takes a positive number here, not `{}`", argument.text());
                self.error(Code::InvalidDirective, &argument, message);
            }
        }
    }

    /// The names of a list of targets.
    fn target_list(&mut self, statement: &Statement, kind: SymbolKind) {
        for token in statement.tokens.start + 1..statement.tokens.end {
            let Some(used) = self.names.use_at(token) else { continue };
            let fits = match used.what {
                Meaning::Symbol(symbol, _) => self.names.symbols()[symbol as usize].kind == kind,
                Meaning::Outer => {
                    let global = self.context.globals.find(self.text(token));
                    global.is_none_or(|global| global.kind == kind)
                }
                _ => false,
            };
            if !fits {
                let what = if kind == SymbolKind::Label { "label" } else { "function" };
                let message = format!("`{}` is not a {what}", self.text(token));
                self.error(Code::OperandKind, self.range_of(token), message);
            }
        }
    }
}
