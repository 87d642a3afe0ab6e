//! Integer instructions: indices, addresses, counters and comparisons of integers.

use crate::engine::kernel_view::KernelView;
use std::ops::RangeInclusive;
use syntax::sass::{Chunk, Instruction};

/// Prefixes of integer opcodes, without the leading `U` of uniform opcodes.
const OF_INTEGERS: [&str; 17] = [
    "IADD", "IMAD", "IMUL", "ISCADD", "ISETP", "ISET", "IMNMX", "IABS", "LEA", "LOP", "SHF", "SHL", "SHR",
    "VIADD", "VIMNMX", "XMAD", "BFE",
];

/// True for an integer instruction. False for `IMAD.MOV`, which only copies a register.
pub(crate) fn is_of_integers(chunk: &Chunk, inst: &Instruction) -> bool {
    let mnemonic = chunk.mnemonic(inst);
    let own = mnemonic.strip_prefix('U').unwrap_or(mnemonic);
    OF_INTEGERS.iter().any(|start| own.starts_with(start)) && !chunk.modifiers(inst).any(|word| word == "MOV")
}

/// Returns the total execution count of the instructions in a range, and the execution count of the integer
/// instructions among them. `times` returns the execution count of one instruction.
pub(crate) fn executed_and_integers(
    kernel: &KernelView<'_>,
    range: RangeInclusive<u32>,
    times: &dyn Fn(u32) -> f64,
) -> (f64, f64) {
    let (mut all, mut integers) = (0.0, 0.0);
    for inst in range {
        let own = times(inst);
        all += own;
        if is_of_integers(kernel.chunk, kernel.text(inst as usize)) {
            integers += own;
        }
    }
    (all, integers)
}

#[cfg(test)]
mod tests {
    use crate::report::ReportSections;
    use crate::{Cancel, Host, LaunchFile};
    use machine::Machine;

    const LISTING: &str = include_str!("../../../../tests/suite/lenses/loop_with_stated_trips.nvsass");

    #[test]
    fn a_loop_has_a_share_of_its_own() {
        let mut host = Host::new(Machine::builtin());
        let launch = "[[launch]]\nfunction = \"counted\"\ngrid = [4]\nblock = [128]\nparams = [100]\n";
        let file = LaunchFile::parse("warplens.toml", launch).expect("the launch is right");
        host.set_launches(Some(file)).expect("its GPU is known");
        host.open("a.nvsass", 1, LISTING);
        let analysis = host.snapshot("a.nvsass", Cancel::default()).expect("it is open");
        let wanted = ReportSections { instructions: true, predictions: true, lines: false };
        let sass = analysis.sass().expect("it is a listing");
        let report = sass.kernel_reports(None, wanted).report(0).expect("nothing cancels it");
        let metrics = report.metrics.expect("the launch is stated");
        let [only] = metrics.loops.as_slice() else { panic!("{metrics:?}") };
        // An iteration has seven instructions, among them an `IADD3` and an `ISETP`.
        assert_eq!((only.address, only.branch_address, only.executed), (0x30, 0x90, 700.0));
        assert!((only.integer_share - 2.0 / 7.0).abs() < 1e-9, "{only:?}");
        // Also a `SHF` before the loop, and four instructions that do not compute with integers.
        let share = metrics.integer_share.expect("all is counted");
        assert!((share - 201.0 / 705.0).abs() < 1e-9, "{share}");
        let details: Vec<String> =
            analysis.lenses().expect("nothing cancels it").into_iter().map(|lens| lens.detail).collect();
        let reported = "29 % of the 7 instructions per iteration are integer arithmetic";
        assert!(details.iter().any(|detail| detail.contains(reported)), "{details:?}");
    }
}
