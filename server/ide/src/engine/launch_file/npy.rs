//! Finds the elements in a .npy file, NumPy's format for one array.
//!
//! Source: NumPy's documentation, `numpy.lib.format`.

use std::ops::Range;
use thiserror::Error;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Types of elements that are read, with their sizes in bytes.
const TYPES: [(&str, u64); 11] = [
    ("<i4", 4),
    ("<u4", 4),
    ("<i8", 8),
    ("<u8", 8),
    ("<i2", 2),
    ("<u2", 2),
    ("|i1", 1),
    ("|u1", 1),
    ("|b1", 1),
    ("<f4", 4),
    ("<f8", 8),
];

/// Largest header in bytes. Only arrays of a record type, which are not read, have larger headers.
const MAX_HEADER: usize = 1 << 16; // limit: headers of version 1 are smaller

/// Longest type that a message quotes, in bytes.
const LONGEST_TYPE: usize = 20; // limit: a part of one line

/// Reason why no elements were found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum NpyError {
    #[error("expected NumPy's format, which begins with \\x93NUMPY")]
    NoMagic,
    #[error("expected version 1, 2 or 3 of NumPy's format, not {0}")]
    Version(u8),
    #[error("expected a complete header, but the file ends within it")]
    ShortHeader,
    #[error("expected a header with `descr`, `fortran_order` and `shape`")]
    Header,
    #[error("expected elements of type {known}, not {0}", known = TYPES.map(|(name, _)| name).join(", "))]
    Type(String),
    #[error("expected an array in C order, not in Fortran order")]
    FortranOrder,
    #[error("expected {expected} bytes of elements, not {found}")]
    ShortData { expected: u64, found: usize },
}

/// Returns the byte range of the elements in a file.
pub(super) fn elements(file: &[u8]) -> Result<Range<usize>, NpyError> {
    let [major, _minor, rest @ ..] = file.strip_prefix(MAGIC).ok_or(NpyError::NoMagic)? else {
        return Err(NpyError::ShortHeader);
    };
    let (header_bytes, rest) = match major {
        1 => rest.split_first_chunk().map(|(bytes, rest)| (u16::from_le_bytes(*bytes).into(), rest)),
        2 | 3 => rest.split_first_chunk().map(|(bytes, rest)| (u32::from_le_bytes(*bytes), rest)),
        other => return Err(NpyError::Version(*other)),
    }
    .ok_or(NpyError::ShortHeader)?;
    let header_bytes = header_bytes as usize;
    if header_bytes > MAX_HEADER {
        return Err(NpyError::Header);
    }
    let (header, data) = rest.split_at_checked(header_bytes).ok_or(NpyError::ShortHeader)?;
    let bytes = Header::read(&String::from_utf8_lossy(header))?.bytes()?;
    let start = file.len() - data.len();
    match usize::try_from(bytes) {
        Ok(bytes) if bytes <= data.len() => Ok(start..start + bytes),
        _ => Err(NpyError::ShortData { expected: bytes, found: data.len() }),
    }
}

/// The values of a header.
#[derive(Default)]
struct Header<'t> {
    element_type: Option<&'t str>,
    is_fortran_order: Option<bool>,
    shape: Option<Vec<u64>>,
}

impl<'t> Header<'t> {
    /// Reads a header: a dictionary in Python's syntax.
    fn read(text: &'t str) -> Result<Self, NpyError> {
        let mut header = Self::default();
        let mut cursor = Cursor(text);
        header.read_from(&mut cursor).ok_or(NpyError::Header)?;
        Ok(header)
    }

    /// Reads the entries of the dictionary. `None` if the syntax is invalid. Stops early at a record type,
    /// which [`Self::bytes`] rejects.
    fn read_from(&mut self, cursor: &mut Cursor<'t>) -> Option<()> {
        cursor.skip("{")?;
        while cursor.skip("}").is_none() {
            let key = cursor.string()?;
            cursor.skip(":")?;
            match key {
                "descr" => {
                    let rest = cursor.0.trim_ascii_start();
                    if rest.starts_with('[') {
                        self.element_type = Some(rest);
                        return Some(());
                    }
                    self.element_type = Some(cursor.string()?);
                }
                "fortran_order" => {
                    self.is_fortran_order = Some(cursor.skip("True").is_some());
                    if self.is_fortran_order == Some(false) {
                        cursor.skip("False")?;
                    }
                }
                "shape" => self.shape = Some(cursor.shape()?),
                _ => return None,
            }
            if cursor.skip(",").is_none() {
                return cursor.skip("}");
            }
        }
        Some(())
    }

    /// Returns the size of all elements in bytes, at most `u64::MAX`.
    fn bytes(self) -> Result<u64, NpyError> {
        let element_type = self.element_type.ok_or(NpyError::Header)?;
        let Some((_, bytes)) = TYPES.iter().find(|(name, _)| *name == element_type) else {
            let end = element_type.floor_char_boundary(LONGEST_TYPE);
            return Err(NpyError::Type(element_type[..end].to_owned()));
        };
        let (Some(is_fortran_order), Some(shape)) = (self.is_fortran_order, self.shape) else {
            return Err(NpyError::Header);
        };
        if is_fortran_order && shape.len() > 1 {
            return Err(NpyError::FortranOrder);
        }
        Ok(shape.into_iter().fold(*bytes, u64::saturating_mul))
    }
}

/// The part of a header that is not read yet.
struct Cursor<'t>(&'t str);

impl<'t> Cursor<'t> {
    /// Skips blanks and a token. `None` if another token follows.
    fn skip(&mut self, token: &str) -> Option<()> {
        self.0 = self.0.trim_ascii_start().strip_prefix(token)?;
        Some(())
    }

    /// Reads a string in single or double quotes, without escapes.
    fn string(&mut self) -> Option<&'t str> {
        let text = self.0.trim_ascii_start();
        let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let (string, rest) = text[1..].split_once(quote)?;
        self.0 = rest;
        Some(string)
    }

    /// Reads a tuple of whole numbers, which Python 2 ends with `L`.
    fn shape(&mut self) -> Option<Vec<u64>> {
        let mut shape = Vec::new();
        self.skip("(")?;
        while self.skip(")").is_none() {
            let text = self.0.trim_ascii_start();
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            shape.push(text[..end].parse().ok()?);
            self.0 = text[end..].strip_prefix('L').unwrap_or(&text[end..]);
            if self.skip(",").is_none() {
                self.skip(")")?;
                break;
            }
        }
        Some(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(version: u8, header: &str, data: usize) -> Vec<u8> {
        let mut file = [MAGIC, &[version, 0]].concat();
        match version {
            1 => file.extend((header.len() as u16).to_le_bytes()),
            _ => file.extend((header.len() as u32).to_le_bytes()),
        }
        file.extend(header.as_bytes());
        file.resize(file.len() + data, 7);
        file
    }

    /// A file as NumPy writes it.
    fn array(version: u8, element_type: &str, order: &str, shape: &str, data: usize) -> Vec<u8> {
        let header =
            format!("{{'descr': '{element_type}', 'fortran_order': {order}, 'shape': {shape}, }}      \n");
        file(version, &header, data)
    }

    #[test]
    fn each_type_and_version_is_read() {
        for version in 1..=3 {
            for (name, bytes) in TYPES {
                let bytes = 6 * bytes as usize;
                let file = array(version, name, "False", "(2, 3)", bytes);
                assert_eq!(elements(&file), Ok(file.len() - bytes..file.len()), "{name}");
            }
        }
    }

    #[test]
    fn a_shape_is_a_tuple_of_any_length() {
        for (shape, count) in [("()", 1), ("(5,)", 5), ("(5L,)", 5), ("(0, 4)", 0), ("(2,3,  4)", 24)] {
            let file = array(1, "|u1", "False", shape, 24);
            assert_eq!(elements(&file).map(|range| range.len()), Ok(count), "{shape}");
        }
        // Keys in another order, and double quotes.
        let other = file(1, r#"{"shape":(4,),"fortran_order":True,"descr":"<f8"}"#, 40);
        assert_eq!(elements(&other).map(|range| range.len()), Ok(32));
    }

    #[test]
    fn anything_else_is_refused() {
        for name in [">i4", ">f8", "<f2", "<c8", "|S4", "<U1", "=i4", "<i1"] {
            let file = array(1, name, "False", "(1,)", 8);
            assert_eq!(elements(&file), Err(NpyError::Type(name.to_owned())));
        }
        let record = "{'descr': [('a', '<i4'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,), }";
        assert_eq!(elements(&file(2, record, 8)), Err(NpyError::Type("[('a', '<i4'), ('b',".to_owned())));
        assert_eq!(elements(&array(1, "<i4", "True", "(2, 3)", 24)), Err(NpyError::FortranOrder));
        assert_eq!(elements(b"PK\x03\x04"), Err(NpyError::NoMagic));
        assert_eq!(elements(&array(4, "<i4", "False", "(1,)", 4)), Err(NpyError::Version(4)));
        let short = NpyError::ShortData { expected: 24, found: 23 };
        assert_eq!(elements(&array(1, "<i4", "False", "(2, 3)", 23)), Err(short));
        let giant = array(1, "<i8", "False", "(4294967296, 4294967296)", 8);
        assert_eq!(elements(&giant), Err(NpyError::ShortData { expected: u64::MAX, found: 8 }));
        for header in [
            "",
            "{}",
            "{'descr': '<i4', 'fortran_order': False, }",
            "{'descr': '<i4', 'fortran_order': 0, 'shape': (1,), }",
            "{'descr': '<i4', 'fortran_order': False, 'shape': 1, }",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,), }",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
            "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)",
            "{'descr': '<i4",
            "{'unknown': '<i4'}",
        ] {
            assert_eq!(elements(&file(1, header, 8)), Err(NpyError::Header), "{header}");
        }
        assert_eq!(elements(&file(2, &"\u{e9}".repeat(MAX_HEADER), 8)), Err(NpyError::Header));
    }

    #[test]
    fn a_file_that_ends_in_its_header_is_refused() {
        let whole = array(2, "<i4", "False", "(2, 3)", 24);
        for end in 0..whole.len() {
            let error = elements(&whole[..end]).unwrap_err();
            assert!(!error.to_string().contains('\n'), "{error}");
            match end {
                0..6 => assert_eq!(error, NpyError::NoMagic),
                end if end < whole.len() - 24 => assert_eq!(error, NpyError::ShortHeader),
                _ => assert!(matches!(error, NpyError::ShortData { expected: 24, .. })),
            }
        }
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(
            version in 0_u8..5,
            header in "[{}()\\[\\]'\",:0-9LTF <|ifub\u{e9}a-z_]{0,80}",
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = elements(&bytes);
            let _ = elements(&[MAGIC, &bytes].concat());
            let file = file(version, &header, bytes.len());
            if let Ok(found) = elements(&file) {
                prop_assert!(found.end <= file.len());
            }
        }
    }
}
