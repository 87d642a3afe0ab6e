//! Control codes written into every listing: writing the same codes changes nothing, any control code reads
//! back as written, and writing the old codes restores every byte.

use crate::files::all;
use syntax::sass::rewrite::{RequestedChanges, Unwritable, apply, rewrite};
use syntax::sass::{Chunk, Control, Encoding, KeplerFlags, Listing, TokenKind};

/// Returns the operand slots of an opcode's sources, as in `machine/data/sm_90/pipeline.toml`; `None` if they are a, b,
/// c in text order.
fn slots(mnemonic: &str) -> Option<&'static str> {
    match mnemonic {
        "FADD" | "HADD2" | "DADD" => Some("ac"),
        "MOV" | "I2FP" | "IABS" => Some("b"),
        _ => None,
    }
}

fn codes(chunk: &Chunk) -> Vec<Option<Control>> {
    chunk.instructions().iter().map(|instruction| instruction.control).collect()
}

/// The complete text with other codes; chunks without codes are unchanged.
fn write(
    name: &str,
    listing: &Listing,
    mut codes_of: impl FnMut(usize, &Chunk) -> Vec<Option<Control>>,
) -> String {
    let texts = listing.chunks().iter().enumerate().map(|(index, chunk)| {
        if codes(chunk).iter().all(Option::is_none) {
            return chunk.text().to_owned();
        }
        let (order, codes) = (order(chunk), codes_of(index, chunk));
        let replacements = rewrite(chunk, RequestedChanges { order: &order, codes: &codes }, slots);
        let why = |why: Unwritable| panic!("{name}, {}: {why:?}", chunk.name().unwrap_or_default());
        apply(chunk.text(), &replacements.unwrap_or_else(why))
    });
    texts.collect()
}

fn order(chunk: &Chunk) -> Vec<u32> {
    (0..chunk.instructions().len() as u32).collect()
}

/// A random code of the encoding that is unambiguous between maxas and TuringAs.
fn some_code(seed: &mut u64, old: Control, encoding: Option<Encoding>) -> Control {
    *seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    let bits = *seed >> 20;
    let control = match encoding {
        Some(Encoding::Kepler) => return Control::from_kepler(KeplerFlags { code: bits as u8 }),
        Some(Encoding::Maxwell) => Control::from_maxwell_word(bits, 0),
        _ => Control::from_volta_word(bits << 41),
    };
    let stall = control.stall.map(|stall| 1 + stall % 11);
    Control { stall, dual: false, reuse_mask: old.reuse_mask, ..control }
}

fn marks(chunk: &Chunk) -> usize {
    let lines = (0..chunk.lines().len()).map(|line| (chunk.line_text(line), chunk.line_tokens(line)));
    let is_mark = |text: &str, token: &syntax::sass::Token| {
        token.kind == TokenKind::Modifier && token.text(text) == ".reuse"
    };
    lines.map(|(text, tokens)| tokens.iter().filter(|token| is_mark(text, token)).count()).sum()
}

#[test]
fn codes_are_written_into_every_listing() {
    let (mut same, mut other, mut unmarked, mut without) = (0, 0, 0, 0);
    let mut seed = 6;
    for sample in all() {
        let (name, listing) = (&sample.name, Listing::parse(&sample.text));
        let chunks = listing.chunks();
        let old: Vec<_> = chunks.iter().map(|chunk| codes(chunk)).collect();
        for (chunk, old) in chunks.iter().zip(&old).filter(|(_, old)| !old.is_empty()) {
            if old.iter().all(Option::is_none) {
                let refused = rewrite(chunk, RequestedChanges { order: &order(chunk), codes: old }, slots);
                assert_eq!(refused, Err(Unwritable::NoControlCodes), "{name}");
                without += 1;
            }
            same += old.iter().flatten().count();
        }
        assert_eq!(write(name, &listing, |at, _| old[at].clone()), sample.text, "{name}");

        let some = |seed: &mut u64, chunk: &Chunk| -> Vec<_> {
            let encoding = chunk.encoding();
            codes(chunk).into_iter().map(|code| Some(some_code(seed, code?, encoding))).collect()
        };
        let others: Vec<_> = chunks.iter().map(|chunk| some(&mut seed, chunk)).collect();
        let after = Listing::parse(&write(name, &listing, |at, _| others[at].clone()));
        // Codes of maxas and TuringAs look similar; another code can change the recognised dialect of a file.
        if after.dialect() == listing.dialect() {
            for (chunk, others) in after.chunks().iter().zip(&others) {
                assert_eq!(&codes(chunk), others, "{name}, {}", chunk.name().unwrap_or_default());
                other += others.iter().flatten().count();
            }
        }

        let has_words = |chunk: &Chunk| {
            chunk.encoding() == Some(Encoding::Volta)
                && chunk.instructions().iter().all(|instruction| instruction.words[1].is_some())
        };
        let bare = |at: usize, chunk: &Chunk| -> Vec<_> {
            let bare =
                |code: Control| if has_words(chunk) { Control { reuse_mask: 0, ..code } } else { code };
            old[at].iter().map(|code| code.map(bare)).collect()
        };
        let after = Listing::parse(&write(name, &listing, bare));
        for (chunk, was) in after.chunks().iter().zip(chunks).filter(|(chunk, _)| has_words(chunk)) {
            assert_eq!(marks(chunk), 0, "{name}");
            unmarked += marks(was);
        }
        assert_eq!(write(name, &after, |at, _| old[at].clone()), sample.text, "{name}");
    }
    assert!(same > 1000 && other > 1000 && unmarked > 10, "{same}, {other}, {unmarked}");
    println!(
        "{same} codes written as they were, {other} others, {unmarked} reuse marks taken away and put back; {without} \
         kernels without codes"
    );
}
