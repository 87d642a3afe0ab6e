//! Call hierarchy of a listing's functions.

use super::named_lines::{function, label_line, name_line};
use crate::engine::cancel::Cancellable;
use crate::engine::names::demangle;
use crate::engine::sass_view::{LineAt, SassView};
use crate::{CallItem, CallSite, NamedFunction};
use machine::Flow;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, TokenKind};

/// A function in a chunk.
#[derive(Debug, Clone)]
struct Function {
    chunk: usize,
    /// Instruction range of the function in the chunk.
    instructions: Range<usize>,
    /// Line of the function's name, and the byte range of the name in the line.
    place: (usize, Range<usize>),
    name: String,
}

/// A call, with the byte range of the callee's name.
struct Call {
    inst: usize,
    range: Range<usize>,
    /// Chunk and line of the callee's label; `None` if the listing does not contain the callee.
    callee: Option<(usize, usize)>,
}

pub(crate) fn item_at(sass: &SassView, offset: usize) -> Option<CallItem> {
    let chunk = sass.listing().chunk_at(offset)?;
    let named =
        calls_of(sass, chunk).into_iter().find(|call| call.range.start <= offset && offset <= call.range.end);
    let found = match named.and_then(|call| call.callee) {
        Some((chunk, line)) => {
            functions(sass, chunk).into_iter().find(|function| function.place.0 == line)?
        }
        None => standing_at(sass, offset)?,
    };
    Some(item(sass, &found))
}

pub(crate) fn outgoing(sass: &SassView, selection: usize) -> Vec<CallSite> {
    let Some(caller) = standing_at(sass, selection) else { return Vec::new() };
    let mut by_callee: BTreeMap<(usize, usize), Vec<Range<usize>>> = BTreeMap::new();
    for call in calls_of(sass, caller.chunk) {
        if let Some(callee) = call.callee.filter(|_| caller.instructions.contains(&call.inst)) {
            by_callee.entry(callee).or_default().push(call.range);
        }
    }
    let mut sites = Vec::new();
    for ((chunk, line), calls) in by_callee {
        let callee = functions(sass, chunk).into_iter().find(|function| function.place.0 == line);
        sites.extend(callee.map(|callee| CallSite { item: item(sass, &callee), calls }));
    }
    sites
}

pub(crate) fn incoming(sass: &SassView, selection: usize) -> Cancellable<Vec<CallSite>> {
    let Some(callee) = standing_at(sass, selection) else { return Ok(Vec::new()) };
    let mut sites = Vec::new();
    for (chunk, kernel) in sass.kernels() {
        sass.cancel.check()?;
        // A function inside a kernel is called only from that kernel. Other functions are called by
        // name.
        if chunk != callee.chunk && !kernel.text().contains(&callee.name) {
            continue;
        }
        let calls = calls_of(sass, chunk);
        let mut calls = calls.into_iter().filter(|call| call.callee == Some((callee.chunk, callee.place.0)));
        let Some(first) = calls.next() else { continue };
        let calls: Vec<Call> = [first].into_iter().chain(calls).collect();
        for caller in functions(sass, chunk) {
            let own = calls.iter().filter(|call| caller.instructions.contains(&call.inst));
            let own: Vec<Range<usize>> = own.map(|call| call.range.clone()).collect();
            if !own.is_empty() {
                sites.push(CallSite { item: item(sass, &caller), calls: own });
            }
        }
    }
    Ok(sites)
}

/// Returns the function whose name or code is at an offset.
fn standing_at(sass: &SassView, offset: usize) -> Option<Function> {
    let LineAt { index, line, .. } = sass.line_at(offset)?;
    let functions = functions(sass, index);
    let named = functions.iter().position(|function| function.place.0 == line);
    let found =
        named.or_else(|| functions.iter().rposition(|function| function.place.0 <= line)).or(Some(0))?;
    functions.into_iter().nth(found)
}

/// Functions of a chunk in text order: the kernel, and the functions inside it (`$kernel$callee`).
fn functions(sass: &SassView, index: usize) -> Vec<Function> {
    let chunk: &Chunk = &sass.listing().chunks()[index];
    let instructions = chunk.instructions();
    let mut starts: Vec<(usize, (usize, Range<usize>))> = Vec::new();
    let own = chunk.name().and_then(|name| label_line(chunk, name)).or_else(|| name_line(chunk));
    starts.extend(own.map(|place| (0, place)));
    let mut called: Vec<usize> = calls_of(sass, index)
        .iter()
        .filter_map(|call| call.callee)
        .filter(|&(chunk, _)| chunk == index)
        .map(|(_, line)| line)
        .collect();
    called.extend(internal_labels(chunk));
    called.sort_unstable();
    called.dedup();
    for line in called {
        let first = instructions.partition_point(|inst| (inst.line as usize) < line);
        let Some(token) = chunk.line_tokens(line).first() else { continue };
        if starts.iter().all(|(_, (known, _))| *known != line) && first < instructions.len() {
            starts.push((first, (line, token.start as usize..token.end())));
        }
    }
    starts.sort_by_key(|(first, (line, _))| (*first, *line));
    let ends: Vec<usize> =
        starts.iter().skip(1).map(|(first, _)| *first).chain([instructions.len()]).collect();
    let found = starts.into_iter().zip(ends).filter(|_| !instructions.is_empty());
    found
        .map(|((first, place), end)| {
            let name = chunk.line_text(place.0)[place.1.clone()].to_owned();
            Function { chunk: index, instructions: first..end, place, name }
        })
        .collect()
}

/// Lines with labels of functions inside a kernel, as generated by nvlink: `$features$_Z6helperfi`.
fn internal_labels(chunk: &Chunk) -> impl Iterator<Item = usize> + '_ {
    (0..chunk.lines().len()).filter(|&line| {
        chunk.lines()[line].kind == LineKind::Label && chunk.line_text(line).trim_start().starts_with('$')
    })
}

fn calls_of(sass: &SassView, index: usize) -> Vec<Call> {
    let chunk: &Chunk = &sass.listing().chunks()[index];
    if chunk.instructions().is_empty() {
        return Vec::new();
    }
    let model = sass.model(chunk, &sass.target(chunk));
    let mut calls = Vec::new();
    // Each callee is looked up once, because a listing may have thousands of calls and lines.
    let mut callees: FxHashMap<&str, Option<(usize, usize)>> = FxHashMap::default();
    for (inst, described) in model.program.instructions.iter().enumerate() {
        if described.flow != Flow::Call {
            continue;
        }
        let instruction = &chunk.instructions()[inst];
        let line = sass.line_range(index, instruction.line as usize).start;
        let text = chunk.line_text(instruction.line as usize);
        let mut tokens = chunk.tokens(instruction.tokens).iter();
        let Some(token) = tokens.rfind(|token| matches!(token.kind, TokenKind::Label | TokenKind::Integer))
        else {
            continue;
        };
        let name = token.text(text);
        let callee = *callees.entry(name).or_insert_with(|| {
            let own = label_line(chunk, name).map(|(line, _)| (index, line));
            own.or_else(|| function(sass, name).map(|(chunk, (line, _))| (chunk, line)))
        });
        calls.push(Call { inst, range: line + token.start as usize..line + token.end(), callee });
    }
    calls
}

fn item(sass: &SassView, function: &Function) -> CallItem {
    let chunk: &Chunk = &sass.listing().chunks()[function.chunk];
    let (line, name) = &function.place;
    let line = sass.line_range(function.chunk, *line);
    // Of two adjacent labels, the first names a function without instructions.
    let last = function.instructions.clone().last().map(|last| chunk.instructions()[last].line as usize);
    let end = last.map_or(line.end, |last| sass.line_range(function.chunk, last).end.max(line.end));
    let is_kernel = chunk.name() == Some(&*function.name);
    let kernel = chunk.name().map(|name| demangle(name).unwrap_or_else(|| name.to_owned()));
    CallItem {
        name: readable(&function.name),
        detail: kernel.filter(|_| !is_kernel),
        is_kernel,
        selection: line.start + name.start..line.start + name.end,
        range: line.start..end,
    }
}

/// Returns the readable name, such as `helper(float, int)` for `_Z6helperfi` and for
/// `$features$_Z6helperfi`.
pub(super) fn readable(name: &str) -> String {
    let own = name.rsplit('$').next().filter(|own| !own.is_empty()).unwrap_or(name);
    demangle(own).unwrap_or_else(|| own.to_owned())
}

/// Names of all kernels and of the functions inside them, in text order.
pub(crate) fn all_names(sass: &SassView) -> Cancellable<Vec<NamedFunction>> {
    let mut names = Vec::new();
    for (index, chunk) in sass.kernels() {
        sass.cancel.check()?;
        let mut add = |raw: &str, line: usize, columns: Range<usize>, is_kernel| {
            let start = sass.line_range(index, line).start;
            let range = start + columns.start..start + columns.end;
            names.push(NamedFunction { raw: raw.to_owned(), name: readable(raw), range, is_kernel });
        };
        let own = chunk.name().and_then(|name| label_line(chunk, name)).or_else(|| name_line(chunk));
        if let (Some(name), Some((line, columns))) = (chunk.name(), own) {
            add(name, line, columns, true);
        }
        for line in internal_labels(chunk) {
            if let Some(token) = chunk.line_tokens(line).first() {
                add(token.text(chunk.line_text(line)), line, token.start as usize..token.end(), false);
            }
        }
    }
    Ok(names)
}
