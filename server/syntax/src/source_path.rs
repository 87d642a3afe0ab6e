//! Paths of source files as compilers write them into PTX and line tables.

use std::borrow::Cow;

/// Decodes a path that a compiler wrote.
///
/// nvcc and clang escape paths: a byte that is not printable ASCII becomes `\303`, a tab becomes `\t` and a
/// backslash becomes `\\`. ptxas copies the escaped path into its line table. A path with a backslash that begins
/// no such escape is returned unchanged, and so is a Windows path (`C:\new\table.cu`). Three or more leading
/// slashes count as one.
pub fn source_path(written: &str) -> Cow<'_, str> {
    let text = match written.strip_prefix("///") {
        Some(rest) => &written[written.len() - rest.trim_start_matches('/').len() - 1..],
        None => written,
    };
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    match unescaped(text) {
        Some(bytes) => String::from_utf8(bytes).map_or_else(|_| Cow::Owned(text.to_owned()), Cow::Owned),
        None => Cow::Borrowed(text),
    }
}

/// Bytes of a text with its escapes resolved; `None` if an escape is invalid, or if the text is a Windows
/// path.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if let [drive, b':', b'\\', next, ..] = bytes
        && drive.is_ascii_alphabetic()
        && *next != b'\\'
    {
        return None;
    }
    let mut meant = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, following)) = rest.split_first() {
        rest = following;
        if byte != b'\\' {
            meant.push(byte);
            continue;
        }
        let (&letter, following) = rest.split_first()?;
        let (byte, after) = match letter {
            b'\\' | b'"' | b'\'' | b'?' => (letter, following),
            b't' => (b'\t', following),
            b'n' => (b'\n', following),
            b'r' => (b'\r', following),
            b'a' => (7, following),
            b'b' => (8, following),
            b'v' => (11, following),
            b'f' => (12, following),
            b'0'..=b'3' => {
                let digits = rest.get(..3)?;
                let value = digits.iter().try_fold(0_u32, |value, digit| {
                    char::from(*digit).to_digit(8).map(|digit| value * 8 + digit)
                });
                (u8::try_from(value?).ok()?, &rest[3..])
            }
            _ => return None,
        };
        meant.push(byte);
        rest = after;
    }
    Some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_compilers_are_undone() {
        for (written, meant) in [
            (r"/p/M\303\274ller/k.cu", "/p/Müller/k.cu"),
            (r"/p/\344\273\243\347\240\201/k.cu", "/p/代码/k.cu"),
            (r"/p/\360\237\230\200/k.cu", "/p/😀/k.cu"),
            (r"/p/tab\tx/k.cu", "/p/tab\tx/k.cu"),
            (r"/p/back\\slash/k.cu", r"/p/back\slash/k.cu"),
            (r"/p/ba\\101/k.cu", r"/p/ba\101/k.cu"),
            (r"/p/\042q\042/k.cu", "/p/\"q\"/k.cu"),
            (r"C:\\src\\new.cu", r"C:\src\new.cu"),
            ("//////tmp/k.cu", "/tmp/k.cu"),
            ("/p/k.cu", "/p/k.cu"),
        ] {
            assert_eq!(source_path(written), meant, "{written}");
        }
    }

    #[test]
    fn what_is_no_escape_stays() {
        for path in [
            r"C:\new\table.cu",
            r"/p/back\slash/k.cu",
            r"/p/\9/k.cu",
            r"/p/\30",
            r"/p/\303(/k.cu",
            r"/p/k.cu\",
            r"/p/\777/k.cu",
            "//host/share/k.cu",
            "",
        ] {
            assert_eq!(source_path(path), path);
        }
    }
}
