//! Report of a complete document.

use super::Report;
use super::reports::Reports;
use crate::ModelChoice;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use model::ModelName;
use syntax::sass::Chunk;

pub(crate) fn whole_report(sass: &SassView) -> Cancellable<Report> {
    let reports = Reports::keeping(sass);
    let kernels = (0..reports.len()).map(|number| reports.report(number)).collect::<Cancellable<_>>()?;
    Ok(Report { kernels, ..outline(sass) })
}

/// Returns the report without its kernels.
pub(crate) fn outline(sass: &SassView) -> Report {
    let mut gpus: Vec<String> = Vec::new();
    let mut models: Vec<&str> = Vec::new();
    for (_, chunk) in sass.kernels() {
        let target = sass.target(chunk);
        let name = &target.gpu.part.name;
        if !gpus.contains(name) {
            gpus.push(name.clone());
        }
        let model = issue_model(sass, chunk, &target).name();
        if !models.contains(&model) {
            models.push(model);
        }
    }
    if models.is_empty() {
        models.push(ModelName::Paper.name());
    }
    Report { schema: SCHEMA, gpu: gpus.join(", "), model: models.join(", "), kernels: Vec::new() }
}

/// Returns the model that predicts a kernel's issue cycles, without computing the kernel's model.
fn issue_model(sass: &SassView, chunk: &Chunk, target: &Target) -> ModelName {
    let isa_arch = sass.context.machine.gpu_for_sm(target.isa_sm).arch;
    let applies = sass.context.config.model != ModelChoice::Paper
        && target.gpu.arch.pipeline.is_some()
        && isa_arch.sm == target.gpu.arch.sm
        && chunk.instructions().iter().all(|inst| inst.control.is_some());
    if applies { ModelName::Pipeline } else { ModelName::Paper }
}

const SCHEMA: u32 = 1; // limit: raised when a field changes its meaning
