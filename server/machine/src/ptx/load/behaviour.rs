//! Reads `behaviour.csv`.

use crate::load::{DataError, Text, rows};
use crate::ptx::behaviour::BehaviourRule;
use crate::ptx::{Behaviour, ControlFlow, Participants, ResultSpread, Spread};
use rustc_hash::FxHashMap;

/// Returns the rows, by opcode.
pub(super) fn read(text: Text<'_>) -> Result<FxHashMap<Box<str>, Vec<BehaviourRule>>, DataError> {
    let mut found: FxHashMap<Box<str>, Vec<BehaviourRule>> = FxHashMap::default();
    let header = ["name", "words", "flow", "together", "result"];
    for (line, (name, words, flow, together, result)) in
        rows::<(String, String, ControlFlow, Option<Participants>, String)>(text, &header)?
    {
        let mut name = name.split('.');
        let opcode = name.next().unwrap_or_default();
        let result = spread(&result).map_err(|expected| text.error(line, expected))?;
        let behaviour = Behaviour { flow, together, result };
        let words = words.split_whitespace().map(Box::from).collect();
        let row = BehaviourRule { first: name.map(Box::from).collect(), words, behaviour };
        found.entry(opcode.into()).or_default().push(row);
    }
    Ok(found)
}

fn spread(word: &str) -> Result<ResultSpread, String> {
    Ok(match word {
        "" => ResultSpread::Operands,
        "lane" => ResultSpread::AtLeast(Spread::Lanes),
        "warp" => ResultSpread::Fixed(Spread::Warps),
        "block" => ResultSpread::Fixed(Spread::Same),
        "broadcast" => ResultSpread::Broadcast,
        "shifted" => ResultSpread::Shifted,
        "divided" => ResultSpread::Divided,
        "masked" => ResultSpread::Masked,
        "below" => ResultSpread::Below,
        "above" => ResultSpread::Above,
        other => return Err(format!("a spread like `lane` or `shifted`, not `{other}`")),
    })
}
