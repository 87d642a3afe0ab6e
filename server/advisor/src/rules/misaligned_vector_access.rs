//! A wide access at an address that is not a multiple of its size. Such an access makes the kernel fail.

mod ptx;

use crate::cuda;
use crate::finding::{Finding, Severity};
use crate::kernel::Kernel;
use crate::memory::{Memory, at_launches};
use crate::rule::{Check, Group, Rule};
use machine::Hardware;
use model::MemorySpace;
use model::cuda::Run;
use model::requests::Request;

pub(super) const RULE: Rule = Rule {
    code: "misaligned-vector-access",
    rank: 220,
    group: Group::Memory,
    severity: Severity::Error,
    summary: "An access at an address that is not a multiple of its size: the kernel fails with an error.",
    page: include_str!("misaligned_vector_access.md"),
    checks: &[Check::Run(check), Check::Ptx(ptx::check), Check::Cuda(check_cuda)],
};

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let memory = kernel.memory;
    for inst in memory.used() {
        let found: Vec<usize> = (0..memory.launches.len())
            .filter(|&at| memory.launches[at].holds(inst, |asked| asked.misaligned))
            .collect();
        if let Some(&first) = found.first() {
            findings.extend(finding(memory, inst, first, &found));
        }
    }
}

fn check_cuda(subject: &cuda::Subject<'_>, findings: &mut Vec<cuda::Finding>) {
    for launch in &subject.launches {
        for (site, used) in &launch.run.uses {
            let place = site.place;
            let is_known = findings.iter().any(|known| known.code == RULE.code && known.place == place);
            let is_off =
                |run: &Run| run.uses.iter().any(|(other, used)| other == site && used.misaligned.is_some());
            let Some((request, bytes)) = used.misaligned.filter(|_| !is_known) else { continue };
            let Some(lane) = misaligned(&request, bytes) else { continue };
            if !launch.other_shapes.iter().all(|run| is_off(run)) {
                continue;
            }
            let past = request.addresses[lane] % u64::from(bytes);
            let message = format!(
                "{bytes}-byte access at an address that is not {bytes}-byte aligned even if the array is aligned: \
                 lane {lane} is {past} byte{} off, and the kernel fails with \"misaligned address\". Align the \
                 offsets, or use narrower accesses.",
                if past == 1 { "" } else { "s" },
            );
            let finding = cuda::Finding::new(RULE.code, place, message);
            findings.push(cuda::Finding { severity: Some(Severity::Warning), ..finding });
        }
    }
}

fn finding(memory: &Memory<'_>, inst: u32, at: usize, found: &[usize]) -> Option<Finding> {
    let launched = &memory.launches[at];
    let asked = launched.asked(inst)?;
    let worst = asked.worst.as_ref()?;
    let is_matrix =
        matches!(memory.chunk.mnemonic(&memory.chunk.instructions()[inst as usize]), "LDSM" | "STSM");
    let bytes = if is_matrix {
        Hardware::builtin().matrix_row_bytes.value
    } else {
        asked.bytes_per_lane.next_power_of_two()
    };
    let of_source = misaligned(&worst.request, bytes).map(|lane| (lane, false));
    let of_copy = || Some((misaligned(worst.destination.as_ref()?, bytes)?, true));
    let (lane, of_destination) = of_source.or_else(of_copy)?;
    let request = if of_destination { worst.destination.as_ref()? } else { &worst.request };
    let past = request.addresses[lane] % u64::from(bytes);
    let formula = memory.formula_sentence(inst, of_destination, &launched.launch);
    let is_shared = asked.space == MemorySpace::Shared || of_destination;
    let is_certain = !launched.launch.assumed;
    let stops = if is_certain { "fails" } else { "may fail" };
    let advice = if is_shared {
        "Align the array and its rows to the access size, or use narrower accesses."
    } else {
        "Align the pointer and its offsets, or use narrower accesses."
    };
    let message = format!(
        "{bytes}-byte access at an address that is not {bytes}-byte aligned; the kernel {stops} with \"misaligned \
         address\". Lane {lane} of warp {} in block {} is {past} byte{} off{}.{formula} {advice}",
        worst.warp,
        block(worst.ctaid),
        if past == 1 { "" } else { "s" },
        at_launches(memory, found),
    );
    let severity = launched.severity().or_else(|| (!is_certain).then_some(Severity::Warning));
    Some(Finding { severity, ..memory.finding(RULE.code, inst, of_destination, message) })
}

/// The first active lane whose address is not a multiple of the size; `None` if all addresses are aligned.
fn misaligned(request: &Request, bytes: u32) -> Option<usize> {
    let is_on = |lane: &usize| request.active >> lane & 1 == 1;
    (0..request.addresses.len())
        .filter(is_on)
        .find(|&lane| !request.addresses[lane].is_multiple_of(u64::from(bytes)))
}

fn block([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}
