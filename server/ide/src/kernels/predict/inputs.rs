//! A launch to be predicted, with all known facts about it.

use crate::engine::kernel_view::KernelView;
use crate::engine::measured::UsedProfileData;
use crate::engine::parameters::types::parameter_types;
use crate::kernels::launch::{doubtful_widths, taken};
use machine::MemorySpace;
use model::execution::Survey;
use model::launch::StatedBy;
use model::pipeline::Prediction;
use model::{Access, Inst, KernelTiming, Launch, RegisterFile};
use std::collections::BTreeSet;

/// One launch of one kernel, and its times by the paper's equations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PredictionInputs<'a> {
    pub kernel: &'a KernelView<'a>,
    pub launch: &'a Launch,
    /// Index of the launch among the kernel's launches.
    pub number: usize,
    pub times: &'a KernelTiming,
}

impl PredictionInputs<'_> {
    /// Returns the data that the launch uses from an attached profile, and a description of the profiled launch. `None`
    /// if the launch uses no profile data.
    pub(crate) fn taken(&self) -> Option<(UsedProfileData, String)> {
        taken(self.kernel, self.launch)
    }

    /// Returns the assumptions of a prediction. Each is one word, with the affected address if there is one:
    /// `trips:0x2a0`.
    pub(super) fn assumed(&self, survey: &Survey, prediction: Option<&Prediction>) -> Vec<String> {
        let Self { kernel, launch, .. } = self;
        let KernelView { sass, chunk, .. } = kernel;
        let mut assumed = Vec::new();
        let mut assume = |is: bool, what: &str| {
            if is {
                assumed.push(what.to_owned());
            }
        };
        assume(launch.assumed, "launch");
        assume(sass.context.wish.gpu.is_none(), "gpu");
        assume(matches!(launch.registers.by, StatedBy::Inferred | StatedBy::Assumed), "registers");
        let is_stated = matches!(launch.shared.by, StatedBy::Launch | StatedBy::Listing);
        assume(!is_stated && self.uses_shared_memory(), "shared");
        assume(!self.states_parameters() && self.takes_parameters(), "params");
        let widths = doubtful_widths(kernel, self.number);
        assumed.extend(widths.into_iter().map(|at| format!("width:arg{at}")));
        let mut at = |what: &str, insts: &BTreeSet<u32>| {
            for &inst in insts {
                let Some(described) = kernel.program().instructions.get(inst as usize) else { continue };
                assumed.push(match kernel.source() {
                    Some(source) if source.label(inst).is_none() => {
                        format!("{what}:line {}", source.line_of(inst))
                    }
                    _ => format!("{what}:{}", sass.loop_key(chunk, inst, described.address)),
                });
            }
        };
        match prediction {
            Some(prediction) => {
                at("trips", &prediction.guessed_trips);
                at("addresses", &prediction.unknown_addresses);
                at("slow_paths", &prediction.slow_paths);
                at("constants", &self.indexed_constants());
            }
            None => at("trips", &survey.guessed_trips),
        }
        at("counters", &survey.counters);
        assumed
    }

    /// Returns the constant loads to uniform registers that are in a loop and have a computed index.
    ///
    /// The cache of such loads is small. On an H100 (2026-11-25), a loop over 500 bytes takes 3 to 4 SM
    /// cycles per load if each warp of an SM is at a different position. A loop over 600 bytes or more
    /// takes up to 9 cycles. The models count all such loads as hits.
    fn indexed_constants(&self) -> BTreeSet<u32> {
        let program = self.kernel.program();
        let is_uniform = |access: &Access| access.register.file == RegisterFile::Uniform;
        let repeats = |block| {
            program.flow.reached(program.flow.successors(block).iter().copied()).contains(block as usize)
        };
        let is_one = |inst: &Inst| {
            inst.memory.is_some_and(|memory| memory.space == MemorySpace::Constant)
                && program.writes(inst).iter().any(is_uniform)
                && program.reads(inst).iter().any(is_uniform)
                && repeats(inst.block)
        };
        (0..).zip(&program.instructions).filter(|(_, inst)| is_one(inst)).map(|(at, _)| at).collect()
    }

    fn uses_shared_memory(&self) -> bool {
        let memories = self.kernel.program().instructions.iter().filter_map(|inst| inst.memory);
        memories.into_iter().any(|memory| memory.space == MemorySpace::Shared)
    }

    fn states_parameters(&self) -> bool {
        let launches = self.kernel.sass.context.launches.as_ref();
        let name = self.kernel.chunk.name().unwrap_or_default();
        let entry = launches.and_then(|file| file.launches_of(name).nth(self.number));
        entry.is_some_and(|entry| entry.params.is_some() || !entry.constants.is_empty())
    }

    fn takes_parameters(&self) -> bool {
        let types = parameter_types(self.kernel.chunk.name().unwrap_or_default());
        types.map_or_else(
            || !self.kernel.model.pointers(self.kernel.chunk).is_empty(),
            |types| !types.is_empty(),
        )
    }
}
