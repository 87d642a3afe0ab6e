//! A listing of compiled code, read with its cubin for the source that it was made of.

use crate::binary::{self, Cubin, Lines};
use crate::engine::code::{Code, Compiled, CompiledFrom, SourcePlace, Stack};
use crate::engine::names::kernel_name;
use crate::engine::sass_text::SassText;
use crate::engine::stated::Given;
use crate::ptx::{LineMap, MappedFunction};
use crate::sass::source_places::{code_end, stacks};
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
            let chunk = &text.listing().chunks()[index];
            let mut own: Vec<Stack> = chunk.instructions().iter().map(|inst| stack(inst.line)).collect();
            own[code_end(chunk)..].fill(Arc::default());
            own
        });
        let stacks = stacks.collect();
        Self(Arc::new(Code { text, from, stacks }))
    }
}

impl Compiled {
    /// The listing.
    pub fn listing(&self) -> String {
        self.0.text.listing().text().to_string()
    }

    /// What made the code, and why it may be of an older text.
    pub fn from(&self) -> &CompiledFrom {
        &self.0.from
    }

    /// Which line of the listing was made of which line of the source.
    pub fn line_map(&self) -> LineMap {
        let mut map = LineMap::default();
        let listing = self.0.text.listing();
        for (index, chunk) in listing.chunks().iter().enumerate() {
            let first = listing.start(index).line;
            let own = |stack: &Stack| {
                let place = stack.iter().find(|place| *place.path == *self.0.from.path)?;
                place.line.checked_sub(1)
            };
            let pairs = chunk.instructions().iter().zip(&self.0.stacks[index]);
            let pairs: Vec<(u32, u32)> =
                pairs.filter_map(|(inst, stack)| Some((first + inst.line, own(stack)?))).collect();
            let lines = || pairs.iter().map(|(_, line)| *line);
            if let (Some(least), Some(most)) = (lines().min(), lines().max()) {
                map.functions.push(MappedFunction {
                    name: kernel_name(chunk).to_owned(),
                    listing: first..first + chunk.lines().len() as u32,
                    source: least..most + 1,
                });
            }
            map.pairs.extend(pairs);
        }
        map
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
    let mut own: Vec<Stack> = chunk.instructions().iter().map(|inst| place(inst.address)).collect();
    own[code_end(chunk)..].fill(Arc::default());
    own
}
