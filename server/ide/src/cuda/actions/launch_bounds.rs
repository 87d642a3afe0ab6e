//! Code action that adds `__launch_bounds__` for the block sizes of the kernel's launches.

use super::place::EditSite;
use crate::cuda::kernels::known_blocks;
use crate::cuda::view::CudaView;
use crate::{AdviceAction, Fix, TextEdit};

/// Returns the action for the name of a kernel. `None` if the kernel has launch bounds or several
/// declarations, or if the block size of a launch is unknown.
pub(super) fn action(place: &EditSite<'_>) -> Option<AdviceAction> {
    let EditSite { function, placed, .. } = place;
    let name = &function.name_range;
    let head = place.slice(&(0..name.start));
    let is_asked = function.is_kernel() && (name.start..=name.end).contains(&place.byte);
    let is_bounded = !function.launch_bounds.is_empty() || head.contains("__maxnreg__");
    if !is_asked || is_bounded || !head.ends_with(char::is_whitespace) {
        return None;
    }
    let unit = place.view.text.unit();
    if unit.functions().any(|(other, own)| own.name == function.name && other.start != placed.start) {
        return None;
    }
    let gpu = place.view.target_gpu().gpu;
    let blocks = known_blocks(place.view, place.item, function, &gpu)?;
    let threads: u32 = blocks.iter().map(|block| block.iter().product()).max()?;
    let title = format!("Add __launch_bounds__({threads}), the size of the largest launched block");
    let edit = place.edit(name.start..name.start, format!("__launch_bounds__({threads}) "));
    Some(AdviceAction {
        explanation:
            "The compiler then knows how many registers a thread may have. A launch of larger blocks fails."
                .to_owned(),
        ..AdviceAction::ready(title, vec![edit])
    })
}

/// Returns a fix that adds launch bounds. Launch bounds limit registers so that `blocks` blocks of `threads`
/// threads fit on an SM. `None` if the kernel is not in the file, has launch bounds, or is declared more than
/// once.
pub(crate) fn more_blocks(view: &CudaView<'_>, kernel: &str, threads: u64, blocks: u64) -> Option<Fix> {
    let mut named = view.text.unit().functions().filter(|(_, function)| function.name == kernel);
    let (placed, function) = named.next().filter(|(_, function)| function.is_kernel())?;
    let name = placed.range(&function.name_range);
    let head = view.text.text().get(placed.start as usize..name.start)?;
    if named.next().is_some()
        || !function.launch_bounds.is_empty()
        || head.contains("__maxnreg__")
        || !head.ends_with(char::is_whitespace)
    {
        return None;
    }
    let bounds = format!("__launch_bounds__({threads}, {blocks})");
    Some(Fix {
        title: format!("Add {bounds}: fewer registers, for {blocks} blocks per SM"),
        edits: vec![TextEdit { range: name.start..name.start, text: format!("{bounds} ") }],
        preferred: false,
        suppresses: false,
    })
}
