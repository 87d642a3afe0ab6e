//! Prints a control code before its instruction or after its operands.

use crate::sass::{Control, Dialect, Notation};

/// Prints a control code in the form of the existing code `old`. `None` if the form cannot express the code.
pub(super) fn before(old: &str, dialect: Option<Dialect>, control: &Control) -> Option<String> {
    match old.as_bytes() {
        [b'[', inside @ ..] => {
            let code = Notation::CuAssembler.print(control)?;
            // The older form starts with a field of reuse flags.
            let field = inside.iter().take_while(|byte| matches!(byte, b'R' | b'-')).count();
            let flag = |slot: usize| if control.reuse_mask >> slot & 1 == 1 { 'R' } else { '-' };
            let flags: String = (0..field).map(flag).collect();
            let colon = if field > 0 { ":" } else { "" };
            Some(format!("[{flags}{colon}{code}]"))
        }
        [_, b':', ..] => Notation::KeplerAs.print(control),
        _ if dialect == Some(Dialect::TuringAs) => Notation::TuringAs.print(control),
        _ => Notation::Maxas.print(control),
    }
}

/// NVIDIA's scheduling annotations: scoreboards waited for and set (`&req={1,0} &wr=0x1`), and the stall
/// count (`?trans4`). Each is empty if NVIDIA's tools print none. `None` if annotations cannot express the
/// control code.
pub(super) fn following(control: &Control) -> Option<(String, String)> {
    let text = Notation::Vendor.print(control)?;
    let at = text.find('?').unwrap_or(text.len());
    Some((text[..at].trim_end().to_owned(), text[at..].to_owned()))
}
