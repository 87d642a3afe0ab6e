//! Control codes as assemblers write them before an instruction.

use super::scan::Scan;
use crate::sass::{Control, Dialect, KeplerFlags};
use nom::bytes::complete::{tag, take_while_m_n};
use nom::character::complete::{char, one_of};
use nom::combinator::{opt, recognize};
use nom::sequence::delimited;
use nom::{IResult, Parser};

/// `01:-:2:Y:5` (maxas, TuringAs): wait, read barrier, write barrier, yield, stall.
pub(super) fn maxas(input: &[u8]) -> Scan<'_, &[u8]> {
    recognize((
        take_while_m_n(2, 2, |byte: u8| byte.is_ascii_hexdigit() || byte == b'-'),
        char(':'),
        one_of("0123456-"),
        char(':'),
        one_of("0123456-"),
        char(':'),
        one_of("yY-"),
        char(':'),
        one_of("0123456789abcdefABCDEF-"),
    ))
    .parse(input)
}

/// `T:G:D:S:04` (KeplerAs): texture, global, dual, shared, stall in two decimal digits.
pub(super) fn kepleras(input: &[u8]) -> Scan<'_, &[u8]> {
    recognize((
        one_of("T-"),
        char(':'),
        one_of("G-"),
        char(':'),
        one_of("D-"),
        char(':'),
        one_of("S-"),
        char(':'),
        take_while_m_n(2, 2, |byte: u8| byte.is_ascii_digit()),
    ))
    .parse(input)
}

/// `[B--2---:R0:W-:Y:S08]` (CuAssembler), or the older form with the reuse field first.
pub(super) fn cuassembler(input: &[u8]) -> Scan<'_, &[u8]> {
    let reuse = (take_while_m_n(4, 5, |byte: u8| matches!(byte, b'R' | b'-')), char(':'));
    let wait = (tag("B"), take_while_m_n(6, 6, |byte: u8| matches!(byte, b'0'..=b'5' | b'-')));
    let barrier = || one_of("012345-");
    recognize(delimited(
        char('['),
        (
            opt(reuse),
            wait,
            tag(":R"),
            barrier(),
            tag(":W"),
            barrier(),
            char(':'),
            one_of("Y-"),
            tag(":S"),
            take_while_m_n(2, 2, |byte: u8| byte.is_ascii_digit()),
        ),
        char(']'),
    ))
    .parse(input)
}

/// What a control code in an assembler's notation says. `None` where the text is none.
///
/// The notations of maxas and TuringAs look alike; `dialect` tells them apart.
pub(in crate::sass) fn read(text: &str, dialect: Option<Dialect>) -> Option<Control> {
    let bytes = text.as_bytes();
    if matches(cuassembler(bytes)) {
        Some(read_cuassembler(text))
    } else if matches(kepleras(bytes)) {
        Some(read_kepleras(text))
    } else if matches(maxas(bytes)) {
        Some(read_maxas(text, dialect == Some(Dialect::TuringAs)))
    } else {
        None
    }
}

fn matches(scan: IResult<&[u8], &[u8], ()>) -> bool {
    scan.is_ok_and(|(rest, _)| rest.is_empty())
}

fn read_cuassembler(text: &str) -> Control {
    let fields: Vec<&str> = text.trim_matches(['[', ']']).split(':').collect();
    // The older form has a field for reuse flags before the others.
    let [wait, read, write, yields, stall] = *fields.last_chunk::<5>().expect("the notation has five fields");
    let barrier = |field: &str| field[1..].parse().ok();
    Control {
        stall: stall[1..].parse().ok(),
        yields: yields == "Y",
        write_barrier: barrier(write),
        read_barrier: barrier(read),
        wait_mask: wait.bytes().filter(u8::is_ascii_digit).fold(0, |mask, digit| mask | 1 << (digit - b'0')),
        reuse_mask: 0,
        dual: false,
        kepler: None,
    }
}

fn read_kepleras(text: &str) -> Control {
    let fields: Vec<&str> = text.split(':').collect();
    let stall = fields[4].parse::<u8>().unwrap_or(0) & 0xf;
    let flag = |field: usize, bit: u8| if fields[field] == "-" { 0 } else { bit };
    // `D` stands for a clear bit 5.
    let single = if fields[2] == "-" { 0x20 } else { 0 };
    Control::from_kepler(KeplerFlags { code: stall | flag(0, 0x80) | flag(1, 0x40) | single | flag(3, 0x10) })
}

fn read_maxas(text: &str, turing: bool) -> Control {
    let fields: Vec<&str> = text.split(':').collect();
    let base = u8::from(!turing);
    let barrier =
        |field: &str| field.parse::<u8>().ok().and_then(|number| number.checked_sub(base)).filter(|&b| b < 6);
    // TuringAs reads this field as a decimal number although it is written like maxas's hexadecimal mask.
    let wait = u8::from_str_radix(fields[0], if turing { 10 } else { 16 }).unwrap_or(0) & 0x3f;
    Control {
        stall: u8::from_str_radix(fields[4], 16).ok(),
        yields: fields[3].eq_ignore_ascii_case("y"),
        write_barrier: barrier(fields[2]),
        read_barrier: barrier(fields[1]),
        wait_mask: wait,
        reuse_mask: 0,
        dual: false,
        kepler: None,
    }
}

/// What the vendor's scheduling annotations (`&req={1,0} &wr=0x1 ?trans4`) say together; they stand after the operands.
pub(in crate::sass) fn read_annotations<'a>(annotations: impl Iterator<Item = &'a str>) -> Option<Control> {
    // Without a `?` the instruction drains.
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
