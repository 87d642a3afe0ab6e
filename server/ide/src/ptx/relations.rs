//! Producers and consumers of a PTX instruction, and the live ranges of its registers.

use super::values::MAX_INSTRUCTIONS;
use crate::engine::ptx_text::placed;
use crate::ptx::view::View;
use crate::{RegisterLife, RelatedInstruction, Relations};
use model::ptx::Body;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Relations of the instruction at an offset. `None` if the offset is not in an instruction, or if its
/// function is too long or has errors.
pub(crate) fn relations(view: &View<'_>, offset: usize) -> Option<Relations> {
    let place = view.place(offset)?;
    let statement = place.item.statement_at(place.byte)?;
    if !place.item.errors().is_empty() || place.item.instructions().nth(MAX_INSTRUCTIONS).is_some() {
        return None;
    }
    let facts = view.facts(place.item);
    let names = facts.names(place.item);
    let body = Body::new(place.item, names, &view.table).filter(|body| body.flow.is_whole())?;
    let own = body.flow.node_of(statement as u32)?;
    let range = |instruction: u32| placed(place.start, &body.range(instruction));
    let definitions = body.definitions();
    let reaching = |instruction: u32, register: u32| -> Vec<u32> {
        let ids = definitions.reaching(&body.flow, instruction, register).into_iter();
        ids.map(|id| definitions.all()[id as usize].instruction).collect()
    };
    let name = |register: u32| body.registers.name(register, place.item, names);
    let mut found = Dependences::default();
    let instructions = 0..body.flow.nodes().len() as u32;
    for touch in body.registers.touches(own) {
        let register = touch.register;
        let mut life = BTreeSet::from([own]);
        if touch.reads() {
            for writer in reaching(own, register) {
                life.insert(writer);
                found.producers.entry(writer).or_default().insert(name(register));
            }
        }
        if touch.writes() {
            for reader in instructions.clone() {
                let reads = body.registers.reads(reader).any(|other| other.register == register);
                if reads && reaching(reader, register).contains(&own) {
                    life.insert(reader);
                    found.consumers.entry(reader).or_default().insert(name(register));
                }
            }
        }
        if let (Some(&first), Some(&last)) = (life.first(), life.last())
            && first < last
        {
            found.lives.entry(name(register)).or_insert((first, last));
        }
    }
    let lives = found.lives.into_iter();
    Some(Relations {
        range: range(own),
        producers: relatives(found.producers, range),
        consumers: relatives(found.consumers, range),
        lives: lives
            .map(|(register, (first, last))| RegisterLife {
                register,
                first: range(first),
                last: range(last),
            })
            .collect(),
    })
}

/// Registers that cause the dependences found so far, by instruction, and live ranges by register.
#[derive(Default)]
struct Dependences {
    producers: BTreeMap<u32, BTreeSet<String>>,
    consumers: BTreeMap<u32, BTreeSet<String>>,
    lives: BTreeMap<String, (u32, u32)>,
}

fn relatives(
    found: BTreeMap<u32, BTreeSet<String>>,
    range: impl Fn(u32) -> Range<usize>,
) -> Vec<RelatedInstruction> {
    let one = |(instruction, registers): (u32, BTreeSet<String>)| RelatedInstruction {
        range: range(instruction),
        registers: registers.into_iter().collect::<Vec<_>>().join(" "),
    };
    found.into_iter().map(one).collect()
}
