//! Layout of kernel parameters in constant bank 0, and the words that their stated values produce in the
//! bank.

use super::types::{Kind, ParameterType};
use crate::engine::parameters::types::ParamValue;
use machine::LaunchLimits;
use model::{Contents, StatedTensor};
use std::collections::BTreeMap;

/// Size of a parameter and its offset from the first parameter, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParameterPlace {
    pub offset: u32,
    pub bytes: u32,
}

/// Returns the largest total size of a kernel's parameters, in bytes.
pub(crate) fn max_bytes() -> u32 {
    LaunchLimits::builtin().parameter_bytes.value
}

/// Returns the offsets of consecutive parameters, laid out like the fields of a C struct. `extents` has the
/// size and the alignment of each parameter in bytes.
///
/// `first` is the offset of the first parameter in constant bank 0: parameters are aligned in the bank. `None` for the
/// first parameter of unknown size and for all parameters after it, and where the offsets exceed [`max_bytes`].
pub(crate) fn places(
    first: u32,
    extents: impl Iterator<Item = Option<(u32, u32)>>,
) -> Vec<Option<ParameterPlace>> {
    let mut end = Some(0_u32);
    extents
        .map(|extent| {
            let place = end.zip(extent).map(|(end, (bytes, align))| ParameterPlace {
                offset: (first + end).next_multiple_of(align.max(1)) - first,
                bytes,
            });
            let place = place.filter(|place| place.offset.saturating_add(place.bytes) <= max_bytes());
            end = place.map(|place| place.offset + place.bytes);
            place
        })
        .collect()
}

/// Returns the size and the alignment of a parameter in bytes, from its type or from its stated value. `None`
/// if neither determines the size.
pub(crate) fn extent(kind: Option<Kind>, value: &ParamValue) -> Option<(u32, u32)> {
    kind.and_then(Kind::extent).or(match *value {
        ParamValue::Boolean(_) => Some((1, 1)),
        ParamValue::Integer(value) if fits(value, 4) => Some((4, 4)),
        ParamValue::Integer(_) | ParamValue::Pointer | ParamValue::Holding(_) => Some((8, 8)),
        ParamValue::Float(_) => Some((4, 4)),
        ParamValue::Tensor(_) => Some((128, 128)),
        ParamValue::Unknown => None,
    })
}

/// True if `bytes` bytes can represent an integer, signed or unsigned.
pub(crate) fn fits(value: i128, bytes: u32) -> bool {
    let bits = bytes * 8;
    bits >= 127 || (-(1 << (bits - 1))..1 << bits).contains(&value)
}

/// Returns a phrase that states the expected value. `None` if the value fits a parameter of this type.
pub(crate) fn misfit(of: &ParameterType, value: &ParamValue) -> Option<String> {
    use ParamValue::{Boolean, Float, Holding, Integer, Pointer, Tensor, Unknown};
    let fits = match (of.kind, value) {
        (_, Unknown)
        | (Kind::Named, _)
        | (Kind::Integer(8), Pointer | Holding(_))
        | (Kind::Integer(_), Boolean(_))
        | (Kind::Struct { bytes: 128, align: 128 }, Tensor(_)) => true,
        (Kind::Pointer, value) => matches!(value, Pointer | Holding(_) | Integer(0)),
        (Kind::Boolean, value) => matches!(value, Boolean(_) | Integer(0 | 1)),
        (Kind::Integer(bytes), Integer(value)) => fits(*value, bytes),
        (Kind::Float(8), value) => matches!(value, Float(_) | Integer(_)),
        (Kind::Float(_), Float(value)) => !value.is_finite() || (*value as f32).is_finite(),
        (Kind::Float(_), Integer(value)) => (*value as f32).is_finite(),
        (Kind::Integer(_) | Kind::Float(_) | Kind::Struct { .. }, _) => false,
    };
    if fits {
        return None;
    }
    let expected = match of.kind {
        Kind::Named | Kind::Pointer => "\"ptr\", 0 or \"?\"".to_owned(),
        Kind::Boolean => "true, false or \"?\"".to_owned(),
        Kind::Integer(bytes) => format!("an integer of {bytes} bytes or \"?\""),
        Kind::Float(bytes) => format!("a number that fits in {bytes} bytes or \"?\""),
        Kind::Struct { bytes: 128, align: 128 } => "{ tensor_map = { … } } or \"?\"".to_owned(),
        Kind::Struct { .. } => "\"?\" (its words can be stated in `const`)".to_owned(),
    };
    Some(format!("expected {expected}"))
}

/// Stated words of constant bank 0, and the pointers stored in the bank.
#[derive(Debug, Default)]
pub(crate) struct Bank {
    /// Words by byte offset. `None` for a word with an unknown byte. Padding bytes count as 0.
    words: BTreeMap<u32, Option<u32>>,
    /// Names of pointers, and the contents of their memory, by the byte offset of the pointer's first word.
    pointers: BTreeMap<u32, (String, Option<Contents>)>,
    /// Tensor maps, by the byte offset in the bank.
    tensors: BTreeMap<u32, (StatedTensor, String)>,
    /// Offset of the first parameter.
    first: u32,
}

impl Bank {
    /// Sets the words of a parameter. The offset of the parameter is relative to `first`.
    pub(crate) fn parameter(
        &mut self,
        first: u32,
        place: ParameterPlace,
        kind: Option<Kind>,
        value: &ParamValue,
        label: impl FnOnce() -> String,
    ) {
        let offset = first + place.offset;
        self.first = first;
        match *value {
            ParamValue::Tensor(tensor) => {
                (0..place.bytes).for_each(|at| self.byte(offset + at, None));
                self.tensors.insert(offset, (tensor, label()));
            }
            ParamValue::Pointer | ParamValue::Holding(_) if place.bytes == 8 && offset.is_multiple_of(4) => {
                self.pointer(offset, label(), value.contents());
            }
            _ => match bytes(kind, place.bytes, value) {
                Some(bytes) => {
                    let each = bytes.to_le_bytes();
                    for (at, byte) in (0..place.bytes.min(16)).zip(each) {
                        self.byte(offset + at, Some(byte));
                    }
                }
                None => (0..place.bytes).for_each(|at| self.byte(offset + at, None)),
            },
        }
    }

    fn byte(&mut self, offset: u32, byte: Option<u8>) {
        let word = self.words.entry(offset & !3).or_insert(Some(0));
        let shift = 8 * (offset & 3);
        *word = word.zip(byte).map(|(word, byte)| word & !(0xff << shift) | u32::from(byte) << shift);
    }

    /// True if the word at a byte offset was stated, even if it was stated as unknown.
    pub(crate) fn states(&self, offset: u32) -> bool {
        self.words.contains_key(&offset)
    }

    /// Sets a pointer at a byte offset in the bank, and replaces the words stated before.
    pub(crate) fn pointer(&mut self, offset: u32, label: String, contents: Option<Contents>) {
        self.word(offset, None);
        self.word(offset.saturating_add(4), None);
        self.pointers.insert(offset, (label, contents));
    }

    /// Sets a word at a byte offset in the bank, and replaces the word or pointer stated before.
    pub(crate) fn word(&mut self, offset: u32, word: Option<u32>) {
        self.pointers.remove(&offset);
        if let Some(before) = offset.checked_sub(4)
            && self.pointers.remove(&before).is_some()
        {
            self.words.insert(before, None);
        }
        self.words.insert(offset, word);
    }

    /// Adds the known words, the pointers and the tensor maps to a launch.
    pub(crate) fn state(self, launch: &mut model::Launch) {
        let known = self.words.into_iter().filter_map(|(offset, word)| Some((offset, word?)));
        launch.constants.extend(known);
        // Arrays are numbered in the order of their offsets.
        let mut tensors = self.tensors.into_iter().peekable();
        let mut map_before = |offset: u32, launch: &mut model::Launch| {
            while let Some((at, (tensor, label))) = tensors.next_if(|(at, _)| *at < offset) {
                launch.map_tensor(at, label, tensor.map(at - self.first));
            }
        };
        for (offset, (label, contents)) in self.pointers {
            map_before(offset, launch);
            launch.point(offset, label, contents);
        }
        map_before(u32::MAX, launch);
    }
}

/// Returns the bits of a value, for a parameter of `bytes` bytes. `None` if the value is unknown or not a
/// number.
fn bytes(kind: Option<Kind>, bytes: u32, value: &ParamValue) -> Option<u128> {
    let is_float = match kind {
        Some(Kind::Float(_)) => true,
        None | Some(Kind::Named) => matches!(value, ParamValue::Float(_)),
        Some(Kind::Struct { .. }) => return None,
        Some(Kind::Pointer | Kind::Boolean | Kind::Integer(_)) => false,
    };
    let number = match *value {
        ParamValue::Boolean(value) => i128::from(value),
        ParamValue::Integer(value) if !is_float => value,
        ParamValue::Integer(value) => return float(value as f64, bytes),
        ParamValue::Float(value) if is_float => return float(value, bytes),
        ParamValue::Float(_)
        | ParamValue::Unknown
        | ParamValue::Pointer
        | ParamValue::Holding(_)
        | ParamValue::Tensor(_) => return None,
    };
    Some(number.cast_unsigned())
}

fn float(value: f64, bytes: u32) -> Option<u128> {
    match bytes {
        4 => Some(u128::from((value as f32).to_bits())),
        8 => Some(u128::from(value.to_bits())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::parameters::types::parameter_types;

    fn offsets(function: &str) -> Vec<Option<u32>> {
        let types = parameter_types(function).expect("the name has a parameter list");
        let places = places(0, types.iter().map(|of| of.kind.extent()));
        places.into_iter().map(|place| place.map(|place| place.offset)).collect()
    }

    #[test]
    fn parameters_stand_as_in_a_struct() {
        // The expected offsets are those in the cubins of such kernels.
        for (function, expected) in [
            ("_Z5saxpyifPKfPf", vec![0, 4, 8, 16]),
            ("_Z1kicPvsd", vec![0, 4, 8, 16, 24]),
            ("_Z1kcccsi", vec![0, 1, 2, 4, 8]),
            ("_Z1ki6float35uint4i", vec![0, 4, 16, 32]),
        ] {
            let expected: Vec<Option<u32>> = expected.into_iter().map(Some).collect();
            assert_eq!(offsets(function), expected, "{function}");
        }
        assert_eq!(offsets("_Z1ki1PPf"), [Some(0), None, None]);
        assert_eq!(offsets("_Z1k1P"), [None]);
    }

    #[test]
    fn values_become_words() {
        let mut bank = Bank::default();
        let kinds = [
            Kind::Integer(4),
            Kind::Integer(1),
            Kind::Integer(2),
            Kind::Float(8),
            Kind::Pointer,
            Kind::Float(4),
        ];
        let values = [
            ParamValue::Integer(-2),
            ParamValue::Integer(0x7f),
            ParamValue::Integer(-1),
            ParamValue::Float(2.0),
            ParamValue::Pointer,
            ParamValue::Integer(3),
        ];
        let places = places(0, kinds.iter().map(|kind| kind.extent()));
        for ((place, kind), value) in places.iter().zip(kinds).zip(values) {
            bank.parameter(0x160, place.expect("its size is known"), Some(kind), &value, || "arg4".into());
        }
        let words: Vec<(u32, Option<u32>)> = bank.words.into_iter().collect();
        assert_eq!(
            words,
            [
                (0x160, Some(0xffff_fffe)),
                (0x164, Some(0xffff_007f)),
                (0x168, Some(0)),
                (0x16c, Some(0x4000_0000)),
                (0x170, None),
                (0x174, None),
                (0x178, Some(3.0_f32.to_bits())),
            ]
        );
        assert_eq!(bank.pointers, [(0x170, ("arg4".to_owned(), None))].into());
    }

    #[test]
    fn a_word_with_an_unknown_byte_is_unknown() {
        let mut bank = Bank::default();
        let byte = |offset| ParameterPlace { offset, bytes: 1 };
        bank.parameter(0, byte(0), Some(Kind::Integer(1)), &ParamValue::Integer(1), String::new);
        bank.parameter(0, byte(1), Some(Kind::Integer(1)), &ParamValue::Unknown, String::new);
        bank.parameter(0, byte(2), Some(Kind::Integer(1)), &ParamValue::Integer(1), String::new);
        assert_eq!(bank.words, [(0, None)].into());
    }

    #[test]
    fn a_stated_word_goes_over_a_pointer() {
        let mut bank = Bank::default();
        bank.pointer(8, "arg0".into(), None);
        bank.word(12, Some(1));
        assert_eq!((bank.words, bank.pointers.len()), ([(8, None), (12, Some(1))].into(), 0));
    }

    #[test]
    fn a_value_fits_its_type_or_is_refused() {
        let types = parameter_types("_Z1kPfcijybfd6float41P").expect("the name has a parameter list");
        let values = [
            ParamValue::Pointer,
            ParamValue::Unknown,
            ParamValue::Integer(0),
            ParamValue::Integer(255),
            ParamValue::Integer(1 << 31),
            ParamValue::Integer(-1 << 40),
            ParamValue::Float(1e300),
            ParamValue::Boolean(true),
        ];
        let fitting: Vec<String> = types
            .iter()
            .map(|of| {
                values.iter().map(|value| if misfit(of, value).is_none() { '+' } else { '-' }).collect()
            })
            .collect();
        assert_eq!(
            fitting,
            [
                "+++-----", "-+++---+", "-++++--+", "-++++--+", "++++++-+", "-++----+", "-+++++--",
                "-++++++-", "-+------", "++++++++"
            ]
        );
    }
}
