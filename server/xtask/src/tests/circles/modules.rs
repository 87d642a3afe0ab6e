//! The modules of a crate: the declarations and imports of each, and the file that a path leads to.

use crate::texts::rust::{attributes, is_for_tests};
use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Item, UseTree};

/// Maximum number of imports that are followed to resolve a path, because imports may form a cycle.
const DEEPEST: usize = 30;

#[derive(Debug)]
pub(in crate::tests) struct Crate {
    folder: PathBuf,
    files: Vec<PathBuf>,
    modules: Vec<Module>,
    /// Blocks of inherent methods: the module, the type's path there, the methods.
    impls: Vec<(usize, Vec<String>, Bodies)>,
}

/// The inherent methods of a type in one file.
#[derive(Debug)]
pub(in crate::tests) struct Methods {
    /// The file that declares the type, and its name.
    pub of: String,
    pub file: String,
    pub names: Vec<String>,
    /// Names of the methods that these methods call on `self` and `Self`.
    pub called: Vec<String>,
}

#[derive(Debug)]
struct Module {
    file: usize,
    parent: Option<usize>,
    names: HashMap<String, Name>,
    /// Paths of `use path::*`.
    globs: Vec<Vec<String>>,
    /// Paths in the module's own text, including those of `use`.
    paths: Vec<Vec<String>>,
}

#[derive(Debug)]
enum Name {
    Module(usize),
    Item,
    Import(Vec<String>),
}

/// Target of a resolved path.
#[derive(Debug, Clone, Copy)]
enum End {
    Module(usize),
    Item(usize),
}

impl Crate {
    /// Reads a crate, starting from its root file.
    pub(in crate::tests) fn read(root: &Path) -> Result<Self> {
        let folder = root.parent().context("a root file lies in a folder")?.to_owned();
        let mut parsed =
            Self { folder: folder.clone(), files: Vec::new(), modules: Vec::new(), impls: Vec::new() };
        parsed.read_file(root, &folder, None)?;
        Ok(parsed)
    }

    /// Returns the file's path below the crate's folder.
    pub(super) fn name(&self, file: usize) -> String {
        let path = &self.files[file];
        path.strip_prefix(&self.folder).unwrap_or(path).display().to_string()
    }

    /// Returns the pairs of files of which the first uses the second, each with the names of the items used.
    pub(super) fn uses(&self) -> BTreeMap<(usize, usize), BTreeSet<&str>> {
        let mut uses = BTreeMap::<_, BTreeSet<_>>::new();
        for (at, module) in self.modules.iter().enumerate() {
            for path in &module.paths {
                if let Some(End::Item(file)) = self.follow(at, path, 0)
                    && file != module.file
                {
                    uses.entry((module.file, file)).or_default().extend(path.last().map(String::as_str));
                }
            }
        }
        uses
    }

    /// Returns the blocks of inherent methods of the crate's own types.
    pub(in crate::tests) fn methods(&self) -> Vec<Methods> {
        let of = |(module, path, bodies): &(usize, Vec<String>, Bodies)| {
            let Some(End::Item(declared)) = self.follow(*module, path, 0) else { return None };
            Some(Methods {
                of: format!("{} {}", self.name(declared), path.last()?),
                file: self.name(self.modules[*module].file),
                names: bodies.names.clone(),
                called: bodies.called.clone(),
            })
        };
        self.impls.iter().filter_map(of).collect()
    }

    /// Reads a file whose submodules are in `folder`.
    fn read_file(&mut self, path: &Path, folder: &Path, parent: Option<usize>) -> Result<usize> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| path.display().to_string())?;
        self.files.push(path.to_owned());
        self.read_module(self.files.len() - 1, &parsed.items, folder, parent)
    }

    fn read_module(
        &mut self,
        file: usize,
        items: &[Item],
        folder: &Path,
        parent: Option<usize>,
    ) -> Result<usize> {
        let at = self.modules.len();
        let module = Module { file, parent, names: HashMap::new(), globs: Vec::new(), paths: Vec::new() };
        self.modules.push(module);
        for item in items.iter().filter(|item| !attributes(item).iter().any(is_for_tests)) {
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let below = folder.join(&name);
                    let child = if let Some((_, items)) = &inner.content {
                        self.read_module(file, items, &below, Some(at))?
                    } else {
                        let flat = folder.join(format!("{name}.rs"));
                        let path = if flat.exists() { flat } else { below.join("mod.rs") };
                        self.read_file(&path, &below, Some(at))?
                    };
                    self.modules[at].names.insert(name, Name::Module(child));
                }
                Item::Use(import) => {
                    let is_private = matches!(import.vis, syn::Visibility::Inherited);
                    self.modules[at].import(&import.tree, &mut Vec::new(), is_private);
                }
                Item::Macro(written) if written.mac.path.is_ident("include") => {
                    self.read_folder(file, folder, at)?;
                }
                _ => {
                    if let Some(name) = name_of(item) {
                        self.modules[at].names.insert(name, Name::Item);
                    }
                    Paths(&mut self.modules[at].paths).visit_item(item);
                    if let Item::Impl(block) = item
                        && block.trait_.is_none()
                        && let syn::Type::Path(of) = &*block.self_ty
                    {
                        let path = of.path.segments.iter().map(|segment| segment.ident.to_string());
                        let mut bodies = Bodies::default();
                        bodies.visit_item_impl(block);
                        self.impls.push((at, path.collect(), bodies));
                    }
                }
            }
        }
        Ok(at)
    }

    /// Reads the files of a folder as the modules within a module `files`, as a build script declares them.
    fn read_folder(&mut self, file: usize, folder: &Path, parent: usize) -> Result<()> {
        let listed = self.read_module(file, &[], folder, Some(parent))?;
        self.modules[parent].names.insert("files".to_owned(), Name::Module(listed));
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|found| found == "rs") && !["mod", "tests"].contains(&&*name) {
                let child = self.read_file(&path, &folder.join(&name), Some(listed))?;
                self.modules[listed].names.insert(name, Name::Module(child));
            }
        }
        Ok(())
    }

    /// Resolves a path in a module; `None` if it leads out of the crate or is a local name.
    fn follow(&self, module: usize, path: &[String], depth: usize) -> Option<End> {
        let (first, mut rest) = path.split_first()?;
        let mut end = match first.as_str() {
            "crate" => End::Module(0),
            "self" => End::Module(module),
            "super" => End::Module(self.modules[module].parent?),
            name => self.look_up(module, name, depth)?,
        };
        while let (End::Module(module), Some((next, others))) = (end, rest.split_first()) {
            end = match next.as_str() {
                "super" => End::Module(self.modules[module].parent?),
                "self" => end,
                name => self.look_up(module, name, depth)?,
            };
            rest = others;
        }
        Some(end)
    }

    fn look_up(&self, at: usize, name: &str, depth: usize) -> Option<End> {
        if depth > DEEPEST {
            return None;
        }
        let module = &self.modules[at];
        match module.names.get(name) {
            Some(Name::Module(child)) => Some(End::Module(*child)),
            Some(Name::Item) => Some(End::Item(module.file)),
            // An import with the name of its own path is a crate, such as `use machine;`.
            Some(Name::Import(path)) if path.len() > 1 || path[0] != name => self.follow(at, path, depth + 1),
            Some(Name::Import(_)) => None,
            None => module.globs.iter().find_map(|glob| match self.follow(at, glob, depth + 1)? {
                End::Module(other) if other != at => self.look_up(other, name, depth + 1),
                _ => None,
            }),
        }
    }
}

impl Module {
    fn import(&mut self, tree: &UseTree, before: &mut Vec<String>, is_private: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, is_private);
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before, is_private);
                }
            }
            UseTree::Glob(_) => self.globs.push(before.clone()),
            UseTree::Name(name) => {
                self.name(name.ident.to_string(), name.ident.to_string(), before, is_private);
            }
            UseTree::Rename(name) => {
                self.name(name.rename.to_string(), name.ident.to_string(), before, is_private);
            }
        }
    }

    fn name(&mut self, name: String, imported: String, before: &[String], is_private: bool) {
        let mut path = before.to_vec();
        let is_self = imported == "self";
        if !is_self {
            path.push(imported);
        }
        let name = if is_self && name == "self" { before.last().cloned().unwrap_or_default() } else { name };
        if is_private {
            self.paths.push(path.clone());
        }
        self.names.entry(name).or_insert(Name::Import(path));
    }
}

/// The methods of a block, and those that they call on `self` and `Self`.
#[derive(Debug, Default)]
struct Bodies {
    names: Vec<String>,
    called: Vec<String>,
}

impl<'ast> Visit<'ast> for Bodies {
    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.names.push(function.sig.ident.to_string());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if matches!(&*call.receiver, syn::Expr::Path(receiver) if receiver.path.is_ident("self")) {
            self.called.push(call.method.to_string());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let segments = &path.path.segments;
        if segments.len() == 2 && segments[0].ident == "Self" {
            self.called.push(segments[1].ident.to_string());
        }
        visit::visit_expr_path(self, path);
    }
}

/// Collects the paths of an item.
struct Paths<'a>(&'a mut Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invoked: &'ast syn::Macro) {
        self.tokens(invoked.tokens.clone());
    }
}

impl Paths<'_> {
    /// Collects token sequences in a macro's invocation that look like paths of two or more parts.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(word) => {
                    if colons != 2 {
                        path.clear();
                    }
                    path.push(word.to_string());
                    if path.len() > 1 {
                        self.0.push(path.clone());
                    }
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.tokens(group.stream());
                    path.clear();
                }
                _ => path.clear(),
            }
        }
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
