//! Documentation of proposed items, computed when the user selects an item.

use crate::CompletionKind;
use crate::ptx::needs;
use crate::ptx::view::View;
use machine::ptx::{Page, Ptx};

/// Documentation of a proposed item, in Markdown. For a modifier, `opcode` is the instruction written
/// so far. `None` if the item is undocumented.
pub(crate) fn page(view: &View<'_>, kind: CompletionKind, label: &str, opcode: &str) -> Option<String> {
    let table = &view.table;
    match kind {
        CompletionKind::Opcode => {
            let pages: Vec<Page> = of_opcode(table, label).collect();
            match pages[..] {
                [] => None,
                [only] => Some(only.body().to_owned()),
                _ => {
                    let lines = pages.iter().map(|page| format!("- `{}`: {}", page.name, page.summary()));
                    Some(lines.collect::<Vec<_>>().join("\n"))
                }
            }
        }
        CompletionKind::Modifier => {
            let meaning = of_modifier(table, opcode, label)?;
            Some(format!("`.{label}`: {meaning}"))
        }
        CompletionKind::SpecialRegister => {
            let register = table.special_register(label)?;
            let need = needs::in_words(&register.need);
            Some(format!("**{label}**: {}\n\nNeeds {need}.", register.meaning))
        }
        CompletionKind::Directive => {
            let directive = table.directive(label).or_else(|| table.directive(&format!(".{label}")))?;
            let need = needs::in_words(&directive.need);
            Some(format!("`{}`: {}\n\nNeeds {need}.", directive.name, directive.meaning))
        }
        _ => None,
    }
}

/// Meaning of a modifier, or of the instruction whose name ends with the modifier. `None` if
/// undocumented.
pub(super) fn of_modifier<'t>(table: &'t Ptx, name: &str, word: &str) -> Option<&'t str> {
    table.modifier(name, word).or_else(|| {
        let whole = format!("{name}.{word}");
        table.page(&whole).filter(|page| page.name == whole).map(Page::summary)
    })
}

/// Pages of the instructions with an opcode, without duplicates, in table order.
pub(super) fn of_opcode<'t>(table: &'t Ptx, opcode: &str) -> impl Iterator<Item = Page> + use<'t> {
    let mut seen: Vec<&str> = Vec::new();
    let forms = table.instruction(opcode).iter();
    forms.filter_map(|form| table.page(&form.name)).filter(move |page| {
        let is_new = !seen.contains(&page.name);
        if is_new {
            seen.push(page.name);
        }
        is_new
    })
}
