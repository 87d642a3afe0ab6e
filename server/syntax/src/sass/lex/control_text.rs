//! Control codes in the notations of assemblers, written before an instruction.

use super::scan::{Scan, hex_value, nothing};
use crate::sass::{Control, Dialect, KeplerFlags};

/// The characters of a control code of maxas or TuringAs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    wait: [u8; 2],
    read: u8,
    write: u8,
    yields: u8,
    stall: u8,
}

/// `01:-:2:Y:5` (maxas, TuringAs): wait, read barrier, write barrier, yield, stall.
#[inline]
pub(super) fn maxas(input: &[u8]) -> Scan<'_, Fields> {
    let &[first, second, b':', read, b':', write, b':', yields, b':', stall, ref after @ ..] = input else {
        return nothing(input);
    };
    let is_mask = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    let is_barrier = |byte: u8| matches!(byte, b'0'..=b'6' | b'-');
    let fits = is_mask(first)
        && is_mask(second)
        && is_barrier(read)
        && is_barrier(write)
        && matches!(yields, b'y' | b'Y' | b'-')
        && is_mask(stall);
    if !fits {
        return nothing(input);
    }
    Ok((after, Fields { wait: [first, second], read, write, yields, stall }))
}

/// `T:G:D:S:04` (KeplerAs): texture, global, dual, shared, stall in two decimal digits.
#[inline]
pub(super) fn kepleras(input: &[u8]) -> Scan<'_, Control> {
    let &[
        texture @ (b'T' | b'-'),
        b':',
        global @ (b'G' | b'-'),
        b':',
        dual @ (b'D' | b'-'),
        b':',
        shared @ (b'S' | b'-'),
        b':',
        tens @ b'0'..=b'9',
        ones @ b'0'..=b'9',
        ref after @ ..,
    ] = input
    else {
        return nothing(input);
    };
    let flag = |field: u8, bit: u8| if field == b'-' { 0 } else { bit };
    // `D` means that bit 5 is clear.
    let single = if dual == b'-' { 0x20 } else { 0 };
    let stall = decimal(tens, ones) & 0xf;
    let code = stall | flag(texture, 0x80) | flag(global, 0x40) | single | flag(shared, 0x10);
    Ok((after, Control::from_kepler(KeplerFlags { code })))
}

/// `[B--2---:R0:W-:Y:S08]` (CuAssembler), or the older form with the reuse field first.
#[inline]
pub(super) fn cuassembler(input: &[u8]) -> Scan<'_, Control> {
    let [b'[', inside @ ..] = input else { return nothing(input) };
    let reuse = inside.iter().take_while(|byte| matches!(byte, b'R' | b'-')).count();
    let ((0, [b'B', rest @ ..]) | (4 | 5, [b':', b'B', rest @ ..])) = (reuse, &inside[reuse..]) else {
        return nothing(input);
    };
    let Some((wait, rest)) = rest.split_first_chunk::<6>() else { return nothing(input) };
    let &[
        b':',
        b'R',
        read,
        b':',
        b'W',
        write,
        b':',
        yields @ (b'Y' | b'-'),
        b':',
        b'S',
        tens @ b'0'..=b'9',
        ones @ b'0'..=b'9',
        b']',
        ref after @ ..,
    ] = rest
    else {
        return nothing(input);
    };
    let is_barrier = |byte: u8| matches!(byte, b'0'..=b'5' | b'-');
    if !(wait.iter().copied().all(is_barrier) && is_barrier(read) && is_barrier(write)) {
        return nothing(input);
    }
    let control = Control {
        stall: Some(decimal(tens, ones)),
        yields: yields == b'Y',
        write_barrier: digit(write),
        read_barrier: digit(read),
        wait_mask: wait.iter().filter_map(|&byte| digit(byte)).fold(0, |mask, barrier| mask | 1 << barrier),
        ..Control::NONE
    };
    Ok((after, control))
}

/// Reads a control code in an assembler's notation. `None` if the text is not a control code.
///
/// The notations of maxas and TuringAs have the same form. `dialect` distinguishes them.
#[inline]
pub(in crate::sass) fn read(text: &str, dialect: Option<Dialect>) -> Option<Control> {
    let bytes = text.as_bytes();
    match bytes {
        [b'[', ..] => whole(cuassembler(bytes)),
        [_, b':', ..] => whole(kepleras(bytes)),
        _ => whole(maxas(bytes)).map(|fields| read_maxas(fields, dialect == Some(Dialect::TuringAs))),
    }
}

fn whole<T>(scan: Scan<'_, T>) -> Option<T> {
    scan.ok().filter(|(after, _)| after.is_empty()).map(|(_, value)| value)
}

#[inline]
fn read_maxas(fields: Fields, turing: bool) -> Control {
    let base = u8::from(!turing);
    let barrier = |field| digit(field).and_then(|number| number.checked_sub(base)).filter(|&b| b < 6);
    let [first, second] = fields.wait;
    // TuringAs reads this field as a decimal number. In maxas the field is a hexadecimal mask.
    let wait = match (hex_digit(first), hex_digit(second)) {
        (Some(0..=9), Some(0..=9)) if turing => decimal(first, second),
        (Some(high), Some(low)) if !turing => high << 4 | low,
        _ => 0,
    };
    Control {
        stall: hex_digit(fields.stall),
        yields: fields.yields.eq_ignore_ascii_case(&b'y'),
        write_barrier: barrier(fields.write),
        read_barrier: barrier(fields.read),
        wait_mask: wait & 0x3f,
        ..Control::NONE
    }
}

/// The value of a decimal digit.
const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        _ => None,
    }
}

/// The value of a hexadecimal digit.
fn hex_digit(byte: u8) -> Option<u8> {
    hex_value(byte).map(|value| value as u8)
}

/// Value of two decimal digits. The caller has checked the digits.
const fn decimal(tens: u8, ones: u8) -> u8 {
    (tens - b'0') * 10 + (ones - b'0')
}

/// Reads NVIDIA's scheduling annotations after the operands (`&req={1,0} &wr=0x1 ?trans4`) as one control
/// code.
pub(in crate::sass) fn read_annotations<'a>(annotations: impl Iterator<Item = &'a str>) -> Option<Control> {
    // Without a `?` annotation the instruction drains.
    let mut control = Control::DRAIN;
    let mut any = false;
    for annotation in annotations {
        any = true;
        if let Some(mask) = annotation.strip_prefix("&req={") {
            control.wait_mask = mask
                .bytes()
                .filter(|digit| (b'0'..=b'5').contains(digit))
                .fold(0, |mask, digit| mask | 1 << (digit - b'0'));
        } else if let Some(barrier) = annotation.strip_prefix("&rd=0x") {
            control.read_barrier = barrier.parse().ok();
        } else if let Some(barrier) = annotation.strip_prefix("&wr=0x") {
            control.write_barrier = barrier.parse().ok();
        } else if let Some(stall) = annotation.strip_prefix("?trans") {
            control.stall = stall.parse().ok();
            control.yields = false;
        } else if let Some(stall) = annotation.strip_prefix("?WAIT") {
            control.stall = stall.trim_end_matches("_END_GROUP").parse().ok();
        }
    }
    any.then_some(control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_agree_on_one_code() {
        let maxas = read("06:-:2:Y:5", Some(Dialect::Maxas)).expect("a code");
        let cuassembler = read("[B-12---:R-:W1:Y:S05]", None).expect("a code");
        assert_eq!(maxas, cuassembler);
        // Decimal 06 is the same mask; the barrier counts from 0.
        let turing = read("06:-:1:Y:5", Some(Dialect::TuringAs)).expect("a code");
        assert_eq!(turing, cuassembler);
    }

    #[test]
    fn turingas_reads_its_wait_field_as_decimal() {
        assert_eq!(read("10:-:-:-:2", Some(Dialect::TuringAs)).expect("a code").wait_mask, 0b1010);
        assert_eq!(read("10:-:-:-:2", Some(Dialect::Maxas)).expect("a code").wait_mask, 0x10);
        assert_eq!(read("--:-:-:-:-", Some(Dialect::TuringAs)).expect("a code").stall, None);
    }

    #[test]
    fn the_older_cuassembler_form_has_a_reuse_field() {
        assert_eq!(read("[-R--:B------:R-:W-:-:S02]", None).expect("a code").stall, Some(2));
    }

    #[test]
    fn kepler_pairs_only_by_code_4() {
        assert!(read("-:-:D:-:04", None).expect("a code").dual);
        assert!(!read("-:-:D:-:05", None).expect("a code").dual);
    }

    #[test]
    fn the_vendors_annotations_are_a_code() {
        let control = read_annotations(["&req={1,0}", "&rd=0x3", "?trans4"].into_iter()).expect("a code");
        assert_eq!(
            (control.wait_mask, control.read_barrier, control.stall, control.yields),
            (3, Some(3), Some(4), false)
        );
        assert_eq!(read_annotations(["?WAIT13_END_GROUP"].into_iter()).expect("a code").stall, Some(13));
    }
}
