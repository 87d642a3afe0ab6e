//! String literals of Rust, in expressions and in macros, and the help texts that clap generates from doc comments.

use super::sentences::reads_as_words;
use super::text::Text;
use anyhow::Result;
use proc_macro2::{Literal, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Lit, Meta};

/// Macros whose texts only developers read: failed assertions, detailed logs.
const SILENT_MACROS: [&str; 12] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "debug",
    "trace",
    "concat_bytes",
    "env",
];

/// Returns the literals of a source file that consist of words, without the literals of its tests.
pub(super) fn texts(source: &str) -> Result<Vec<Text>> {
    let file = syn::parse_file(source)?;
    let mut found = Literals::default();
    found.visit_file(&file);
    found.texts.sort_by_key(|text| text.line);
    found.texts.dedup();
    Ok(found.texts)
}

#[derive(Default)]
struct Literals {
    texts: Vec<Text>,
    /// True within a type that clap derives arguments for.
    is_help: bool,
}

impl Literals {
    fn push(&mut self, literal: &syn::LitStr) {
        self.push_text(literal.span().start().line, literal.value());
    }

    fn push_text(&mut self, line: usize, text: String) {
        if reads_as_words(&text) {
            self.texts.push(Text { line, text });
        }
    }

    fn push_tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.push_tokens(group.stream()),
                TokenTree::Literal(literal) => self.push_literal(literal),
                TokenTree::Ident(name) if is_silent(&name.to_string()) => {
                    // `assert!(…)` in a macro's tokens.
                    if matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!') {
                        tokens.next();
                        tokens.next();
                    }
                }
                // An attribute or a doc comment.
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    tokens.next_if(|next| matches!(next, TokenTree::Group(_)));
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn push_literal(&mut self, literal: Literal) {
        if let Lit::Str(text) = Lit::new(literal) {
            self.push(&text);
        }
    }

    /// Adds the doc comment that clap prints as a help text.
    fn push_help(&mut self, attributes: &[Attribute]) {
        let lines: Vec<&syn::LitStr> = attributes.iter().filter_map(doc_line).collect();
        let Some(first) = lines.first() else { return };
        let line = first.span().start().line;
        let text: Vec<String> = lines.iter().map(|line| line.value().trim().to_owned()).collect();
        self.push_text(line, text.join("\n"));
    }
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = attributes(item);
        if attributes.iter().any(is_for_tests) {
            return;
        }
        let was_help = self.is_help;
        self.is_help |= attributes.iter().any(derives_arguments);
        if self.is_help {
            self.push_help(attributes);
        }
        visit::visit_item(self, item);
        self.is_help = was_help;
    }

    /// Skips attributes, except messages of `thiserror` and texts that clap prints.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let is_message = ["error", "arg", "command"].iter().any(|name| attribute.path().is_ident(name));
        if let Meta::List(list) = &attribute.meta
            && is_message
        {
            self.push_tokens(list.tokens.clone());
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if self.is_help {
            self.push_help(&field.attrs);
        }
        visit::visit_field(self, field);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if self.is_help {
            self.push_help(&variant.attrs);
        }
        visit::visit_variant(self, variant);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !function.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let is_regex = matches!(&*call.func, syn::Expr::Path(path)
            if path.path.segments.iter().any(|segment| segment.ident.to_string().starts_with("Regex")));
        if !is_regex {
            visit::visit_expr_call(self, call);
        }
    }

    /// Skips the text of `expect`, which addresses readers of the code.
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.method == "expect" {
            self.visit_expr(&call.receiver);
        } else {
            visit::visit_expr_method_call(self, call);
        }
    }

    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.push(literal);
    }

    fn visit_macro(&mut self, invoked: &'ast syn::Macro) {
        let is_silent = invoked.path.segments.last().is_some_and(|name| is_silent(&name.ident.to_string()));
        if !is_silent {
            self.push_tokens(invoked.tokens.clone());
        }
    }
}

fn is_silent(name: &str) -> bool {
    SILENT_MACROS.contains(&name)
}

/// Returns the text of a line of a doc comment; `None` for any other attribute.
pub(crate) fn doc_line(attribute: &Attribute) -> Option<&syn::LitStr> {
    let Meta::NameValue(doc) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) = &doc.value else { return None };
    attribute.path().is_ident("doc").then_some(text)
}

/// True for `#[test]`, `#[cfg(test)]` and `#[cfg(all(test, …))]`.
pub(crate) fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return attribute.path().is_ident("test") };
    attribute.path().is_ident("cfg") && names(list.tokens.clone(), &["test"], &["not"])
}

fn derives_arguments(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let derives = ["Args", "Parser", "Subcommand", "ValueEnum"];
    attribute.path().is_ident("derive") && names(list.tokens.clone(), &derives, &[])
}

/// True if the tokens contain one of `any` and none of `none`.
fn names(tokens: TokenStream, any: &[&str], none: &[&str]) -> bool {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found.iter().any(|name| any.contains(&&**name)) && !found.iter().any(|name| none.contains(&&**name))
}

fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => found.push(name.to_string()),
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Returns the attributes of a declaration or an import.
pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
