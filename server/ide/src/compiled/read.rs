//! A listing of compiled code, read with its cubin for the source that it was made of.

use crate::binary::{self, Cubin, Lines};
use crate::engine::code::{Code, Compiled, CompiledFrom, SourcePlace, Stack};
use crate::engine::sass_text::SassText;
use crate::engine::stated::Given;
use crate::ptx::LineMap;
use crate::sass::source_places::stacks;
use machine::Machine;
use std::sync::Arc;
use syntax::sass::Chunk;

impl Compiled {
    /// Reads a listing, with what the cubin states of its kernels. Takes as long as opening the listing.
    pub(crate) fn read(machine: &Machine, listing: &str, cubin: &[u8], from: CompiledFrom) -> Self {
        let text = Arc::new(SassText::parse(listing, given(machine, cubin)));
        let mut all: Vec<Vec<Stack>> = text.listing().chunks().iter().map(|chunk| stacks(chunk)).collect();
        let is_named = |stacks: &Vec<Stack>| stacks.iter().any(|stack| !stack.is_empty());
        if !all.iter().any(is_named)
            && let Ok(lines) = Lines::parse(cubin)
        {
            all = text.listing().chunks().iter().map(|chunk| by_table(chunk, &lines)).collect();
        }
        Self(Arc::new(Code { text, from, stacks: all }))
    }

    /// The same for the code of a PTX text, whose lines the map tells.
    pub(crate) fn of_ptx(
        machine: &Machine,
        listing: &str,
        cubin: &[u8],
        map: &LineMap,
        from: CompiledFrom,
    ) -> Self {
        let text = Arc::new(SassText::parse(listing, given(machine, cubin)));
        let path: Arc<str> = from.path.as_str().into();
        let stacks = (0..text.listing().chunks().len()).map(|index| {
            let first = text.listing().start(index).line;
            let stack = |line: u32| -> Stack {
                let at = map.pairs.binary_search_by_key(&(first + line), |(listing, _)| *listing);
                at.map_or_else(
                    |_| Arc::default(),
                    |at| {
                        [SourcePlace { path: Arc::clone(&path), line: map.pairs[at].1 + 1 }]
                            .into_iter()
                            .collect()
                    },
                )
            };
            text.listing().chunks()[index].instructions().iter().map(|inst| stack(inst.line)).collect()
        });
        let stacks = stacks.collect();
        Self(Arc::new(Code { text, from, stacks }))
    }
}

fn given(machine: &Machine, cubin: &[u8]) -> Given {
    Cubin::parse(cubin).map_or_else(
        |_| Given::default(),
        |cubin| Given {
            resources: binary::resources(&cubin, machine).into(),
            places: binary::places(&cubin).into(),
        },
    )
}

/// The place of each instruction by the cubin's own table, for a listing without comments.
fn by_table(chunk: &Chunk, lines: &Lines) -> Vec<Stack> {
    let name = chunk.name().unwrap_or_default();
    let place = |address: Option<u32>| -> Stack {
        let found = address.and_then(|address| lines.source_of(name, address));
        found.map(|(path, line)| SourcePlace { path: path.into(), line }).into_iter().collect()
    };
    chunk.instructions().iter().map(|inst| place(inst.address)).collect()
}
