//! Places of a kernel's parameters, as nvdisasm prints the attributes of its code: each is an ordinal, an offset from
//! the first one and a size, in two forms.

use crate::engine::parameters::layout::ParameterPlace;

/// The places of one kernel's parameters, by ordinal.
pub(super) type ParameterPlaces = Vec<(u16, ParameterPlace)>;

/// Reads attributes line by line.
#[derive(Debug, Default)]
pub(super) struct PlaceReader {
    form: Option<Form>,
    /// The halves read so far.
    halves: [u16; 3],
    count: usize,
}

/// Form of the attribute: that of `EIATTR_KPARAM_INFO` or of `EIATTR_KPARAM_INFO_V2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Two halves, and four bytes with the size above alignment, space and bank, which take 18 bits.
    Packed,
    /// Three halves.
    Wide,
}

impl PlaceReader {
    /// A line that names an attribute: `//----- nvinfo : EIATTR_…`.
    pub(super) fn attribute(&mut self, line: &str) {
        let form = match line.rsplit(' ').next() {
            Some("EIATTR_KPARAM_INFO") => Some(Form::Packed),
            Some("EIATTR_KPARAM_INFO_V2") => Some(Form::Wide),
            _ => None,
        };
        *self = Self { form, ..Self::default() };
    }

    /// A line of data; a place where it ends one.
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
