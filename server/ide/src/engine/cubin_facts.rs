//! Facts that a cubin states about its kernels, in the form of a listing's headers.

use crate::engine::parameters::layout::ParameterPlace;
use crate::engine::stated::ExternalFacts;
use machine::Machine;
use model::launch::DeclaredResources;
use syntax::cubin::{Cubin, CubinFunction, Param};

/// Returns a cubin's facts about its kernels: resources, and offsets and sizes of parameters.
pub(crate) fn given(cubin: &Cubin, machine: &Machine) -> ExternalFacts {
    ExternalFacts {
        resources: resources(cubin, machine).into(),
        places: places(cubin).into(),
        ..ExternalFacts::default()
    }
}

/// Returns the resources of each kernel in a cubin, for [`crate::Host::set_resources`]. Each kernel is named as in
/// the cubin's listing.
///
/// Shared memory is in bytes per block, as `ncu` reports it: without the bytes that the system reserves per block.
pub fn resources(cubin: &Cubin, machine: &Machine) -> Vec<(String, DeclaredResources)> {
    let reserved = if cubin.shared_has_reserved {
        machine.gpu_for_sm(cubin.sm).arch.resources.shared_reserved_per_block.value
    } else {
        0
    };
    let stating = |kernel: &CubinFunction| DeclaredResources {
        registers: kernel.registers,
        shared: u32::try_from(kernel.shared_bytes.saturating_sub(reserved.into())).ok(),
        block: kernel.required_threads,
    };
    cubin.kernels().map(|kernel| (kernel.name.clone(), stating(kernel))).collect()
}

/// Returns the offset and size of each kernel's parameters, in declaration order. Each kernel is named as in the
/// cubin's listing.
pub(crate) fn places(cubin: &Cubin) -> Vec<(String, Vec<ParameterPlace>)> {
    let place = |param: &Param| ParameterPlace { offset: param.offset.into(), bytes: param.bytes };
    let of = |kernel: &CubinFunction| (kernel.name.clone(), kernel.params.iter().map(place).collect());
    cubin.kernels().map(of).collect()
}
