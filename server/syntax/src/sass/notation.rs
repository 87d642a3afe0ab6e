//! Prints control codes in the notations of assemblers, and as NVIDIA's scheduling annotations.

use super::{Control, Dialect};
use std::fmt::Write;

/// A notation for control codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Notation {
    /// `B--2---:R0:W-:Y:S08`, which is in brackets in source texts.
    CuAssembler,
    /// `04:1:-:Y:8`: barriers count from 1, and the wait field is a hexadecimal mask.
    Maxas,
    /// `04:0:-:Y:8`: barriers count from 0, and the wait field is a decimal number.
    TuringAs,
    /// `T:G:D:S:04`, for the 8-bit control codes of Kepler.
    KeplerAs,
    /// `&req={2} &rd=0x0 ?WAIT8_END_GROUP`, after the operands.
    Vendor,
}

impl Notation {
    /// Returns the notation of control codes in a dialect's text; `None` if only encodings contain control
    /// codes.
    pub const fn for_dialect(dialect: Dialect) -> Option<Self> {
        match dialect {
            Dialect::Maxas => Some(Self::Maxas),
            Dialect::TuringAs => Some(Self::TuringAs),
            Dialect::KeplerAs => Some(Self::KeplerAs),
            Dialect::Cuasm | Dialect::Dsass => Some(Self::CuAssembler),
            Dialect::Cuobjdump | Dialect::Nvdisasm => None,
        }
    }

    /// Returns the display name of the notation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CuAssembler => "CuAssembler",
            Self::Maxas => "maxas",
            Self::TuringAs => "TuringAs",
            Self::KeplerAs => "KeplerAs",
            Self::Vendor => "the vendor's annotations",
        }
    }

    /// Prints a control code in this notation. A code in CuAssembler's notation is printed without its brackets. Reuse
    /// flags are omitted, because operands show them.
    ///
    /// `None` if the notation cannot express the code. Kepler's flags exist only in `KeplerAs`, which has no
    /// scoreboards, and no notation has stall counts above 15 cycles or more than six scoreboards.
    ///
    /// An unspecified stall count is printed as `-` or `--`, which only TuringAs accepts; the vendor's annotations omit it.
    pub fn print(self, control: &Control) -> Option<String> {
        if control.stall.is_some_and(|stall| stall > 15) || control.wait_mask >= 1 << 6 {
            return None;
        }
        match (self, control.kepler) {
            (Self::KeplerAs, Some(_)) => kepleras(control),
            (Self::KeplerAs, None) | (_, Some(_)) => None,
            (Self::CuAssembler, None) => Some(cuassembler(control)),
            (Self::Maxas, None) => Some(maxas(control, |mask| format!("{mask:02x}"), 1)),
            (Self::TuringAs, None) => Some(maxas(control, |mask| format!("{mask:02}"), 0)),
            (Self::Vendor, None) => Some(vendor(control)),
        }
    }
}

fn cuassembler(control: &Control) -> String {
    let wait: String = (0..6)
        .map(|bit| if control.wait_mask >> bit & 1 == 1 { char::from(b'0' + bit) } else { '-' })
        .collect();
    format!(
        "B{wait}:R{}:W{}:{}:S{}",
        barrier(control.read_barrier, 0),
        barrier(control.write_barrier, 0),
        yields(control),
        control.stall.map_or_else(|| "--".to_owned(), |stall| format!("{stall:02}")),
    )
}

/// The common form of maxas and TuringAs. `first` is the number of the first barrier.
fn maxas(control: &Control, mask: impl Fn(u8) -> String, first: u8) -> String {
    format!(
        "{}:{}:{}:{}:{}",
        if control.wait_mask == 0 { "--".to_owned() } else { mask(control.wait_mask) },
        barrier(control.read_barrier, first),
        barrier(control.write_barrier, first),
        yields(control),
        control.stall.map_or_else(|| "-".to_owned(), |stall| format!("{stall:x}")),
    )
}

fn kepleras(control: &Control) -> Option<String> {
    let flags = control.kepler?;
    let flag = |set: bool, letter: char| if set { letter } else { '-' };
    Some(format!(
        "{}:{}:{}:{}:{:02}",
        flag(flags.texture(), 'T'),
        flag(flags.global(), 'G'),
        flag(flags.dual_bit_clear(), 'D'),
        flag(flags.shared(), 'S'),
        flags.code & 0xf,
    ))
}

/// Prints NVIDIA's scheduling annotations. Awaited scoreboards are in descending order. A stall count of zero has no
/// `?` annotation.
fn vendor(control: &Control) -> String {
    let mut text = String::new();
    if control.wait_mask != 0 {
        let waits: Vec<String> = (0..6)
            .rev()
            .filter(|bit| control.wait_mask >> bit & 1 == 1)
            .map(|bit: u8| bit.to_string())
            .collect();
        let _ = write!(text, "&req={{{}}} ", waits.join(","));
    }
    if let Some(barrier) = control.read_barrier {
        let _ = write!(text, "&rd=0x{barrier} ");
    }
    if let Some(barrier) = control.write_barrier {
        let _ = write!(text, "&wr=0x{barrier} ");
    }
    match (control.stall, control.yields) {
        (None | Some(0), _) => {}
        (Some(stall), true) => _ = write!(text, "?WAIT{stall}_END_GROUP"),
        (Some(stall), false) => _ = write!(text, "?trans{stall}"),
    }
    text.truncate(text.trim_end().len());
    text
}

fn barrier(barrier: Option<u8>, first: u8) -> char {
    barrier.map_or('-', |index| char::from(b'0' + index + first))
}

fn yields(control: &Control) -> char {
    if control.yields { 'Y' } else { '-' }
}

#[cfg(test)]
mod tests {
    use super::super::KeplerFlags;
    use super::super::lex::{read_annotations, read_control};
    use super::*;

    /// Every code that the bits of Maxwell to Blackwell can express, except barrier 6, which means "none"
    /// like barrier 7.
    fn codes() -> impl Iterator<Item = Control> {
        let bits = (0..1_u64 << 17).filter(|bits| bits >> 5 & 7 != 6 && bits >> 8 & 7 != 6);
        bits.map(|bits| Control::from_volta_word(bits << 41))
    }

    #[test]
    fn every_code_reads_back_as_it_was() {
        for control in codes() {
            for (notation, dialect) in
                [(Notation::Maxas, Dialect::Maxas), (Notation::TuringAs, Dialect::TuringAs)]
            {
                let text = notation.print(&control).expect("the notation can express it");
                assert_eq!(read_control(&text, Some(dialect)), Some(control), "{notation:?} {text}");
            }
            let text =
                format!("[{}]", Notation::CuAssembler.print(&control).expect("the notation can express it"));
            assert_eq!(read_control(&text, Some(Dialect::Cuasm)), Some(control), "{text}");
            // NVIDIA's tools print no annotation for stall count 0 with yield.
            if control.stall != Some(0) {
                let text = Notation::Vendor.print(&control).expect("the notation can express it");
                assert_eq!(read_annotations(text.split(' ')), Some(control), "{text}");
            }
        }
        for code in 0..=u8::MAX {
            let control = Control::from_kepler(KeplerFlags { code });
            let text = Notation::KeplerAs.print(&control).expect("the notation can express it");
            assert_eq!(read_control(&text, Some(Dialect::KeplerAs)), Some(control), "{text}");
            assert_eq!(Notation::CuAssembler.print(&control), None);
        }
    }

    #[test]
    fn an_open_stall_is_for_turingas_alone() {
        let open = Control { stall: None, ..Control::from_volta_word(0x0000_2200_0000_0000) };
        assert_eq!(Notation::TuringAs.print(&open).as_deref(), Some("--:0:0:-:-"));
        assert_eq!(Notation::CuAssembler.print(&open).as_deref(), Some("B------:R0:W0:-:S--"));
        assert_eq!(Notation::KeplerAs.print(&open), None);
    }
}
