//! Convolution layers: facts about a launch that states its layer's sizes.

use super::question::Question;
use model::MemorySpace;
use model::convolution::{Layer, arithmetic_intensity};
use model::execution::Survey;
use serde::Serialize;

/// Figures of a convolution layer, by the equations of Zhou et al., ICS 2017.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConvolutionReport {
    /// Rows and columns of the output: P and Q, Equations 23 and 24.
    pub output_rows: u64,
    pub output_columns: u64,
    /// Multiplications and additions, each counted, including those with the zeros of the padding.
    pub operations: f64,
    /// Fraction of `operations` that remains if those with padding zeros are skipped (Equation 25); null without
    /// output.
    pub pad_reduce: Option<f64>,
    /// FP32 operations per byte that the code loads from shared memory; null if it loads none, or an unknown number.
    pub intensity: Option<f64>,
    /// Side of the largest square block of the output that the kernel's registers can hold together with one row and
    /// one column of the factors, and the intensity of that block (Equation 22).
    pub block: u32,
    pub block_intensity: f64,
}

/// Registers per thread for addresses and counters, in addition to such a block: a rule of thumb.
const OTHER_REGISTERS: u32 = 16; // limit: a rule of thumb

pub(super) fn convolution(question: &Question<'_>, survey: &Survey) -> Option<ConvolutionReport> {
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

/// FP32 operations of a warp per byte that its lanes load from shared memory.
fn intensity(question: &Question<'_>, survey: &Survey) -> Option<f64> {
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
