//! Converts tree-sitter nodes to the trees of this crate.

mod declarations;
mod expressions;
mod nodes;
mod statements;
mod types;

use super::mask::mask;
use super::{Expr, ExprKind};
use expressions::Reader;
use nodes::parts;
use tree_sitter::Parser;

pub(super) use declarations::{declarations, item};

/// Reads a single expression, such as the text of a macro; `None` if the text is not an expression.
pub fn parse_expression(text: &str) -> Option<Expr> {
    const BEFORE: &str = "int x = (";
    const MAX: usize = 4096; // limit: what is longer is code
    let text = text.trim();
    if text.is_empty() || text.len() > MAX {
        return None;
    }
    let whole = format!("{BEFORE}{text}\n);");
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).ok()?;
    let tree = parser.parse(&*mask(&whole), None)?;
    if tree.root_node().has_error() {
        return None;
    }
    let declaration = tree.root_node().named_child(0)?.child_by_field_name("declarator")?;
    let value = declaration.child_by_field_name("value")?;
    let expr = Reader::new(&whole, BEFORE.len()).expr(parts(value).next()?);
    (expr.kind != ExprKind::Unknown).then_some(expr)
}
