//! Names that several types or functions share.

use super::{ALLOWED, compare, sources};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Item, Visibility};

/// Largest number of modules of one crate with types of the same name.
const MODULES: usize = 2;
/// Vague names, which at most two types of all crates may have.
const VAGUE: [&str; 6] = ["Answer", "Line", "Row", "Step", "Part", "Place"];
const MAX_VAGUE_USES: usize = 2;

#[test]
fn a_name_is_of_one_type() {
    let mut modules = BTreeMap::<String, BTreeSet<String>>::new();
    for source in sources() {
        for (name, is_public) in types(&source.items) {
            if is_public {
                modules.entry(format!("{} {name}", source.package)).or_default().insert(source.path.clone());
            }
        }
    }
    let shared = modules.into_iter().filter(|(_, files)| files.len() > MODULES);
    let found = shared.map(|(name, files)| (name, files.len())).collect();
    compare("names of public types in more than two modules of a crate", &found, &ALLOWED.names);
}

#[test]
fn a_vague_name_is_hardly_used() {
    let mut found = BTreeMap::<String, usize>::new();
    for (name, _) in sources().iter().flat_map(|source| types(&source.items)) {
        if VAGUE.contains(&name.as_str()) {
            *found.entry(name).or_default() += 1;
        }
    }
    found.retain(|_, count| *count > MAX_VAGUE_USES);
    compare("vague names of more than two types", &found, &ALLOWED.vague_names);
}

#[test]
fn no_function_is_named_of() {
    let mut found = BTreeMap::<String, usize>::new();
    for source in &sources() {
        let mut functions = FunctionsOf(0);
        for item in &source.items {
            functions.visit_item(item);
        }
        if functions.0 > 0 {
            *found.entry(source.package.clone()).or_default() += functions.0;
        }
    }
    compare("functions named `of`", &found, &ALLOWED.functions_of);
}

/// The types that items declare, each with whether other modules may use it.
fn types(items: &[Item]) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for item in items {
        let (name, visibility) = match item {
            Item::Enum(item) => (&item.ident, &item.vis),
            Item::Struct(item) => (&item.ident, &item.vis),
            Item::Trait(item) => (&item.ident, &item.vis),
            Item::Type(item) => (&item.ident, &item.vis),
            Item::Union(item) => (&item.ident, &item.vis),
            Item::Mod(module) => {
                found.extend(types(module.content.as_ref().map_or(&[], |(_, items)| items)));
                continue;
            }
            _ => continue,
        };
        found.push((name.to_string(), !matches!(visibility, Visibility::Inherited)));
    }
    found
}

struct FunctionsOf(usize);

impl<'ast> Visit<'ast> for FunctionsOf {
    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.0 += usize::from(signature.ident == "of");
        visit::visit_signature(self, signature);
    }
}
