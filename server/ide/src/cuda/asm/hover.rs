//! Hovers on the PTX of `asm` statements.

use super::{operand, text_of};
use crate::Hover;
use crate::cuda::view::CudaView;
use crate::engine::lineage::Lineage;
use crate::engine::ptx_text::PtxText;
use crate::ptx::hover as ptx_hover;
use crate::ptx::view::View;
use crate::words::markdown::code;
use advisor::inline_asm::{Code, Constraint, Letter, Statement};
use machine::ptx::Ptx;
use std::fmt::Write;
use std::sync::Arc;
use syntax::cuda::asm::Template;

/// Returns the hover for the PTX at an offset. `None` outside of the strings of an `asm` statement.
pub(crate) fn hover(view: &CudaView<'_>, offset: usize) -> Option<Hover> {
    let (placed, byte) = view.text.unit().item_at(offset)?;
    let block = placed.item.asm.iter().find(|block| block.range.contains(&byte))?;
    let text = text_of(view, placed);
    let tables = Ptx::builtin();
    let statement = Statement { item: &placed.item, text, block };
    let template = Template::read(text, block).filter(|template| statement.is_ptx(template, &tables))?;
    let at = template.byte_at(byte)?;
    let line = view.text.text()[..placed.start as usize].matches('\n').count();
    let code = Code::new(text, block, &template, Some(line));
    let meaning = code.as_ref().and_then(|code| {
        let module = Arc::new(PtxText::parse(code.text()));
        let lineage = Lineage::default();
        let view = View::new(&module, &lineage, view.context, view.cancel);
        let found = ptx_hover::meaning(&view, code.byte_at(at)? as usize)?;
        let own = found.range.start as u32..found.range.end as u32;
        let range = placed.range(&template.place(&code.place(&own)));
        // Convert the text between two links at a time, because its length may change.
        let mut shown = Hover { range, markdown: String::new(), links: Vec::new() };
        let mut copied = 0;
        for link in found.links {
            shown.markdown += &Code::shown(&found.markdown[copied..link], block);
            shown.links.push(shown.markdown.len());
            copied = link;
        }
        shown.markdown += &Code::shown(&found.markdown[copied..], block);
        Some(shown)
    });
    let Some(register) = template.registers.iter().find(|register| register.range.contains(&at)) else {
        return meaning;
    };
    let markdown = operand_in_words(statement, register.operand)?;
    // Keep only the text of the PTX hover after the rule. This text describes the instruction.
    let instruction = meaning.and_then(|found| {
        let (_, instruction) = found.markdown.split_once("\n---\n")?;
        Some(instruction.to_owned())
    });
    let markdown = match instruction {
        Some(instruction) => format!("{markdown}\n---\n{instruction}"),
        None => markdown,
    };
    Some(Hover { range: placed.range(&template.place(&register.range)), markdown, links: Vec::new() })
}

/// Returns Markdown: `` **%1**: input, `x + 1`. Constraint `r`: an integer of 32 bits, in a register of
/// `.b32`. ``
fn operand_in_words(statement: Statement<'_>, number: u32) -> Option<String> {
    let own = statement.block.operands.get(number as usize)?;
    let role = operand::role(statement.text, own);
    let value = operand::value(statement.text, own);
    let text = statement.slice(&own.constraint);
    let mut markdown = format!("**%{number}**: {role}, {}\n", code(&value));
    let _ = match operand::constraint(statement.text, own) {
        Ok(Constraint { letter, .. }) => match letter.register() {
            Some(of) => {
                writeln!(markdown, "\nConstraint `{text}`: {}, in a register of `.{of}`.", letter.in_words())
            }
            None if letter == Letter::Constant => {
                writeln!(markdown, "\nConstraint `{text}`: {}, written into the code.", letter.in_words())
            }
            None => writeln!(markdown, "\nConstraint `{text}`: {}.", letter.in_words()),
        },
        Err(why) => writeln!(markdown, "\nConstraint `{text}`: {why}."),
    };
    Some(markdown)
}
