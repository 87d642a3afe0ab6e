//! Numeric constants outside of `machine`: each has a comment on its origin.
//!
//! A bound of the program has `// limit:` with its reason, a fact about hardware or another program has `// Source:`,
//! in the comment above the constant or at the end of its line. Constants of `machine` come from its data.

use super::{ALLOWED, compare, sources};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

const NUMBERS: [&str; 14] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];

#[test]
fn numeric_constants_say_what_they_are() {
    let mut found = BTreeMap::<String, usize>::new();
    for source in sources().iter().filter(|source| !matches!(source.package.as_str(), "machine" | "xtask")) {
        let mut constants = Constants { lines: source.text.lines().collect(), bare: 0 };
        for item in &source.items {
            constants.visit_item(item);
        }
        if constants.bare > 0 {
            *found.entry(source.package.clone()).or_default() += constants.bare;
        }
    }
    compare("numeric constants without `// limit:` or `// Source:`", &found, &ALLOWED.constants);
}

struct Constants<'t> {
    lines: Vec<&'t str>,
    /// Number of constants with neither `// limit:` nor `// Source:`.
    bare: usize,
}

impl Constants<'_> {
    fn note(&mut self, of: &syn::Type, span: proc_macro2::Span) {
        let syn::Type::Path(path) = of else { return };
        if !path.path.get_ident().is_some_and(|name| NUMBERS.contains(&name.to_string().as_str())) {
            return;
        }
        let (first, last) = (span.start().line - 1, span.end().line - 1);
        let above = self.lines[..first].iter().rev().take_while(|line| line.trim_start().starts_with("//"));
        let own = self.lines[first..=last].iter();
        let says = |line: &&str| ["limit:", "Source:"].iter().any(|mark| line.contains(mark));
        self.bare += usize::from(!above.chain(own).any(says));
    }
}

impl<'ast> Visit<'ast> for Constants<'_> {
    fn visit_item_const(&mut self, constant: &'ast syn::ItemConst) {
        self.note(&constant.ty, constant.span());
        visit::visit_item_const(self, constant);
    }

    fn visit_impl_item_const(&mut self, constant: &'ast syn::ImplItemConst) {
        self.note(&constant.ty, constant.span());
    }
}
