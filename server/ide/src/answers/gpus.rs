//! Figures for a kernel's first launch on each GPU that can run the kernel.

use super::snapshot::Snapshot;
use crate::GpuRow;
use crate::engine::cancel::Cancellable;
use crate::engine::context::Context;
use crate::engine::target::Wish;
use crate::kernels::predict::effort::full;
use std::sync::Arc;

/// Returns one row of figures per GPU for the kernel at `offset`, the current GPU first. Empty if there is no
/// kernel.
pub(crate) fn on_gpus(snapshot: &Snapshot, offset: usize) -> Cancellable<Vec<GpuRow>> {
    let row = |on: &Snapshot, sm: u16, is_current: bool| -> Cancellable<Option<GpuRow>> {
        let roofline = on.ask(|language| language.roofline(offset, full))?;
        let first = roofline.and_then(|roofline| roofline.launches.into_iter().next());
        Ok(first.map(|launch| GpuRow::new(launch, sm, is_current)))
    };
    let machine = &snapshot.context.machine;
    let current = snapshot.answers(|language| language.current_sm());
    let mut rows = Vec::from_iter(row(snapshot, current, true)?);
    for part in machine.parts.iter().filter(|part| snapshot.answers(|language| language.runs_on(part.sm))) {
        // The current GPU already has a row.
        if rows.iter().any(|row: &GpuRow| row.gpu == part.name) {
            continue;
        }
        let Ok(gpu) = machine.gpu(&part.id) else { continue };
        let wish = Wish { gpu: Some(gpu), ..Wish::default() };
        let context = Arc::new(Context { wish, ..(*snapshot.context).clone() });
        rows.extend(row(&Snapshot { context, ..snapshot.clone() }, part.sm, false)?);
    }
    Ok(rows)
}
