//! Reads a listing of compiled code and its cubin, for the source that was compiled.

use crate::engine::code::{Code, CodePart, Compiled, CompiledFrom, SourcePlace, Stack, UnlistedKernel};
use crate::engine::cubin_facts;
use crate::engine::names::kernel_name;
use crate::engine::sass_text::SassText;
use crate::engine::stated::ExternalFacts;
use crate::kernels::source_places::{code_end, stacks};
use crate::ptx::{LineMap, MappedFunction};
use machine::Machine;
use model::launch::DeclaredResources;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use syntax::cubin::{Cubin, CubinFunction, Lines};
use syntax::sass::Chunk;

impl Compiled {
    /// Reads a listing and the facts that the cubin states about its kernels. Takes as long as opening the
    /// listing.
    pub(crate) fn read(machine: &Machine, listing: &str, cubin: &[u8], from: CompiledFrom) -> Self {
        let part = CodePart {
            listing: Ok(listing.to_owned()),
            cubin: cubin.to_vec(),
            stale: None,
            dynamic_shared: 0,
        };
        Self(Arc::new(Code { is_left: false, ..code(machine, &[part], from) }))
    }

    /// Reads the code that a build produced from a source. Each part is the code of one cubin.
    pub(crate) fn read_left(machine: &Machine, parts: &[CodePart], from: CompiledFrom) -> Self {
        Self(Arc::new(code(machine, parts, from)))
    }

    /// Reads the code of a PTX document, like [`Self::read`]. `map` maps each line of the listing to its PTX line.
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
        Self(Arc::new(Code {
            text,
            from,
            stacks,
            stale: FxHashMap::default(),
            is_left: false,
            unlisted: Vec::new(),
        }))
    }
}

impl Compiled {
    /// Returns the text of the listing.
    pub fn listing(&self) -> String {
        self.0.text.listing().text()
    }

    /// Returns the origin of the code, and a reason why the code may be outdated.
    pub fn from(&self) -> &CompiledFrom {
        &self.0.from
    }

    /// Returns the source lines of the listing's lines, and the line ranges of each function.
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

/// Joins all parts into a single listing.
fn code(machine: &Machine, parts: &[CodePart], from: CompiledFrom) -> Code {
    let mut listing = String::new();
    let (mut resources, mut places, mut unlisted) = (Vec::new(), Vec::new(), Vec::new());
    let mut stale = FxHashMap::default();
    for CodePart { listing: own, cubin, stale: why, dynamic_shared } in parts {
        let given = given(machine, cubin);
        if let Some(why) = why {
            stale.extend(given.resources.iter().map(|(kernel, _)| (kernel.clone(), why.clone())));
        }
        match own {
            Ok(own) => {
                listing.push_str(own);
                resources.extend(given.resources.iter().map(|(kernel, stating)| {
                    let shared = stating.shared.map(|bytes| bytes.saturating_add(*dynamic_shared));
                    (kernel.clone(), DeclaredResources { shared, ..*stating })
                }));
                places.extend_from_slice(&given.places);
            }
            Err(why) => unlisted.extend(of_cubin(cubin, &from.path, &why.to_string())),
        }
    }
    let given =
        ExternalFacts { resources: resources.into(), places: places.into(), ..ExternalFacts::default() };
    let text = Arc::new(SassText::parse(&listing, given));
    let by_comments = text.listing().chunks().iter().map(|chunk| stacks(chunk));
    let mut all: Vec<Vec<Stack>> = by_comments.collect();
    // cuobjdump prints no source lines.
    if all.iter().flatten().all(|stack| stack.is_empty()) {
        let tables: Vec<Lines> = parts.iter().filter_map(|part| Lines::parse(&part.cubin).ok()).collect();
        all = text.listing().chunks().iter().map(|chunk| by_table(chunk, &tables)).collect();
    }
    Code { text, from, stacks: all, stale, is_left: true, unlisted }
}

/// Returns the kernels of a cubin that have code from this source file. Empty if the cubin cannot be parsed.
fn of_cubin(bytes: &[u8], path: &str, why: &str) -> Vec<UnlistedKernel> {
    let (Ok(cubin), Ok(lines)) = (Cubin::parse(bytes), Lines::parse(bytes)) else { return Vec::new() };
    let file = lines.files.iter().position(|file| file == path).map(|file| file as u32);
    let kernel = |kernel: &CubinFunction| {
        let table = lines.source.iter().find(|table| table.function == kernel.name)?;
        let rows = table.rows.iter().filter(|row| row.file.is_some() && row.file == file && row.line > 0);
        Some(UnlistedKernel {
            name: kernel.name.clone(),
            line: rows.map(|row| row.line).min()?,
            registers: kernel.registers,
            shared: kernel.shared_bytes,
            stack: kernel.stack_bytes,
            why: why.to_owned(),
        })
    };
    cubin.kernels().filter_map(kernel).collect()
}

/// Returns the facts that a cubin states about its kernels. Empty if the cubin cannot be parsed.
fn given(machine: &Machine, cubin: &[u8]) -> ExternalFacts {
    Cubin::parse(cubin).map_or_else(|_| ExternalFacts::default(), |cubin| cubin_facts::given(&cubin, machine))
}

/// Returns the source line of each instruction from the cubins' line tables, for a listing without source
/// comments.
fn by_table(chunk: &Chunk, tables: &[Lines]) -> Vec<Stack> {
    let name = chunk.name().unwrap_or_default();
    let place = |address: Option<u32>| -> Stack {
        let found =
            address.and_then(|address| tables.iter().find_map(|lines| lines.source_of(name, address)));
        found.map(|(path, line)| SourcePlace { path: path.into(), line }).into_iter().collect()
    };
    let mut own: Vec<Stack> = chunk.instructions().iter().map(|inst| place(inst.address)).collect();
    own[code_end(chunk)..].fill(Arc::default());
    own
}
