//! A control code as printed around its instruction: before it, or after its operands.

use crate::sass::{Control, Dialect, Notation};

/// A code in the same form as the existing one. `None` if the form cannot express it.
pub(super) fn before(old: &str, dialect: Option<Dialect>, control: &Control) -> Option<String> {
    match old.as_bytes() {
        [b'[', inside @ ..] => {
            let code = Notation::CuAssembler.print(control)?;
            // The older form has a field of reuse flags first.
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

/// The vendor's annotations: what it waits for and sets (`&req={1,0} &wr=0x1`), and how long it stalls (`?trans4`).
/// Each is empty where the vendor prints nothing.
pub(super) fn behind(control: &Control) -> Option<(String, String)> {
    let text = Notation::Vendor.print(control)?;
    let at = text.find('?').unwrap_or(text.len());
    Some((text[..at].trim_end().to_owned(), text[at..].to_owned()))
}
