//! Lengths of files and functions.

use super::{ALLOWED, compare, sources, tracked};
use crate::repo::Repo;
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Largest number of lines of a file, including its tests.
const MAX_FILE_LINES: usize = 800;
/// Largest number of lines of a function.
const MAX_FUNCTION_LINES: usize = 100;

#[test]
fn files_are_short() {
    let lengths = sources().into_iter().map(|source| (source.path, source.text.lines().count()));
    let found = lengths.filter(|(_, lines)| *lines > MAX_FILE_LINES).collect();
    compare("files of more than 800 lines", &found, &ALLOWED.files);
}

/// Largest size of a tracked file in bytes, measurements included; a larger file was committed by mistake.
const MAX_TRACKED_BYTES: u64 = 4 << 20;

#[test]
fn no_dump_is_tracked() {
    let repo = Repo::find().unwrap();
    let root = repo.path("");
    // A file that is deleted but not committed yet has no size.
    let size = |path: &&str| std::fs::metadata(root.join(path)).map_or(0, |about| about.len());
    let listed = tracked(&root, ".");
    let large: Vec<&str> = listed.lines().filter(|path| size(path) > MAX_TRACKED_BYTES).collect();
    assert!(large.is_empty(), "of more than {MAX_TRACKED_BYTES} bytes: {large:?}");
    let is_plain =
        |path: &&str| path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/+: ".contains(&byte));
    let odd: Vec<&str> = listed.lines().filter(|path| !is_plain(path)).collect();
    assert!(odd.is_empty(), "odd names: {odd:?}");
}

#[test]
fn functions_are_short() {
    let mut found = BTreeMap::new();
    for source in &sources() {
        let mut functions = Functions::default();
        for item in &source.items {
            functions.visit_item(item);
        }
        for (name, lines) in functions.long {
            found.insert(format!("{} {name}", source.path), lines);
        }
    }
    compare("functions of more than 100 lines that are not marked as tables", &found, &ALLOWED.functions);
}

#[derive(Default)]
struct Functions {
    long: Vec<(String, usize)>,
}

impl Functions {
    fn note(&mut self, signature: &syn::Signature, block: &syn::Block, attributes: &[syn::Attribute]) {
        let span = block.span();
        let lines = span.end().line + 1 - signature.span().start().line;
        if lines > MAX_FUNCTION_LINES && !is_table(attributes) {
            self.long.push((signature.ident.to_string(), lines));
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig, &function.block, &function.attrs);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(&function.sig, &function.block, &function.attrs);
        visit::visit_impl_item_fn(self, function);
    }
}

/// True for a function marked by `#[expect(clippy::too_many_lines, reason = "a table …")]`.
fn is_table(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let words = list.tokens.to_string();
        words.contains("too_many_lines") && words.contains("table")
    })
}
