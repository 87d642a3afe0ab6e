//! Offsets and sizes of a kernel's parameters in the attributes that nvdisasm prints. An attribute has an
//! ordinal, an offset from the first parameter and a size, in one of two formats.

use crate::engine::parameters::layout::ParameterPlace;

/// Offsets and sizes of a kernel's parameters, by ordinal.
pub(super) type ParameterPlaces = Vec<(u16, ParameterPlace)>;

/// Reads a kernel's attributes line by line.
#[derive(Debug, Default)]
pub(super) struct PlaceReader {
    form: Option<Form>,
    /// The 16-bit values of the current attribute that were read so far.
    halves: [u16; 3],
    count: usize,
}

/// Format of the attribute: `EIATTR_KPARAM_INFO` or `EIATTR_KPARAM_INFO_V2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Two 16-bit values and a 32-bit value. The size is in the upper bits of the 32-bit value; alignment,
    /// space and bank are in its lower 18 bits.
    Packed,
    /// Three 16-bit values.
    Wide,
}

impl PlaceReader {
    /// Reads a line with the name of an attribute: `//----- nvinfo : EIATTR_...`.
    pub(super) fn attribute(&mut self, line: &str) {
        let form = match line.rsplit(' ').next() {
            Some("EIATTR_KPARAM_INFO") => Some(Form::Packed),
            Some("EIATTR_KPARAM_INFO_V2") => Some(Form::Wide),
            _ => None,
        };
        *self = Self { form, ..Self::default() };
    }

    /// Reads a line of data. Returns the ordinal, offset and size of a parameter if the line completes the
    /// attribute. Otherwise returns `None`.
    pub(super) fn data(&mut self, line: &str) -> Option<(u16, ParameterPlace)> {
        let form = self.form?;
        if let Some(half) = line.split(".short").nth(1).and_then(number) {
            *self.halves.get_mut(self.count)? = half;
            self.count += 1;
        }
        let [ordinal, offset, size] = self.halves;
        let bytes = match form {
            Form::Wide if self.count == 3 => u32::from(size),
            Form::Packed if self.count == 2 => {
                let bytes: Vec<u8> = line.split(".byte").nth(1)?.split(',').filter_map(number).collect();
                u32::from_le_bytes(bytes.try_into().ok()?) >> 18
            }
            _ => return None,
        };
        self.form = None;
        Some((ordinal, ParameterPlace { offset: offset.into(), bytes }))
    }
}

fn number<N: TryFrom<u32>>(text: &str) -> Option<N> {
    super::number(text).and_then(|number| N::try_from(number).ok())
}
