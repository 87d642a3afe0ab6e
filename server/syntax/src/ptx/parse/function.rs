//! `.entry` and `.func`.

use super::{Parser, Step};
use crate::ptx::variable::{is_linkage, is_space};
use crate::ptx::{Function, FunctionKind, ItemKind, StatementKind, TokenKind, TokenRange};

impl Parser<'_> {
    /// Reads on from `.entry` or `.func`; `linkage` is the index of the word before.
    pub(super) fn function(&mut self, linkage: Option<u32>) -> ItemKind {
        let kind = if self.word() == ".entry" { FunctionKind::Entry } else { FunctionKind::Func };
        self.bump_as(TokenKind::Directive);
        let none = TokenRange { start: self.next_index(), end: self.next_index() };
        let mut function = Function {
            kind,
            linkage,
            name: None,
            returns: none,
            parameters: none,
            performance: none,
            body: None,
        };
        let step = self.signature(&mut function);
        let step = step.and_then(|()| self.body_or_end());
        if step.is_err() {
            self.skip_head();
        }
        self.brackets.clear();
        let has_body = self.is(b'{');
        if !has_body {
            self.eat(b';');
        }
        self.add(0, StatementKind::Function, Ok(()));
        if has_body {
            function.body = Some(self.statements.len() as u32);
            self.body();
        }
        self.function = Some(function);
        ItemKind::Function
    }

    fn signature(&mut self, function: &mut Function) -> Step {
        // `.attribute` may precede the name.
        self.directives()?;
        if self.is(b'(') {
            let (range, step) = self.parameters();
            function.returns = range;
            step?;
        }
        let name = self.next_index();
        self.expect_kind(TokenKind::Name, "expected the function's name")?;
        function.name = Some(name);
        if self.is(b'(') {
            let (range, step) = self.parameters();
            function.parameters = range;
            step?;
        }
        function.performance.start = self.next_index();
        let step = self.directives();
        function.performance.end = self.next_index();
        step
    }

    /// A declaration ends with `;` or, as `ptxas` has it, where another item begins.
    fn body_or_end(&mut self) -> Step {
        let is_item = self.kind() == Some(TokenKind::Modifier) && begins_item(self.word());
        if is_item || self.is(b'{') || self.is(b';') { Ok(()) } else { Err(self.fail("expected `{` or `;`")) }
    }

    /// Reads the directives of a function with their arguments.
    pub(super) fn directives(&mut self) -> Step {
        while self.kind() == Some(TokenKind::Modifier) && !begins_item(self.word()) {
            let word = self.word();
            if word == ".attribute" {
                self.attribute()?;
                continue;
            }
            self.bump_as(TokenKind::Directive);
            let is_pragma = word == ".pragma";
            if is_pragma && self.kind() != Some(TokenKind::String) {
                return Err(self.fail("expected a string"));
            }
            self.values()?;
            if is_pragma {
                self.expect(b';', "expected `;` behind the pragma")?;
            }
        }
        Ok(())
    }

    /// Goes on to the body, to the `;` of a declaration, or to where another item begins.
    fn skip_head(&mut self) {
        while let Some(kind) = self.kind() {
            let ends = match kind {
                TokenKind::Punct(b'{' | b'}' | b';') => true,
                TokenKind::Modifier => self.first_on_line && begins_item(self.word()),
                _ => false,
            };
            if ends {
                return;
            }
            self.bump();
        }
    }

    /// `.callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
    pub(super) fn prototype(&mut self) -> Step {
        self.bump_as(TokenKind::Directive);
        if self.is(b'(') {
            self.parameters().1?;
        }
        self.expect_kind(TokenKind::Name, "expected `_`")?;
        if self.is(b'(') {
            self.parameters().1?;
        }
        self.directives()?;
        self.semicolon()
    }
}

/// True for words that begin an item at module scope, or a statement, and are no directive of a function.
pub(super) fn begins_item(word: &str) -> bool {
    is_linkage(word)
        || is_space(word)
        || matches!(
            word,
            ".entry"
                | ".func"
                | ".version"
                | ".target"
                | ".address_size"
                | ".file"
                | ".section"
                | ".alias"
                | ".loc"
                | ".align"
        )
}
