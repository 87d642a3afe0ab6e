//! Control codes, compared with the output of other decoders for the same code: CuAssembler, KeplerAs, and the vendor's
//! annotations.

use crate::files::{all, our};
use syntax::sass::{Chunk, Control, Encoding, Instruction, Listing, SmVersion, TokenKind};

/// The instructions of a text with their control codes, in order.
fn codes(text: &str) -> Vec<(String, Option<Control>)> {
    let listing = Listing::parse(text);
    let mut codes = Vec::new();
    for chunk in listing.chunks() {
        codes.extend(chunk.instructions().iter().map(|inst| (chunk.mnemonic(inst).to_owned(), inst.control)));
    }
    codes
}

/// The code without the reuse flags, which printed notations omit.
fn printed(control: Option<Control>) -> Option<Control> {
    control.map(|control| Control { reuse_mask: 0, ..control })
}

/// A code in CuAssembler's notation.
fn cuassembler(control: &Control) -> String {
    let wait: String = (0..6_u8)
        .map(|bit| if control.wait_mask >> bit & 1 == 1 { char::from(b'0' + bit) } else { '-' })
        .collect();
    let barrier = |barrier: Option<u8>| barrier.map_or('-', |index| char::from(b'0' + index));
    let (read, write) = (barrier(control.read_barrier), barrier(control.write_barrier));
    let yields = if control.yields { 'Y' } else { '-' };
    format!(
        "[B{wait}:R{read}:W{write}:{yields}:S{:02}]",
        control.stall.expect("the notation has a stall count")
    )
}

#[test]
fn what_cuassembler_prints_is_read_as_printed() {
    let mut compared = 0;
    for sm in [61, 70, 75, 80, 86] {
        let text = our(&format!("sm_{sm}/sgemm.cuassembler.dsass"));
        for chunk in Listing::parse(&text).chunks() {
            for inst in chunk.instructions() {
                let line = chunk.line_text(inst.line as usize);
                let control = inst.control.unwrap_or_else(|| panic!("no code: {line}"));
                assert!(line.starts_with(&cuassembler(&control)), "sm_{sm}: {line}");
                assert_eq!(control.dual, opens_a_pair(chunk, inst), "sm_{sm}: {line}");
                compared += 1;
            }
        }
    }
    println!("{compared} codes equal to CuAssembler's");
}

fn opens_a_pair(chunk: &Chunk, inst: &Instruction) -> bool {
    chunk.line_tokens(inst.line as usize).iter().any(|token| token.kind == TokenKind::DualOpen)
}

#[test]
fn maxwells_pairs_stand_in_braces() {
    let mut pairs = 0;
    for sample in all() {
        let listing = Listing::parse(&sample.text);
        let prints_braces = sample.text.contains("*/         {  ");
        for chunk in listing
            .chunks()
            .iter()
            .filter(|chunk| prints_braces && chunk.sm().is_some_and(|sm| sm.encoding() == Encoding::Maxwell))
        {
            for inst in chunk.instructions().iter().filter(|inst| inst.words[0].is_some()) {
                let dual = inst.control.is_some_and(|control| control.dual);
                assert_eq!(
                    dual,
                    opens_a_pair(chunk, inst),
                    "{}: {}",
                    sample.name,
                    chunk.line_text(inst.line as usize)
                );
                pairs += usize::from(dual);
            }
        }
    }
    assert!(pairs > 30);
    println!("{pairs} pairs equal to the braces");
}

#[test]
fn kepleras_prints_the_same_codes() {
    let ours = codes(&our("sm_35/sgemm.cuobjdump-sass.txt"));
    let theirs = codes(&our("sm_35/sgemm.kepleras.sass"));
    // KeplerAs omits the branch to itself and the padding after the last exit.
    assert!(theirs.len() > 400 && ours.len() >= theirs.len());
    for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours, theirs, "instruction {index}");
    }
    println!("{} codes equal to KeplerAs's", theirs.len());
}

#[test]
fn the_vendors_annotations_say_the_same_as_the_words() {
    let mut compared = 0;
    for name in ["features", "sgemm"] {
        let text = our(&format!("sm_120/{name}.cuda12.8-annotated.nvdisasm-hex-c.txt"));
        for chunk in Listing::parse(&text).chunks() {
            for inst in chunk.instructions() {
                let line = chunk.line_text(inst.line as usize);
                let high = inst.words[1].unwrap_or_else(|| panic!("no encoding: {line}"));
                assert_eq!(printed(inst.control), printed(Some(Control::from_volta_word(high))), "{line}");
                compared += 1;
            }
        }
    }
    assert!(compared > 900);
    println!("{compared} codes equal to the vendor's annotations");
}

#[test]
fn reuse_bits_and_reuse_marks_are_equally_many() {
    let mut compared = 0;
    for sample in all() {
        let listing = Listing::parse(&sample.text);
        for chunk in listing.chunks() {
            for inst in chunk.instructions() {
                let Some(encoded) = encoded(inst, chunk.sm().map(SmVersion::encoding)) else { continue };
                let line = chunk.line_text(inst.line as usize);
                let tokens = chunk.tokens(inst.tokens).iter();
                let marks = tokens
                    .filter(|token| token.kind == TokenKind::Modifier && token.text(line) == ".reuse")
                    .count();
                assert_eq!(encoded.reuse_mask.count_ones() as usize, marks, "{}: {line}", sample.name);
                compared += 1;
            }
        }
    }
    println!("{compared} instructions: as many reuse bits as `.reuse` marks");
}

/// The control code of an instruction whose encoding holds reuse flags.
fn encoded(inst: &Instruction, encoding: Option<Encoding>) -> Option<Control> {
    match encoding? {
        Encoding::Kepler => None,
        Encoding::Maxwell => inst.words[0].and(inst.control),
        Encoding::Volta => inst.words[1].map(Control::from_volta_word),
    }
}
