//! A test whose data is missing must fail or report what it skipped. It must not pass silently.

use super::tracked;
use crate::repo::Repo;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

/// Functions that check whether a file exists or read a file.
const FILES: [&str; 6] = ["exists", "is_dir", "is_file", "read", "read_dir", "read_to_string"];
/// Names and keywords that mark a branch as not silent: the branch reports a skipped part, fails the test, or stays
/// in a loop or ends it.
const HEARD: [&str; 4] = ["left_out", "panic", "continue", "break"];

#[test]
fn a_test_without_its_data_says_so() {
    let repo = Repo::find().unwrap();
    let mut silent = Vec::new();
    for path in tracked(&repo.path(""), "*.rs").lines() {
        let text = std::fs::read_to_string(repo.path(path)).unwrap();
        let file = syn::parse_file(&text).unwrap();
        let is_of_tests = path.split('/').any(|folder| folder == "tests" || folder == "tests.rs");
        let mut tests =
            SilentReturns { in_test: false, is_of_tests, reporting: reporting(&file), silent: Vec::new() };
        tests.visit_file(&file);
        silent.extend(tests.silent.into_iter().map(|name| format!("{path}: {name}")));
    }
    assert!(
        silent.is_empty(),
        "these tests return silently; use `return testkit::left_out(…)`:\n{silent:#?}"
    );
}

struct SilentReturns {
    /// True within a test function.
    in_test: bool,
    /// True if all functions of the file are for tests.
    is_of_tests: bool,
    /// Functions of the file that report missing data.
    reporting: Vec<String>,
    /// Tests that return silently.
    silent: Vec<String>,
}

impl SilentReturns {
    fn look_at(&mut self, name: &str, block: &Block) {
        for statement in &block.stmts {
            let (mut condition, mut branch) = (Names::default(), Names::default());
            match statement {
                Stmt::Local(local) => {
                    let Some(init) = &local.init else { continue };
                    let Some((_, otherwise)) = &init.diverge else { continue };
                    condition.visit_expr(&init.expr);
                    branch.visit_expr(otherwise);
                }
                Stmt::Expr(Expr::If(own), _) if own.else_branch.is_none() && returns(&own.then_branch) => {
                    condition.visit_expr(&own.cond);
                }
                _ => continue,
            }
            let reports = |name: &String| name == "testkit" || self.reporting.contains(name);
            let is_heard =
                branch.0.iter().any(|name| HEARD.contains(&name.as_str())) || condition.0.iter().any(reports);
            let is_end = branch.0.is_empty() && self.in_test;
            let is_of_file = condition.0.iter().any(|name| FILES.contains(&name.as_str()));
            if !is_heard && (is_end || is_of_file) {
                self.silent.push(name.to_owned());
            }
        }
    }
}

impl<'ast> Visit<'ast> for SilentReturns {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.in_test = function.attrs.iter().any(|attribute| attribute.path().is_ident("test"));
        if self.in_test || self.is_of_tests {
            self.look_at(&function.sig.ident.to_string(), &function.block);
        }
        visit::visit_item_fn(self, function);
    }
}

/// Returns the functions that report missing data themselves. Their callers need not report it.
fn reporting(file: &syn::File) -> Vec<String> {
    let functions = file.items.iter().filter_map(|item| match item {
        syn::Item::Fn(function) => Some(function),
        _ => None,
    });
    let reports = |function: &&syn::ItemFn| {
        let mut names = Names::default();
        names.visit_block(&function.block);
        names.0.iter().any(|name| name == "left_out" || name == "testkit")
    };
    functions.filter(reports).map(|function| function.sig.ident.to_string()).collect()
}

/// True if a block is a bare `return`.
fn returns(block: &Block) -> bool {
    matches!(&block.stmts[..], [Stmt::Expr(Expr::Return(own), _)] if own.expr.is_none())
}

/// The names in a piece of code, including the keywords that leave a loop.
#[derive(Default)]
struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.0.push(name.to_string());
    }

    fn visit_expr_continue(&mut self, _: &'ast syn::ExprContinue) {
        self.0.push("continue".to_owned());
    }

    fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
        self.0.push("break".to_owned());
    }
}

#[test]
fn a_silent_return_is_found() {
    let found = |text: &str| {
        let file = syn::parse_file(text).unwrap();
        let mut tests = SilentReturns {
            in_test: false,
            is_of_tests: true,
            reporting: reporting(&file),
            silent: Vec::new(),
        };
        tests.visit_file(&file);
        tests.silent
    };
    assert_eq!(found("#[test] fn a() { let Some(text) = shared() else { return }; }"), ["a"]);
    assert_eq!(found("#[test] fn b() { if !path.exists() { return; } }"), ["b"]);
    assert_eq!(
        found("fn c() -> Vec<u8> { let Ok(all) = fs::read(path) else { return Vec::new() }; all }"),
        ["c"]
    );
    assert_eq!(
        found("#[test] fn d() { let Some(a) = b() else { return testkit::left_out(\"b\") }; }").len(),
        0
    );
    let helper = "fn text() -> Option<u8> { testkit::left_out(\"it\"); None }";
    assert_eq!(
        found(&format!("{helper} #[test] fn a() {{ let Some(a) = text() else {{ return }}; }}")).len(),
        0
    );
    assert_eq!(found("fn e() -> u8 { let Some(a) = b() else { return 0 }; a }").len(), 0);
}
