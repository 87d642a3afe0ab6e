//! Rates of a launch and of a part: the two axes of a roofline.

use super::inputs::PredictionInputs;
use machine::{Gpu, OperationKind};
use model::execution::Survey;
use model::pipeline::{Prediction, Resource};
use serde::Serialize;
use syntax::sass::{Chunk, Instruction, Token, TokenKind};

/// Achieved rates of a launch, and the part's peak rates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rates {
    /// Arithmetic operations of the launch by kind, largest count first.
    pub operations: Vec<AchievedRate>,
    /// Traffic between the L2 cache and DRAM, in bytes; null if the launch is not simulated.
    pub dram: Option<AchievedRate>,
    /// Traffic between the SMs and the L2 cache, in bytes; null if the launch is not simulated.
    pub l2: Option<AchievedRate>,
    /// Operations of all kinds per byte of DRAM traffic; null if the operations or the traffic are
    /// unknown.
    pub intensity: Option<f64>,
}

/// Work of one kind: its amount in a launch, and its rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AchievedRate {
    /// Name of the work: `FP32`, `tensor FP16`, `DRAM`, `L2`.
    pub name: &'static str,
    /// Number of operations or bytes.
    pub count: f64,
    /// Achieved rate; null if the launch's time is not a single number.
    pub per_second: Option<f64>,
    /// Peak rate of the part; null if unknown.
    pub peak_per_second: Option<f64>,
    /// Achieved fraction of the peak rate, 0 to 1; null if either rate is null.
    pub share: Option<f64>,
    /// Fraction of the time for which the unit is busy, 0 to 1. It exceeds `share` if requests take
    /// longer than the transfer of their bytes. Null for arithmetic.
    pub busy: Option<f64>,
}

/// One line of a roofline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ceiling {
    pub name: &'static str,
    /// Operations per second for a flat ceiling, bytes per second for a sloped one.
    pub per_second: f64,
    pub is_bandwidth: bool,
}

impl AchievedRate {
    fn new(name: &'static str, count: f64, seconds: Option<f64>, peak_per_second: Option<f64>) -> Self {
        let per_second = seconds.map(|seconds| count / seconds.max(f64::MIN_POSITIVE));
        let share = per_second.zip(peak_per_second).map(|(rate, peak)| (rate / peak).clamp(0.0, 1.0));
        Self { name, count, per_second, peak_per_second, share, busy: None }
    }

    /// Sets `busy` to the unit's busy fraction in a simulation.
    fn taken(self, prediction: &Prediction, unit: Resource) -> Self {
        let busy = prediction.busy.iter().find(|(of, _)| *of == unit).map(|(_, share)| share.min(1.0));
        Self { busy, ..self }
    }

    /// Explains why the unit is busy for longer than the transfer of its bytes. The text follows the
    /// fraction of the peak. Empty if the unit is not busy for longer.
    pub fn busy_in_words(&self) -> String {
        const APART: f64 = 0.05; // limit: a smaller difference is within the model's error
        match self.busy.zip(self.share) {
            Some((busy, share)) if busy > share + APART => format!(
                "; busy {:.0} % of the time, because stores, atomics and partly used lines take longer than the \
                 transfer of their bytes",
                100.0 * busy
            ),
            _ => String::new(),
        }
    }

    /// True if the amount is large enough among `all` to be shown. Small amounts are often moves that
    /// the compiler wrote as arithmetic.
    pub fn is_noted(&self, all: &[Self]) -> bool {
        const MIN: f64 = 0.01; // limit: less does not change the figures that are shown
        let most = all.iter().map(|done| done.count).fold(0.0, f64::max);
        self.count >= MIN * most
    }
}

pub(super) fn rates(
    question: &PredictionInputs<'_>,
    survey: &Survey,
    missed: f64,
    prediction: Option<&Prediction>,
    microseconds: Option<f64>,
) -> Rates {
    let gpu = &question.kernel.target.gpu;
    let seconds = microseconds.map(|microseconds| microseconds * 1e-6);
    let operations = operations(question, survey, missed);
    let mut operations: Vec<AchievedRate> = operations
        .into_iter()
        .map(|done| {
            let peak = gpu.operations_per_second(done.kind).filter(|_| !done.is_group);
            AchievedRate::new(done.kind.name(), done.count, seconds, peak)
        })
        .collect();
    operations.sort_by(|one, other| other.count.total_cmp(&one.count));
    let dram = prediction.map(|prediction| {
        let peak = gpu.part.dram_bytes_per_second.value;
        let dram = AchievedRate::new("DRAM", prediction.dram_bytes, seconds, (peak > 0.0).then_some(peak));
        dram.taken(prediction, Resource::Dram)
    });
    let l2 = prediction.map(|prediction| {
        let l2 = AchievedRate::new("L2", prediction.l2_bytes, seconds, l2_bytes_per_second(gpu));
        l2.taken(prediction, Resource::L2)
    });
    let all: f64 = operations.iter().map(|done| done.count).sum();
    let bytes = dram.as_ref().map_or(0.0, |dram| dram.count);
    let intensity = (all > 0.0 && bytes > 0.0).then(|| all / bytes);
    Rates { operations, dram, l2, intensity }
}

/// True if an arithmetic instruction is only a move, because a factor or summand is zero.
///
/// Compilers write `HFMA2.MMA R4, -RZ, RZ, 0, 0` for a constant and `HADD2.F32 R0, -RZ, R1` for a
/// conversion. The first operand is the result. The next two operands are the factors of a product, or
/// the summands.
fn is_move(chunk: &Chunk, instruction: &Instruction) -> bool {
    let is_zero = |operand: &[Token]| {
        let mut registers = operand
            .iter()
            .filter(|token| matches!(token.kind, TokenKind::Register | TokenKind::UniformRegister));
        registers.next().is_some_and(Token::is_zero_register) && registers.next().is_none()
    };
    chunk.operands(instruction).skip(1).take(2).any(is_zero)
}

/// Returns the operations of the launch by kind. The survey's counts are multiplied by `missed`, because the survey may
/// cut warps off.
fn operations(question: &PredictionInputs<'_>, survey: &Survey, missed: f64) -> Vec<OperationCount> {
    let mut all: Vec<OperationCount> = Vec::new();
    let chunk = question.kernel.chunk;
    for (text, counts) in chunk.instructions().iter().zip(&survey.counts) {
        if counts.executed <= 0.0 {
            continue;
        }
        let modifiers: Vec<&str> = chunk.modifiers(text).collect();
        let Some(row) = question.kernel.model.isa().operations_of(chunk.mnemonic(text), &modifiers) else {
            continue;
        };
        if row.per == machine::CountUnit::Lane && is_move(chunk, text) {
            continue;
        }
        let Some(of_warp) = row.of_warp(counts.lanes, modifiers.iter().copied()) else { continue };
        let count = of_warp * counts.executed * survey.all_warps as f64 * missed;
        let is_group = row.per == machine::CountUnit::Product;
        match all.iter_mut().find(|done| done.kind == row.kind) {
            Some(done) => {
                done.count += count;
                done.is_group |= is_group;
            }
            None => all.push(OperationCount { kind: row.kind, count, is_group }),
        }
    }
    all
}

/// Number of operations of one kind.
#[derive(Debug)]
struct OperationCount {
    kind: OperationKind,
    count: f64,
    /// True for operations of warp groups, whose peak rate differs from a single warp's peak rate and is unknown.
    is_group: bool,
}

/// Returns the L2 bandwidth in bytes per second; `None` if the part was not measured.
fn l2_bytes_per_second(gpu: &Gpu) -> Option<f64> {
    let l2 = &gpu.arch.pipeline.as_ref()?.l2;
    let bytes = f64::from(l2.requests.value) * f64::from(l2.request_bytes.value);
    (bytes > 0.0).then(|| bytes * f64::from(gpu.part.boost_mhz.value) * 1e6)
}

/// Ceilings that bound every launch on a part, memory ceilings first.
pub(super) fn ceilings(gpu: &Gpu) -> Vec<Ceiling> {
    let bandwidth = |name, per_second| Ceiling { name, per_second, is_bandwidth: true };
    let mut ceilings = vec![bandwidth("DRAM", gpu.part.dram_bytes_per_second.value)];
    ceilings.extend(l2_bytes_per_second(gpu).map(|per_second| bandwidth("L2", per_second)));
    let rates = OperationKind::ALL.into_iter().filter_map(|kind| {
        let per_second = gpu.operations_per_second(kind)?;
        Some(Ceiling { name: kind.name(), per_second, is_bandwidth: false })
    });
    ceilings.extend(rates);
    ceilings
}
