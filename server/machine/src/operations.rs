//! Arithmetic operations per instruction.

use crate::{Isa, Source};

/// An arithmetic opcode: a mnemonic and the modifiers that determine its number of operations.
#[derive(Debug, Clone)]
pub struct Operations {
    pub mnemonic: Box<str>,
    /// Modifiers, without dots, that must all be present, in any order.
    pub requires: Box<[Box<str>]>,
    pub kind: OperationKind,
    /// Operations per unit of [`Self::per`]. A multiply-add counts as two.
    pub count: u32,
    pub per: CountUnit,
    /// Rule by which the opcode determines the part's peak rate for this kind; `None` if it does not determine
    /// the peak rate.
    pub(crate) peak: Option<PeakRule>,
    pub source: Source,
}

/// Kind of arithmetic: its number format, and whether tensor cores perform it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    Fp32,
    Fp64,
    Fp16,
    /// Tensor cores with 16-bit floats. The next kinds are tensor cores with other element types.
    Tensor,
    TensorTf32,
    TensorFp64,
    TensorFp8,
    TensorInt,
}

/// Unit for which an opcode's operations are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountUnit {
    /// Each active lane.
    Lane,
    /// The warp.
    Warp,
    /// Each multiplication in a matrix product, whose shape (`64x256x16`) a modifier states. Four warps share
    /// one matrix product.
    Product,
}

/// Rule by which an opcode determines the peak rate of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PeakRule {
    /// The lane count of the class's unit in an SM.
    Units,
    /// The cycles for which an instruction occupies its sub-core's pipe. The rates of several pipes are
    /// added.
    Pipe,
}

impl OperationKind {
    /// All kinds. Kinds of tensor cores are last.
    pub const ALL: [Self; 8] = [
        Self::Fp32,
        Self::Fp64,
        Self::Fp16,
        Self::Tensor,
        Self::TensorTf32,
        Self::TensorFp64,
        Self::TensorFp8,
        Self::TensorInt,
    ];

    /// Returns the name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "FP32",
            Self::Fp64 => "FP64",
            Self::Fp16 => "FP16",
            Self::Tensor => "tensor FP16",
            Self::TensorTf32 => "tensor TF32",
            Self::TensorFp64 => "tensor FP64",
            Self::TensorFp8 => "tensor FP8",
            Self::TensorInt => "tensor INT8",
        }
    }
}

impl Operations {
    /// Operations of one instruction of a warp with the given number of active lanes; `None` if they depend
    /// on a shape that the modifiers (without dots) do not state.
    pub fn of_warp<'a>(&self, lanes: f64, mut modifiers: impl Iterator<Item = &'a str>) -> Option<f64> {
        /// Warps that share a product. Source: PTX ISA, asynchronous warpgroup level matrix instructions.
        const GROUP: f64 = 4.0;
        let count = f64::from(self.count);
        match self.per {
            CountUnit::Lane => Some(count * lanes),
            CountUnit::Warp => Some(count),
            CountUnit::Product => modifiers.find_map(products).map(|products| count * products / GROUP),
        }
    }
}

/// Multiplications in a matrix product of a shape such as `64x256x16`; `None` for any other text.
fn products(shape: &str) -> Option<f64> {
    let sizes: Vec<f64> =
        shape.split('x').map(|size| size.parse::<u16>().ok().map(f64::from)).collect::<Option<_>>()?;
    (sizes.len() == 3).then(|| sizes.iter().product())
}

impl Isa {
    /// Returns the arithmetic of an opcode with these modifiers (without dots); `None` if the opcode performs
    /// no arithmetic of an [`OperationKind`].
    pub fn operations_of(&self, mnemonic: &str, modifiers: &[&str]) -> Option<&Operations> {
        let fits = |row: &&Operations| {
            &*row.mnemonic == mnemonic && row.requires.iter().all(|need| modifiers.contains(&&**need))
        };
        self.operations.iter().filter(fits).max_by_key(|row| row.requires.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    fn teraflops(gpu: &str, kind: OperationKind) -> Option<f64> {
        let rate = Machine::builtin().gpu(gpu).unwrap().operations_per_second(kind)?;
        Some((rate / 1e11).round() / 10.0)
    }

    #[test]
    fn peaks_are_those_of_the_data_sheets() {
        assert_eq!(teraflops("h100-sxm", OperationKind::Fp32), Some(66.9));
        assert_eq!(teraflops("h100-sxm", OperationKind::Fp64), Some(33.5));
        assert_eq!(teraflops("h100-sxm", OperationKind::Fp16), Some(133.8));
        assert_eq!(teraflops("v100", OperationKind::Fp32), Some(15.7));
        assert_eq!(teraflops("v100", OperationKind::Tensor), Some(125.3));
        assert_eq!(teraflops("a100", OperationKind::Tensor), Some(311.9));
        assert_eq!(teraflops("t4", OperationKind::Tensor), Some(65.1));
        assert_eq!(teraflops("k20m", OperationKind::Fp32), Some(3.5));
        assert_eq!(teraflops("k20m", OperationKind::Tensor), None);
    }

    #[test]
    fn matrix_products_count_by_their_shape() {
        let isa = &Machine::builtin().gpu("h100-sxm").unwrap().arch.isa.clone();
        let of = |mnemonic: &str, modifiers: &[&str]| {
            let row = isa.operations_of(mnemonic, modifiers)?;
            Some((row.kind, row.of_warp(32.0, modifiers.iter().copied())?))
        };
        assert_eq!(of("FFMA", &["FTZ"]), Some((OperationKind::Fp32, 64.0)));
        assert_eq!(of("HFMA2", &["MMA"]), Some((OperationKind::Fp16, 128.0)));
        assert_eq!(of("HMMA", &["16816", "F32", "BF16"]), Some((OperationKind::Tensor, 4096.0)));
        assert_eq!(of("HMMA", &["1688", "F32", "TF32"]), Some((OperationKind::TensorTf32, 2048.0)));
        assert_eq!(of("HGMMA", &["64x256x16", "F32"]), Some((OperationKind::Tensor, 131_072.0)));
        assert_eq!(of("HGMMA", &["F32"]), None);
        assert_eq!(of("IMAD", &[]), None);
    }
}
