//! Each operation that passes create has a row in the expansion table.

use super::super::operation::Operation;
use machine::Machine;
use machine::ptx::Expansions;

/// The operations that passes create, with the modifiers after their stems.
const MADE: &[(Operation, &[&str])] = &[
    (Operation::Add, &["s32", "s64"]),
    (Operation::MultiplyAdd, &["s32"]),
    (Operation::ShiftLeft, &["b32", "b64"]),
    (Operation::ShiftRight, &["u32", "s32"]),
    (Operation::And, &["b32"]),
    (Operation::Lookup, &["b32"]),
    (Operation::Permute, &["b32"]),
    (Operation::ExtendField, &["u32", "s32"]),
    (Operation::Select, &["b32", "b64", "f32"]),
    (Operation::FusedMultiplyAdd, &["f32", "ftz.f32", "f64", "f16", "f16x2"]),
    (Operation::AddThree, &["s32"]),
    (Operation::ShiftAdd, &["s32", "s64"]),
    (Operation::ShiftAddHigh, &["s32"]),
    (Operation::ShiftAddWide, &["s32", "u32"]),
    (Operation::AddressWide, &["s32", "u32"]),
    (Operation::Move, &["b32", "b64", "pred"]),
    (Operation::PackHalves, &["b32"]),
    (Operation::HighHalf, &["b32"]),
    (Operation::SharedAddress, &[""]),
    (Operation::LocalAddress, &[""]),
    (Operation::Symbol, &[""]),
    (Operation::Load, &["param.u32"]),
    (Operation::Branch, &[""]),
    (Operation::Return, &[""]),
    (Operation::Exit, &[""]),
];

fn spelled(operation: Operation, words: &str) -> String {
    let stem = operation.stem().expect("passes create it");
    format!("{stem}.{words}").trim_end_matches('.').to_owned()
}

#[test]
fn every_operation_that_a_pass_makes_has_an_expansion() {
    let expansions = Expansions::builtin();
    let machine = Machine::builtin();
    let newer = machine.archs.iter().map(|arch| arch.sm).filter(|&sm| sm >= 75);
    let mut missing = Vec::new();
    for sm in newer {
        for (operation, words) in MADE {
            for words in *words {
                let spelled = spelled(*operation, words);
                if expansions.find(&spelled, sm).is_none() {
                    missing.push(format!("{spelled} for sm_{sm}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Every operation with a stem that the expansion table spells is in [`MADE`], and each spelling in [`MADE`] decodes to its
/// operation.
#[test]
fn every_operation_with_a_stem_is_tried() {
    for spelling in Expansions::builtin().spellings() {
        let (opcode, rest) = spelling.split_once('.').unwrap_or((spelling, ""));
        let words: Vec<&str> = rest.split('.').filter(|word| !word.is_empty()).collect();
        let operation = Operation::decode(opcode, &words);
        assert!(
            operation.stem().is_none() || MADE.iter().any(|(made, _)| *made == operation),
            "{operation:?} of {spelling} is not tried"
        );
    }
    for (operation, words) in MADE {
        for words in *words {
            let spelled = spelled(*operation, words);
            let (opcode, rest) = spelled.split_once('.').unwrap_or((&spelled, ""));
            let words: Vec<&str> = rest.split('.').filter(|word| !word.is_empty()).collect();
            assert_eq!(Operation::decode(opcode, &words), *operation, "{spelled}");
        }
    }
}
