//! Convolution layers: figures of a launch whose entry states the sizes of a convolution layer.

use super::inputs::PredictionInputs;
use model::MemorySpace;
use model::convolution::{Layer, arithmetic_intensity};
use model::execution::Survey;
use serde::Serialize;

/// Figures of a convolution layer, by the equations of Zhou et al., ICS 2017.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConvolutionReport {
    /// Number of rows of the output, P (Equation 23). `output_columns` is the number of columns, Q
    /// (Equation 24).
    pub output_rows: u64,
    pub output_columns: u64,
    /// Multiplications plus additions, including those with padding zeros.
    pub operations: f64,
    /// Fraction of `operations` that remains if operations with padding zeros are skipped (Equation
    /// 25); null if the layer has no output.
    pub pad_reduce: Option<f64>,
    /// FP32 operations per byte that the code loads from shared memory; null if the code executes no
    /// such loads or no FP32 operations.
    pub intensity: Option<f64>,
    /// Side of the largest square output block that fits in the kernel's registers, together with one
    /// row and one column of the factors. `block_intensity` is the intensity of that block (Equation
    /// 22).
    pub block: u32,
    pub block_intensity: f64,
}

/// Registers per thread for addresses and counters, in addition to the output block.
const OTHER_REGISTERS: u32 = 16; // limit: a rule of thumb

pub(super) fn convolution(question: &PredictionInputs<'_>, survey: &Survey) -> Option<ConvolutionReport> {
    let layer: Layer = question.launch.convolution?;
    let free = question.launch.registers.value.saturating_sub(OTHER_REGISTERS);
    let block = (1..=16).take_while(|r| r * r + 2 * r <= free).last().unwrap_or(1);
    Some(ConvolutionReport {
        output_rows: layer.output_rows(),
        output_columns: layer.output_columns(),
        operations: layer.operations(),
        pad_reduce: layer.pad_reduce(),
        intensity: intensity(question, survey),
        block,
        block_intensity: arithmetic_intensity(block, block),
    })
}

/// FP32 operations per byte loaded from shared memory. `None` if the code executes no such loads or no
/// FP32 operations.
fn intensity(question: &PredictionInputs<'_>, survey: &Survey) -> Option<f64> {
    let (mut operations, mut bytes) = (0.0, 0.0);
    let chunk = question.kernel.chunk;
    let texts = chunk.instructions().iter().zip(&question.kernel.program().instructions);
    for ((text, inst), counts) in texts.zip(&survey.counts) {
        let lanes = counts.executed * counts.lanes;
        if chunk.mnemonic(text) == "FFMA" {
            operations += 2.0 * lanes;
        }
        if let Some(memory) = inst.memory.filter(|memory| memory.loads && memory.space == MemorySpace::Shared)
        {
            bytes += f64::from(memory.bytes_per_lane) * lanes;
        }
    }
    (bytes > 0.0 && operations > 0.0).then(|| operations / bytes)
}
