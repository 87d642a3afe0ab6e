//! Translates `wmma`: loads, stores and products of matrices that are distributed over the lanes of a warp.

mod address;
mod fragment;
mod product;

use super::super::ir::{Address, Arg, Node, Operation, ValueId};
use super::super::types::Type;
use super::builder::Builder;
use address::{Addresser, MatrixLocation};
use fragment::{Accesses, Matrix, ProductShape, Role, TILE_LINES, element_bits};
pub(super) use product::product_of_bytes;
use syntax::ptx::{Operand, OperandKind};

/// Maximum number of registers of a fragment.
const MAX_REGISTERS: usize = 128; // limit: the sums of a warpgroup's product

/// Selector of `prmt` that joins the lower halves of two words.
const LOWER_HALVES: u64 = 0x5410; // Source: the PTX ISA, prmt

/// Translates a `wmma` instruction. Returns false if the form is unknown.
pub(super) fn wmma<'a>(builder: &mut Builder<'a>, words: &[&str], operands: &[Operand<'a>]) -> bool {
    let done = match words.first() {
        Some(&"load") => load(builder, words, operands),
        Some(&"store") => store(builder, words, operands),
        Some(&"mma") => product::multiply(builder, words, operands),
        _ => None,
    };
    done.is_some()
}

/// Properties that the modifiers of a `wmma` load or store determine.
struct Form<'w> {
    matrix: Matrix,
    space: &'w str,
}

impl<'w> Form<'w> {
    fn from_words(words: &[&'w str]) -> Option<Self> {
        let shape = words.iter().find_map(|word| ProductShape::from_word(word))?;
        let layout = words.iter().find(|word| matches!(**word, "row" | "col"))?;
        let role = Role::from_word(words.get(1)?)?;
        let bits = element_bits(words.last()?)?;
        let space = words.iter().find_map(|word| match *word {
            "global" => Some("global"),
            "shared" | "shared::cta" => Some("shared"),
            _ => None,
        });
        Some(Self { matrix: Matrix::new(role, shape, bits, layout), space: space.unwrap_or_default() })
    }

    /// True if `LDSM` loads the fragment: a factor in shared memory with at most 16 bits per element, either in natural
    /// order or with exactly 16 bits.
    fn loads_rows(&self) -> bool {
        let is_operand = self.matrix.role != Role::Sum && self.matrix.bits <= 16;
        self.space == "shared" && is_operand && (self.matrix.is_natural || self.matrix.bits == 16)
    }

    fn spelling(&self, opcode: &str, ty: &str) -> String {
        [opcode, self.space, ty].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(".")
    }
}

fn load<'a>(builder: &mut Builder<'a>, words: &[&str], operands: &[Operand<'a>]) -> Option<()> {
    let [to, from, rest @ ..] = operands else { return None };
    let form = Form::from_words(words)?;
    let place = place(builder, &form, from, rest.first())?;
    let loaded = if form.loads_rows() {
        rows(builder, &form, place)
    } else {
        let accesses = form.matrix.accesses();
        let addresses = Addresser { builder, matrix: &form.matrix, place }.of_lane(&accesses);
        by_lane(builder, &form, &accesses, addresses)
    };
    // A fragment of 16-bit floats has more registers than its matrix fills: the last ones repeat the first.
    let all: Vec<ValueId> = loaded.into_iter().cycle().take(MAX_REGISTERS).collect();
    write(builder, to, &all);
    Some(())
}

/// Loads a fragment with `LDSM`. Returns the values of its registers.
fn rows(builder: &mut Builder<'_>, form: &Form<'_>, place: MatrixLocation) -> Vec<ValueId> {
    let matrix = &form.matrix;
    let tiles_along = (matrix.along * matrix.bits).div_ceil(128);
    let group_lines = matrix.lines.min(2 * TILE_LINES);
    let (count, groups) = (group_lines / TILE_LINES * tiles_along, matrix.lines / group_lines);
    let addresses = Addresser { builder, matrix, place }.of_rows(count, groups);
    let trans = if matrix.is_natural { "" } else { ".trans" };
    let spelling = format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16");
    let mut loaded = Vec::new();
    for address in addresses {
        let whole = memory(builder, &spelling, Vec::new(), address, &[count as u8])[0];
        loaded.extend((0..count).map(|at| builder.part(whole, at as u8, 1)));
    }
    loaded
}

/// Loads a fragment with one load per access of each lane. Returns the values of its registers.
fn by_lane(
    builder: &mut Builder<'_>,
    form: &Form<'_>,
    accesses: &Accesses,
    addresses: Vec<Address>,
) -> Vec<ValueId> {
    let bytes = form.matrix.bits == 8 && !form.matrix.is_natural;
    let width = if form.matrix.bits == 64 { 2 } else { 1 };
    let ty = match (bytes, width, accesses.registers) {
        (true, ..) => "u8",
        (_, 1, 1) => "b32",
        (_, 1, _) => "v2.b32",
        (_, _, 1) => "b64",
        _ => "v2.b64",
    };
    let spelling = form.spelling("ld", ty);
    let mut loaded = Vec::new();
    for address in addresses {
        let whole = memory(builder, &spelling, Vec::new(), address, &[width * accesses.registers])[0];
        loaded.extend((0..accesses.registers).map(|at| builder.part(whole, width * at, width)));
    }
    if bytes {
        return loaded.chunks_exact(4).map(|own| joined_bytes(builder, own)).collect();
    }
    if form.matrix.is_transposed_in_registers() {
        return loaded.into_iter().map(|word| transposed(builder, word)).collect();
    }
    loaded
}

fn store<'a>(builder: &mut Builder<'a>, words: &[&str], operands: &[Operand<'a>]) -> Option<()> {
    let [to, from, rest @ ..] = operands else { return None };
    let form = Form::from_words(words)?;
    let ty = if form.matrix.bits == 64 { "b64" } else { "b32" };
    let registers = values(builder, from, ty)?;
    let accesses = form.matrix.accesses();
    let place = place(builder, &form, to, rest.first())?;
    let addresses = Addresser { builder, matrix: &form.matrix, place }.of_lane(&accesses);
    let vector = if accesses.registers == 2 { format!("v2.{ty}") } else { ty.to_owned() };
    let spelling = form.spelling("st", &vector);
    for (address, own) in addresses.into_iter().zip(registers.chunks(accesses.registers.into())) {
        let own = if form.matrix.is_transposed_in_registers() {
            own.iter().map(|&word| transposed(builder, word)).collect()
        } else {
            own.to_vec()
        };
        let value = builder.pack(own);
        memory(builder, &spelling, vec![Arg::plain(value)], address, &[]);
    }
    Some(())
}

/// Adds a load or a store. Returns the values that it loads.
fn memory(
    builder: &mut Builder<'_>,
    spelling: &str,
    args: Vec<Arg>,
    address: Address,
    words: &[u8],
) -> Vec<ValueId> {
    let opcode = builder.body.opcodes.spelled(spelling);
    let kind = builder.kind(opcode, args.len());
    let mut node = Node::new(opcode, kind, builder.block, builder.origin).with(args);
    node.addresses.push(builder.values.address(builder.body, address));
    builder.values.add(builder.body, builder.graph, node, words)
}

/// Adds an instruction with this spelling of the expansion table. Returns its only result.
pub(super) fn spelled(builder: &mut Builder<'_>, spelling: &str, args: &[ValueId], words: u8) -> ValueId {
    let opcode = builder.body.opcodes.spelled(spelling);
    let kind = builder.kind(opcode, args.len());
    let node = Node::new(opcode, kind, builder.block, builder.origin)
        .with(args.iter().map(|&value| Arg::plain(value)));
    builder.values.add(builder.body, builder.graph, node, &[words])[0]
}

fn transposed(builder: &mut Builder<'_>, word: ValueId) -> ValueId {
    spelled(builder, "movmatrix.sync.aligned.m8n8.trans.b16", &[word], 1)
}

/// Joins four bytes into a word.
fn joined_bytes(builder: &mut Builder<'_>, bytes: &[ValueId]) -> ValueId {
    let factor = Arg::plain(builder.body.constant(1 << 8, 1));
    let halves = bytes.chunks_exact(2).map(|own| {
        let args = [Arg::plain(own[1]), factor, Arg::plain(own[0])];
        builder.pure(Operation::MultiplyAdd, "s32", &args, 1)
    });
    let mut halves: Vec<Arg> = halves.map(Arg::plain).collect();
    halves.push(Arg::plain(builder.body.constant(LOWER_HALVES, 1)));
    builder.pure(Operation::Permute, "b32", &halves, 1)
}

/// Returns the location of a matrix; `None` if the base of its address is not a register.
fn place<'a>(
    builder: &mut Builder<'a>,
    form: &Form<'_>,
    address: &Operand<'a>,
    stride: Option<&Operand<'a>>,
) -> Option<MatrixLocation> {
    let address = (address.kind() == OperandKind::Address).then(|| builder.address(address))?;
    let base = address.base.filter(|_| address.bank.is_none())?;
    let is_wide = match builder.body.words(base) {
        1 => false,
        2 => true,
        _ => return None,
    };
    let base = if is_wide && form.space == "shared" { builder.part(base, 0, 1) } else { base };
    let stride = match stride {
        Some(stride) => builder.value(stride, "u32").value,
        None => builder.body.constant(form.matrix.line_length().into(), 1),
    };
    let stride = match builder.body.words(stride) {
        1 => stride,
        2 => builder.part(stride, 0, 1),
        _ => return None,
    };
    Some(MatrixLocation { base, offset: address.offset, stride })
}

/// Writes the registers of a fragment. Skips registers whose width differs from the width of their value.
pub(super) fn write<'a>(builder: &mut Builder<'a>, operand: &Operand<'a>, values: &[ValueId]) {
    let names: Vec<&str> = if operand.kind() == OperandKind::Vector {
        operand.elements().map(|part| part.text()).collect()
    } else {
        vec![operand.text()]
    };
    for (name, &value) in names.into_iter().zip(values) {
        if builder.declared(name).is_some_and(|(words, _)| words == builder.body.words(value)) {
            builder.write(name, value);
        }
    }
}

/// Returns the values of the registers of a fragment. `None` if the width of a register differs from the width of the
/// type.
pub(super) fn values<'a>(builder: &mut Builder<'a>, operand: &Operand<'a>, ty: &str) -> Option<Vec<ValueId>> {
    let values: Vec<ValueId> = if operand.kind() == OperandKind::Vector {
        operand.elements().map(|part| builder.value(&part, ty).value).collect()
    } else {
        vec![builder.value(operand, ty).value]
    };
    let words = Type::from_name(ty).words();
    let is_whole =
        values.len() <= MAX_REGISTERS && values.iter().all(|&value| builder.body.words(value) == words);
    is_whole.then_some(values)
}
