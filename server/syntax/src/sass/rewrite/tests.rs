//! Tests of rewriting in every notation. Writing the old control codes changes nothing, any control code reads back
//! as written, and moved instructions keep their control codes.

use super::{RequestedChanges, Unwritable, apply, rewrite};
use crate::sass::{Chunk, Control, Encoding, KeplerFlags, Listing};
use proptest::prelude::*;

const VOLTA: &str = include_str!("fixtures/volta.sass");
const MAXWELL: &str = include_str!("fixtures/maxwell.sass");
const KEPLER: &str = include_str!("fixtures/kepler.sass");
const DSASS: &str = include_str!("fixtures/dsass.sass");
const CUASM: &str = include_str!("fixtures/cuasm.sass");
const CUASM_OLDER: &str = include_str!("fixtures/cuasm_older.sass");
const ANNOTATED: &str = include_str!("fixtures/annotated.sass");
const MAXAS: &str = include_str!("fixtures/maxas.sass");
const TURINGAS: &str = include_str!("fixtures/turingas.sass");
const KEPLERAS: &str = include_str!("fixtures/kepleras.sass");

const ALL: [(&str, &str); 10] = [
    ("volta", VOLTA),
    ("maxwell", MAXWELL),
    ("kepler", KEPLER),
    ("dsass", DSASS),
    ("cuasm", CUASM),
    ("older cuasm", CUASM_OLDER),
    ("annotated", ANNOTATED),
    ("maxas", MAXAS),
    ("turingas", TURINGAS),
    ("kepleras", KEPLERAS),
];

/// A listing in a recognised dialect.
fn kernel(text: &str) -> Listing {
    let listing = Listing::parse(text);
    assert!(listing.dialect().is_some());
    listing
}

fn chunk(listing: &Listing) -> &Chunk {
    listing.chunks().iter().find(|chunk| !chunk.instructions().is_empty()).expect("the fixture has a kernel")
}

fn slots(mnemonic: &str) -> Option<&'static str> {
    match mnemonic {
        "FADD" => Some("ac"),
        "MOV" => Some("b"),
        _ => None,
    }
}

fn in_order(chunk: &Chunk) -> Vec<u32> {
    (0..chunk.instructions().len() as u32).collect()
}

/// Returns the kernel's text after its instructions are put in this order and given these control codes.
fn write(chunk: &Chunk, order: &[u32], codes: &[Option<Control>]) -> Result<String, Unwritable> {
    let replacements = rewrite(chunk, RequestedChanges { order, codes }, slots)?;
    Ok(apply(chunk.text(), &replacements))
}

fn codes(chunk: &Chunk) -> Vec<Option<Control>> {
    chunk.instructions().iter().map(|instruction| instruction.control).collect()
}

/// Returns a control code that listings with this encoding can contain, chosen by the random bits `bits`.
fn legal(bits: u64, encoding: Option<Encoding>) -> Control {
    match encoding {
        Some(Encoding::Kepler) => Control::from_kepler(KeplerFlags { code: bits as u8 }),
        Some(Encoding::Maxwell) => {
            let control = Control::from_maxwell_word(bits, 0);
            Control { reuse_mask: control.reuse_mask & 7, ..control }
        }
        _ => {
            let control = Control::from_volta_word(bits << 41);
            // Without yield, the vendor uses 1 to 11 cycles.
            let stall = control.stall.map(|stall| if control.yields { stall } else { 1 + stall % 11 });
            Control { stall, reuse_mask: (bits >> 40) as u8 & 7, ..control }
        }
    }
}

#[test]
fn codes_that_are_there_change_nothing() {
    for (name, text) in ALL {
        let listing = kernel(text);
        let chunk = chunk(&listing);
        let codes = codes(chunk);
        assert!(codes.iter().all(Option::is_some), "{name}");
        assert_eq!(write(chunk, &in_order(chunk), &codes).as_deref(), Ok(chunk.text()), "{name}");
    }
}

#[test]
fn a_listing_without_codes_says_so() {
    let text = "\t.target\tsm_90\n//--------------------- .text.k             --------------------------\n\
                .text.k:\n        /*0000*/                   MOV R1, R2 ;\n        /*0010*/                   EXIT ;\n";
    let listing = kernel(text);
    let chunk = chunk(&listing);
    let code = Some(legal(0, None));
    let refused = write(chunk, &[0, 1], &[code, code]).unwrap_err();
    assert_eq!(refused.to_string(), "this listing contains no control codes");
}

#[test]
fn what_is_no_order_is_refused() {
    let listing = kernel(VOLTA);
    let chunk = chunk(&listing);
    let codes = codes(chunk);
    let mut twice = in_order(chunk);
    twice[1] = 0;
    assert_eq!(write(chunk, &twice, &codes), Err(Unwritable::NotAnOrder));
    assert_eq!(write(chunk, &in_order(chunk)[1..], &codes[1..]), Err(Unwritable::NotAnOrder));
}

proptest! {
    #[test]
    fn any_code_is_read_as_it_was_written(
        fixture in proptest::sample::select(&ALL[..]),
        bits in proptest::collection::vec(any::<u64>(), 1..24),
    ) {
        let (name, text) = fixture;
        let listing = kernel(text);
        let chunk = chunk(&listing);
        let encoding = chunk.encoding();
        let old = codes(chunk);
        let mut wanted: Vec<_> = old
            .iter()
            .zip(bits.iter().cycle())
            .enumerate()
            .map(|(at, (_, bits))| Some(legal(bits.rotate_left(at as u32), encoding)))
            .collect();
        // No reuse flags, since the text cannot express all of them; they have a separate test.
        for (code, instruction) in wanted.iter_mut().flatten().zip(chunk.instructions()) {
            code.reuse_mask = 0;
            code.dual &= chunk.mnemonic(instruction) != "NOP";
        }
        let after = write(chunk, &in_order(chunk), &wanted).expect(name);
        let after = Listing::parse(&text.replace(chunk.text(), &after));
        let after = self::chunk(&after);
        prop_assert_eq!(codes(after), wanted, "{}\n{}", name, after.text());
        let encodings = |chunk: &Chunk| -> Vec<_> {
            let of_volta = encoding == Some(Encoding::Volta);
            let words = chunk.instructions().iter().map(|instruction| instruction.words);
            words.map(|words| (words[0], words[1].filter(|_| of_volta).map(Control::from_volta_word))).collect()
        };
        for (place, (before, now)) in encodings(chunk).into_iter().zip(encodings(after)).enumerate() {
            prop_assert_eq!(before.0, now.0, "the operands' word stays");
            prop_assert!(now.1.is_none() || now.1 == after.instructions()[place].control, "text and words agree");
        }
        // Writing the old codes restores every byte, except for the columns of the vendor's annotations.
        let back = write(after, &in_order(after), &old).expect(name);
        if name != "annotated" {
            prop_assert_eq!(back.as_str(), chunk.text(), "{}", name);
        }
        prop_assert_eq!(back.split_whitespace().collect::<String>(), chunk.text().split_whitespace().collect::<String>());
    }

    #[test]
    fn moved_instructions_carry_their_words_and_codes(
        fixture in proptest::sample::select(&ALL[..]),
        seed in any::<u64>(),
    ) {
        let (name, text) = fixture;
        let listing = kernel(text);
        let chunk = chunk(&listing);
        let mut order = in_order(chunk);
        let mut seed = seed;
        for last in (1..order.len()).rev() {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            order.swap(last, (seed >> 33) as usize % (last + 1));
        }
        let old = codes(chunk);
        let wanted: Vec<_> = order.iter().map(|&inst| old[inst as usize]).collect();
        let after = write(chunk, &order, &wanted).expect(name);
        let after = Listing::parse(&text.replace(chunk.text(), &after));
        let after = self::chunk(&after);
        for (place, &inst) in order.iter().enumerate() {
            let (now, was) = (&after.instructions()[place], &chunk.instructions()[inst as usize]);
            prop_assert_eq!(now.words, was.words);
            prop_assert_eq!(now.control, was.control);
            prop_assert_eq!(now.address, chunk.instructions()[place].address, "addresses stay in place");
            let texts = |chunk: &Chunk, at: usize| {
                let instruction = &chunk.instructions()[at];
                let line = chunk.line_text(instruction.line as usize);
                let tokens = chunk.tokens(instruction.tokens);
                line[tokens[0].start as usize..tokens[tokens.len() - 1].end()].to_owned()
            };
            prop_assert_eq!(texts(after, place), texts(chunk, inst as usize));
        }
        // After moving back, every byte is in its old position.
        let mut back = vec![0; order.len()];
        for (place, &inst) in order.iter().enumerate() {
            back[inst as usize] = place as u32;
        }
        let text_back = write(after, &back, &old).expect(name);
        prop_assert_eq!(text_back.as_str(), chunk.text(), "{}", name);
    }
}

#[test]
fn reuse_flags_stand_in_the_operands_too() {
    let listing = kernel(VOLTA);
    let chunk = chunk(&listing);
    let mut wanted = codes(chunk);
    let at = |mnemonic: &str| {
        let found = chunk.instructions().iter().position(|inst| chunk.mnemonic(inst) == mnemonic);
        found.unwrap_or_else(|| panic!("the fixture has no {mnemonic}"))
    };
    for (mnemonic, mask) in [("FFMA", 0b101), ("ISETP", 1), ("FADD", 0b100), ("MOV", 0b10), ("LEA", 0b110)] {
        if let Some(code) = &mut wanted[at(mnemonic)] {
            code.reuse_mask = mask;
        }
    }
    let after = Listing::parse(&write(chunk, &in_order(chunk), &wanted).unwrap());
    let after = self::chunk(&after);
    let body = |mnemonic: &str| {
        let instruction = &after.instructions()[at(mnemonic)];
        let line = after.line_text(instruction.line as usize);
        line.split("*/").nth(1).unwrap().split(';').next().unwrap().trim().to_owned()
    };
    assert_eq!(body("FFMA"), "@P0 FFMA R3, R4.reuse, R5, R6.reuse");
    assert_eq!(body("ISETP"), "ISETP.GE.AND P0, PT, R0.reuse, 0x1, PT");
    assert_eq!(body("FADD"), "FADD R3, |R4|, -R5.reuse");
    assert_eq!(body("MOV"), "MOV R1, R2.reuse");
    assert_eq!(body("LEA"), "LEA R4, R11, R6.reuse, 0x4");
    assert_eq!(after.instructions()[at("FFMA")].control.unwrap().reuse_mask, 0b101);
    // The third source of LEA is a number, so that it has no flag.
    assert_eq!(after.instructions()[at("LEA")].control.unwrap().reuse_mask, 0b10);
}

#[test]
fn pairs_get_braces_and_lose_them() {
    let listing = kernel(MAXWELL);
    let chunk = chunk(&listing);
    let single: Vec<_> = codes(chunk)
        .into_iter()
        .map(|code| {
            code.map(|code| Control { dual: false, stall: Some(code.stall.unwrap_or(0).max(1)), ..code })
        })
        .collect();
    let after = write(chunk, &in_order(chunk), &single).unwrap();
    assert!(!after.contains('{') && !after.contains('}'), "{after}");
    // The word of a pair's second instruction returns to its line.
    assert!(
        after.contains("S2R R0, SR_CTAID.Y ;                           /* 0xf0c8000002670000 */"),
        "{after}"
    );
}

/// Lines of all notations, including some that are broken.
fn any_line() -> impl Strategy<Value = String> {
    const BROKEN: [&str; 8] = [
        "        /*0010*/         {         MOV R12, c[0x0][0x160] ; }  /* 0x4c9807800587000c */ // x",
        "        /*0018*/  FFMA R1, R2 &req={1} R3 ?trans4 ; /* 0x0000000000007918 */ /* 0x000fc00000000000 */",
        "[B------:R-:W-:Y:S08] FADD R1.reuse, |R2.H1|.reuse, -R3 }",
        "01:-:-:-:1  { @!P0 IADD3 R1, P0, R2, R3.reuse \u{e9} ;",
        "        /* 0x001c5800fe0007f6 */ /* 0x001c5800fe0007f6 */",
        "        /*0020*/ {",
        "MOV",
        "\u{1f680}",
    ];
    let lines: Vec<&'static str> = ALL.iter().flat_map(|(_, text)| text.lines()).chain(BROKEN).collect();
    prop_oneof![9 => proptest::sample::select(lines).prop_map(str::to_owned), 1 => "[ -~\t]{0,30}"]
}

proptest! {
    #[test]
    fn any_text_is_taken(
        lines in proptest::collection::vec(any_line(), 0..40),
        bits in proptest::collection::vec(any::<u64>(), 1..24),
    ) {
        let text = lines.join("\n");
        for chunk in Listing::parse(&text).chunks() {
            let mut order = in_order(chunk);
            let count = order.len();
            if count > 1 && bits[0] % 2 == 0 {
                order.rotate_left(1 + bits[0] as usize % (count - 1));
            }
            let wanted: Vec<_> = (0..count)
                .map(|at| bits[at % bits.len()].rotate_right(at as u32))
                .map(|bits| (bits % 5 > 0).then(|| legal(bits, chunk.encoding())))
                .collect();
            if let Ok(after) = write(chunk, &order, &wanted) {
                let read = Listing::parse(&after);
                let mnemonics = |chunk: &Chunk| -> Vec<String> {
                    chunk.instructions().iter().map(|inst| chunk.mnemonic(inst).to_owned()).collect()
                };
                let moved: Vec<_> = order.iter().map(|&inst| mnemonics(chunk)[inst as usize].clone()).collect();
                let now: Vec<_> = read.chunks().iter().flat_map(|chunk| mnemonics(chunk)).collect();
                prop_assert_eq!(now, moved, "{}", after);
            }
        }
    }
}
