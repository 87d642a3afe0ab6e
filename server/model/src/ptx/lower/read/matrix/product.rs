//! Translates matrix products of PTX to the products that SASS instructions compute.

use super::super::builder::Builder;
use super::fragment::{ProductShape, element_bits};
use super::{spelled, values, write};
use crate::ptx::lower::ir::ValueId;
use syntax::ptx::Operand;

/// Number of lines of the first operand and of the second operand of a SASS matrix instruction.
const TILE: (u32, u32) = (16, 8); // Source: the shapes m16n8 of the PTX ISA

/// Types of the matrices of a product.
struct Types<'w> {
    result: &'w str,
    factors: [&'w str; 2],
    sum: &'w str,
}

impl<'w> Types<'w> {
    /// Reads the types of `wmma.mma`, which omits the types of the factors if they are 16-bit floats.
    fn from_words(words: &[&'w str]) -> Option<Self> {
        let types: Vec<&'w str> = words.iter().copied().filter(|word| element_bits(word).is_some()).collect();
        Some(match types[..] {
            [result, sum] => Self { result, factors: ["f16", "f16"], sum },
            [result, one, other, sum] => Self { result, factors: [one, other], sum },
            _ => return None,
        })
    }

    /// Returns the type in which the instruction accumulates.
    fn added(&self) -> &'w str {
        if self.result == "f16" && self.sum == "f16" {
            "f16"
        } else if self.result == "f16" {
            "f32"
        } else {
            self.result
        }
    }
}

/// SASS instruction that computes a part of the product.
struct PartialProduct {
    spelling: String,
    /// Number of registers of the first and of the second operand.
    registers: [usize; 2],
    /// Number of registers of the result.
    results: usize,
    /// Number of instructions that accumulate into one tile of the result.
    depth: usize,
}

impl PartialProduct {
    fn new(shape: ProductShape, types: &Types<'_>, words: &[&str]) -> Option<Self> {
        let [one, other] = types.factors;
        let added = types.added();
        let saturation = if words.contains(&"satfinite") { ".satfinite" } else { "" };
        let (name, registers, results, depth) = match one {
            "f16" | "bf16" => ("m16n8k16", [4, 2], if added == "f16" { 2 } else { 4 }, 1),
            "tf32" => ("m16n8k4", [2, 1], 4, 2),
            "s8" | "u8" => ("m16n8k16", [2, 1], 4, 1),
            "s4" | "u4" => ("m8n8k32", [1, 1], 2, 1),
            "b1" => ("m8n8k128", [1, 1], 2, 1),
            "f64" => ("m8n8k4", [1, 1], 2, 1),
            _ => return None,
        };
        let rounding = words.iter().find(|word| matches!(**word, "rn" | "rz" | "rm" | "rp"));
        let rounding = rounding.map_or_else(String::new, |word| format!(".{word}"));
        let [one, other] = if shape.is_swapped() { [other, one] } else { [one, other] };
        let mut spelling =
            format!("mma.sync.aligned.{name}.row.col{rounding}{saturation}.{added}.{one}.{other}.{added}");
        if let Some(logic) = words.iter().find(|word| matches!(**word, "xor" | "and")) {
            spelling = format!("{spelling}.{logic}.popc");
        }
        Some(Self { spelling, registers, results, depth })
    }
}

/// Translates `wmma.mma`. `None` if the form or its SASS instruction is unknown.
pub(super) fn multiply<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
) -> Option<()> {
    let [to, first, second, sum] = operands else { return None };
    let shape = words.iter().find_map(|word| ProductShape::from_word(word))?;
    let types = Types::from_words(words)?;
    let step = PartialProduct::new(shape, &types, words)?;
    let opcode = builder.body.opcodes.spelled(&step.spelling);
    builder.body.opcodes.get(opcode).expansion.as_ref()?;
    let ty = if types.result == "f64" { "b64" } else { "b32" };
    let first = values(builder, first, ty)?;
    let second = values(builder, second, ty)?;
    let sum = values(builder, sum, ty)?;
    let sum = if types.sum == "f16" && types.added() == "f32" { widened(builder, &sum) } else { sum };
    let (wide, narrow, lines) = if shape.is_swapped() {
        (second, first, (shape.n, shape.m))
    } else {
        (first, second, (shape.m, shape.n))
    };
    let (rows, columns) = ((lines.0 / TILE.0).max(1) as usize, (lines.1 / TILE.1).max(1) as usize);
    let mut results = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let at = step.results * (row * columns + column);
            let own = sum.get(at..at + step.results)?.to_vec();
            let mut tile = builder.pack(own);
            for depth in 0..step.depth {
                let [one, other] = step.registers;
                let at = one * (row * step.depth + depth);
                let one = wide.get(at..at + one)?.to_vec();
                let at = other * (column * step.depth + depth);
                let other = narrow.get(at..at + other)?.to_vec();
                let args = [builder.pack(one), builder.pack(other), tile];
                let words = builder.body.words(tile);
                tile = spelled(builder, &step.spelling, &args, words);
            }
            let words = builder.body.words(tile) / step.results as u8;
            results.extend((0..step.results).map(|at| builder.part(tile, words * at as u8, words)));
        }
    }
    if types.result == "f16" && types.added() == "f32" {
        results = narrowed(builder, &results);
    }
    write(builder, to, &results);
    Some(())
}

/// Translates a product of 8-bit floats for an architecture that can only multiply 16-bit floats: both halves of each
/// register are widened, and the sums of both products are added. Returns false for other products.
pub(in super::super) fn product_of_bytes<'a>(
    builder: &mut Builder<'a>,
    words: &[&str],
    operands: &[Operand<'a>],
) -> bool {
    let (["sync", "aligned", shape, "row", "col", added, one, other, _], [to, first, second, sum]) =
        (words, operands)
    else {
        return false;
    };
    let is_float = |ty: &str| matches!(ty, "e4m3" | "e5m2");
    let shape = match *shape {
        "m16n8k16" => "m16n8k8",
        "m16n8k32" => "m16n8k16",
        _ => return false,
    };
    let whole = builder.body.opcodes.spelled(&format!("mma.{}", words.join(".")));
    let low = builder.body.opcodes.spelled(&format!("unpack.low.f16x2.{one}x4"));
    if !is_float(one)
        || !is_float(other)
        || builder.body.opcodes.get(whole).expansion.is_some()
        || builder.body.opcodes.get(low).expansion.is_none()
    {
        return false;
    }
    let [Some(first), Some(second), Some(sum)] =
        [first, second, sum].map(|operand| values(builder, operand, "b32"))
    else {
        return false;
    };
    let (words, add) = if *added == "f16" { (2, "add.f16x2") } else { (4, "add.f32") };
    let spelling = format!("mma.sync.aligned.{shape}.row.col.{added}.f16.f16.{added}");
    // The first product adds nothing: an undefined value is read as `RZ`.
    let mut tile = builder.body.undefined(words);
    for half in ["low", "high"] {
        let widened = |builder: &mut Builder<'a>, ty: &str, parts: &[ValueId]| {
            let name = format!("unpack.{half}.f16x2.{ty}x4");
            let parts = parts.iter().map(|&part| spelled(builder, &name, &[part], 1)).collect();
            builder.pack(parts)
        };
        let args = [widened(builder, one, &first), widened(builder, other, &second), tile];
        tile = spelled(builder, &spelling, &args, words);
    }
    let mut results = Vec::new();
    for (at, sum) in (0..words).zip(sum) {
        let part = builder.part(tile, at, 1);
        results.push(spelled(builder, add, &[sum, part], 1));
    }
    write(builder, to, &results);
    true
}

/// Converts registers of two 16-bit floats to registers of one 32-bit float.
fn widened(builder: &mut Builder<'_>, pairs: &[ValueId]) -> Vec<ValueId> {
    let both = |&pair: &ValueId| {
        ["unpack.low.f32.f16x2", "unpack.high.f32.f16x2"].map(|half| spelled(builder, half, &[pair], 1))
    };
    pairs.iter().flat_map(both).collect()
}

/// Converts registers of one 32-bit float to registers of two 16-bit floats.
fn narrowed(builder: &mut Builder<'_>, words: &[ValueId]) -> Vec<ValueId> {
    let pair = |own: &[ValueId]| spelled(builder, "cvt.rn.f16x2.f32", &[own[1], own[0]], 1);
    words.chunks_exact(2).map(pair).collect()
}
