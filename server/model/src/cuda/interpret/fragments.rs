//! Matrix fragments (`nvcuda::wmma`): memory requests of fragment loads and stores.
//!
//! Lanes hold the elements that the PTX ISA assigns to them for `mma`. In each 8 x 8 tile of 16-bit numbers,
//! four lanes hold a line (a row or a column of the layout), two adjacent elements each. In each 8 x 8 tile
//! of 32-bit accumulators, four lanes hold a row, two adjacent elements each. `ldmatrix` loads 16-bit numbers
//! from shared memory. nvcc 13.5 generates this code for `sm_75` to `sm_120` (2026-11-26). Requests for other
//! types are unknown.

use crate::cuda::notes::Notes;
use crate::cuda::notes::uses::{AccessKind, Site};
use crate::cuda::source::environment::last_part;

use crate::cuda::source::launch::TemplateValue;
use crate::cuda::source::types::{IntType, RecordType, Type};
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::per_lane::LANES;
use crate::cuda::values::value::{MemoryRegion, Pointer, Value};
use crate::requests::SharedKind;
use machine::Hardware;
use std::ops::Range;
use std::sync::Arc;
use syntax::cuda::{Argument, BinaryOp, Expr, ExprKind};

/// Prefix of the names of the records that represent fragments. It contains a single colon, so no C++ type has such a
/// name.
const FRAGMENT: &str = "fragment:";
/// First architecture with this mapping of elements to lanes. Source: SASS that nvcc 13.5 generates.
const FIRST_SM: u16 = 75;
/// Lines per tile of a matrix, and elements per line. Source: PTX ISA, fragments of `mma`.
const PIECE: i64 = 8;

/// Elements of a fragment that one instruction moves: line and first element of each lane, and bytes per
/// lane.
struct FragmentPart {
    line: [i64; LANES],
    along: [i64; LANES],
    bytes: u32,
    shared: Option<SharedKind>,
}

/// Shape of a fragment, as specified by its type.
struct Shape<'r> {
    /// `matrix_a`, `matrix_b` or `accumulator`.
    role: &'r str,
    /// `row_major` or `col_major`.
    layout: Option<&'r str>,
    rows: i64,
    columns: i64,
    of: &'r Type,
}

/// Returns the type of a fragment from its template arguments. `values` holds the three sizes and the element type.
/// `None` if the arguments do not specify a fragment.
pub(super) fn fragment_type(arguments: &[Argument], values: Vec<TemplateValue>) -> Option<Type> {
    let [role, _, _, _, _, layout @ ..] = arguments else { return None };
    let role = own_name(role).filter(|role| ["matrix_a", "matrix_b", "accumulator"].contains(role))?;
    let layout = layout.first().and_then(own_name).unwrap_or_default();
    let mut record = RecordType::lay_out(format!("{FRAGMENT}{role}:{layout}"), Vec::new(), 1, false)?;
    record.templates = values;
    Some(Type::Record(Arc::new(record)))
}

/// Returns the type of a fragment value; `None` for other values.
pub(super) fn as_fragment(value: Value) -> Option<Arc<RecordType>> {
    match value {
        Value::Record(record, _) if record.name.starts_with(FRAGMENT) => Some(record),
        _ => None,
    }
}

/// Records the requests of a warp that moves a fragment whose lines are `step` elements apart.
pub(super) fn access<'a>(
    warp: &mut WarpState<'a>,
    notes: &mut Notes<'a>,
    (fragment, pointer): (&RecordType, &Pointer),
    (step, layout): (&Value, Option<&str>),
    kind: AccessKind,
    range: &Range<u32>,
) {
    let Some(space) = notes.begin_access(warp, pointer, kind, range) else { return };
    let layout = layout.and_then(|name| name.strip_prefix("mem_"));
    let is_clear = warp.active() == u32::MAX && warp.lanes.doubt() == 0 && warp.arch.sm >= FIRST_SM;
    let shape = Shape::from_record(fragment, layout).filter(|_| is_clear);
    let parts = shape.and_then(|shape| shape.parts(pointer.place));
    let parts = parts.zip(step.as_lanes()).and_then(|(parts, step)| moved(warp, pointer, step, parts));
    notes.fragment_access(warp, space, pointer, Site { place: warp.place(range), kind }, parts);
}

/// Returns the addresses that each instruction of a fragment access uses, and the kind of its shared memory
/// access. `None` if the element size is unknown.
fn moved(
    warp: &mut WarpState<'_>,
    pointer: &Pointer,
    step: &Lanes,
    parts: Vec<FragmentPart>,
) -> Option<Vec<(Pointer, Option<SharedKind>)>> {
    let size = pointer.to.size()?;
    let of = IntType::LONG;
    let step = step.to(of);
    let address = |part: FragmentPart| {
        let lanes = |at: [i64; LANES]| Lanes { at: at.into(), ..Lanes::all(of, 0) };
        let line = warp.calculate(BinaryOp::Multiply, &lanes(part.line), &step);
        let element = warp.calculate(BinaryOp::Add, &line, &lanes(part.along));
        let bytes = warp.calculate(BinaryOp::Multiply, &element, &Lanes::all(of, size as i64));
        let offset = warp.calculate(BinaryOp::Add, &pointer.offset, &bytes);
        (Pointer { offset, to: Type::Float(part.bytes), ..pointer.clone() }, part.shared)
    };
    Some(parts.into_iter().map(address).collect())
}

impl<'r> Shape<'r> {
    fn from_record(record: &'r RecordType, stated: Option<&'r str>) -> Option<Self> {
        let (role, layout) = record.name.strip_prefix(FRAGMENT)?.split_once(':')?;
        let [
            TemplateValue::Number(m),
            TemplateValue::Number(n),
            TemplateValue::Number(k),
            TemplateValue::Type(of),
        ] = record.templates.as_slice()
        else {
            return None;
        };
        let (rows, columns) = match role {
            "matrix_a" => (*m, *k),
            "matrix_b" => (*k, *n),
            _ => (*m, *n),
        };
        let layout = stated.or_else(|| (!layout.is_empty()).then_some(layout));
        Some(Self { role, layout, rows, columns, of })
    }

    /// Returns the elements that each instruction moves to load or store the fragment. `None` if the mapping
    /// is unknown for the type.
    fn parts(&self, place: MemoryRegion) -> Option<Vec<FragmentPart>> {
        // limit: maximum number of rows or columns of a fragment.
        const MAX: i64 = 64;
        let by_row = match self.layout? {
            "row_major" => true,
            "col_major" => false,
            _ => return None,
        };
        let (lines, length) = if by_row { (self.rows, self.columns) } else { (self.columns, self.rows) };
        let is_whole = |size: i64| (PIECE..=MAX).contains(&size) && size % PIECE == 0;
        if !is_whole(lines) || !is_whole(length) {
            return None;
        }
        let starts = |length: i64| (0..length / PIECE).map(|piece| piece * PIECE);
        let pieces: Vec<(i64, i64)> =
            starts(lines).flat_map(|line| starts(length).map(move |along| (line, along))).collect();
        let lane = |f: &dyn Fn(i64) -> i64| std::array::from_fn(|lane| f(lane as i64));
        let part = |line: [i64; LANES], along: [i64; LANES], bytes| FragmentPart {
            line,
            along,
            bytes,
            shared: None,
        };
        let is_accumulator = self.role == "accumulator";
        let parts = match (self.of, is_accumulator) {
            (Type::Float(2), false) if place == MemoryRegion::Shared => matrices(&pieces),
            // Each lane holds two adjacent elements.
            (Type::Float(size @ 2), _) | (Type::Float(size @ 4), true) if *size == 2 || by_row => pieces
                .iter()
                .map(|(line, along)| {
                    part(lane(&|at| line + at / 4), lane(&|at| along + at % 4 * 2), 2 * size)
                })
                .collect(),
            (Type::Float(4), true) => pieces
                .iter()
                .flat_map(|piece| [0, 1].map(|second| (piece, second)))
                .map(|((line, along), second)| {
                    part(lane(&|at| line + at % 4 * 2 + second), lane(&|at| along + at / 4), 4)
                })
                .collect(),
            _ => return None,
        };
        Some(parts)
    }
}

/// Splits a fragment into `ldmatrix` loads of up to four matrices each. Each lane addresses a row of 16
/// bytes.
fn matrices(pieces: &[(i64, i64)]) -> Vec<FragmentPart> {
    let hardware = Hardware::builtin();
    let (most, rows) = (hardware.most_matrices.value as usize, hardware.matrix_rows.value as usize);
    let of = |pieces: &[(i64, i64)]| {
        // Lanes beyond the last matrix have no row of their own and repeat the rows of the last matrix.
        let piece = |lane: usize| pieces[(lane / rows).min(pieces.len() - 1)];
        FragmentPart {
            line: std::array::from_fn(|lane| piece(lane).0 + (lane % rows) as i64),
            along: std::array::from_fn(|lane| piece(lane).1),
            bytes: hardware.matrix_bytes_per_lane.value * pieces.len() as u32,
            shared: Some(SharedKind::Matrix),
        }
    };
    pieces.chunks(most.max(1)).map(of).collect()
}

/// Returns the unqualified name of a template argument without arguments or pointers; `None` for other
/// arguments.
fn own_name(argument: &Argument) -> Option<&str> {
    match argument {
        Argument::Type(of) if of.arguments.is_empty() && of.pointers == 0 => Some(last_part(&of.name)),
        Argument::Value(Expr { kind: ExprKind::Name { name, .. }, .. }) => Some(last_part(name)),
        _ => None,
    }
}
