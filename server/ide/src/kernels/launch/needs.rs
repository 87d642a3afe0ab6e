//! Values that determine a launch's cycles but are not stated by the launch.

use super::parameters::{Code, Parameters};
use crate::engine::constant_reads::with_isa;
use crate::engine::kernel_view::KernelView;
use crate::words::to_state::UnstatedInputs;
use model::Launch;
use model::dataflow::Definitions;
use model::launch::Origins;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the values that the user must state for a kernel's launch with index `number`.
///
/// `insts` are the instructions with unknown control flow or address. `loops` are the loop branches
/// among them.
pub(crate) fn to_state(
    kernel: &KernelView<'_>,
    launch: &Launch,
    number: usize,
    insts: &BTreeSet<u32>,
    loops: &BTreeSet<u32>,
) -> UnstatedInputs {
    let all = origins(kernel, insts);
    let parameters = unstated(kernel, launch, number, &all);
    let by_memory =
        |branch: &&u32| unstated(kernel, launch, number, &origins(kernel, &[**branch].into())).is_empty();
    let key = |branch: &u32| {
        let address = kernel.program().instructions.get(*branch as usize)?.address;
        Some(kernel.sass.loop_key(kernel.chunk, *branch, address))
    };
    let trips = loops.iter().filter(by_memory).filter_map(key).collect();
    UnstatedInputs { parameters, trips }
}

fn origins(kernel: &KernelView<'_>, insts: &BTreeSet<u32>) -> Origins {
    let KernelView { chunk, model, .. } = kernel;
    if Arc::ptr_eq(&model.program.arch, &model.isa_arch) {
        return Origins::trace(chunk, &model.program, model.definitions(), insts.iter().copied());
    }
    with_isa(chunk, &model.program, &model.isa_arch, |program| {
        let definitions = Definitions::compute(program, &program.arch.isa);
        Origins::trace(chunk, program, &definitions, insts.iter().copied())
    })
}

/// Returns the names of the parameters that contain the traced words and that the launch does not
/// state, without duplicates.
fn unstated(kernel: &KernelView<'_>, launch: &Launch, number: usize, origins: &Origins) -> Vec<String> {
    let KernelView { sass, chunk, target, model, .. } = kernel;
    let arch = &model.isa_arch;
    let first = arch.constant_bank.parameters.value;
    let function = chunk.name().unwrap_or_default();
    let entry = sass.context.launches.as_ref().and_then(|file| file.launches_of(function).nth(number));
    let parameters = Parameters::new(sass, chunk, target, Code::Modelled(model));
    let open = origins.words.iter().filter(|word| **word >= first && launch.constant(arch, **word).is_none());
    let pairs = &model.constant_reads(chunk).pairs;
    // The upper half of a 64-bit number belongs to the parameter that contains the lower half.
    let first_word = |word: u32| word.checked_sub(4).filter(|low| pairs.contains(low)).unwrap_or(word);
    let mut names: Vec<String> = Vec::new();
    for name in open.map(|&word| parameters.name_of(entry, first_word(word))) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
