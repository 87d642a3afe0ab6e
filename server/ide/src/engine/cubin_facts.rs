//! What a cubin states of its kernels, as a listing's own headers would.

use crate::engine::parameters::layout::ParameterPlace;
use crate::engine::stated::Given;
use machine::Machine;
use model::launch::Stating;
use syntax::cubin::{Cubin, CubinFunction, Param};

/// Facts of a cubin for its kernels' listing: resources, and places of parameters.
pub(crate) fn given(cubin: &Cubin, machine: &Machine) -> Given {
    Given { resources: resources(cubin, machine).into(), places: places(cubin).into(), ..Given::default() }
}

/// Returns the resources that a cubin states, for [`crate::Host::set_resources`], by the names that its listing has.
///
/// Shared memory is the kernel's own, as `ncu` counts it: without what the system keeps of every block.
pub fn resources(cubin: &Cubin, machine: &Machine) -> Vec<(String, Stating)> {
    let reserved = if cubin.shared_has_reserved {
        machine.gpu_for_sm(cubin.sm).arch.resources.shared_reserved_per_block.value
    } else {
        0
    };
    let stating = |kernel: &CubinFunction| Stating {
        registers: kernel.registers,
        shared: u32::try_from(kernel.shared_bytes.saturating_sub(reserved.into())).ok(),
        block: kernel.required_threads,
    };
    cubin.kernels().map(|kernel| (kernel.name.clone(), stating(kernel))).collect()
}

/// Returns the places of each kernel's parameters, in the order of the declaration, by the names that its listing has.
pub(crate) fn places(cubin: &Cubin) -> Vec<(String, Vec<ParameterPlace>)> {
    let place = |param: &Param| ParameterPlace { offset: param.offset.into(), bytes: param.bytes };
    let of = |kernel: &CubinFunction| (kernel.name.clone(), kernel.params.iter().map(place).collect());
    cubin.kernels().map(of).collect()
}
