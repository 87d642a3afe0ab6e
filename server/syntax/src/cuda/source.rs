//! A text of CUDA C++ as tree-sitter sees it, and the declarations in it.

use super::decided::{TextConditions, decided};
use super::mask::mask;
use super::read::{self, Reader};
use super::{Item, ItemKind};
use crate::stop;
use rustc_hash::FxHashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};
use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};
use xxhash_rust::xxh3::xxh3_128;

/// A text of CUDA C++. Immutable; an edit gives a new one that shares what it left alone.
#[derive(Debug, Clone)]
pub struct Source {
    text: Arc<str>,
    /// `None` where the parser gave up, which it does for texts beyond 4 GiB alone.
    tree: Option<Tree>,
    /// The declarations as the tree has them, with all parts under conditions of the preprocessor.
    read: Arc<Unit>,
    /// Number of the architecture that conditions are decided for, where somebody names it.
    sm: Option<u16>,
    /// Computed when first asked for.
    decided: OnceLock<Arc<(TextConditions, Arc<Unit>)>>,
    /// The tree was parsed before the last edits.
    is_behind: bool,
}

/// The declarations of a text that are compiled, or may be.
#[derive(Debug, Default)]
pub struct Unit {
    /// In the order of the text; those of namespaces and of `extern "C"` stand among the others.
    pub items: Vec<Placed>,
}

/// A declaration and its place.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Bytes from the start of the text.
    pub start: u32,
    /// Hash of the declaration's text.
    pub hash: u128,
    pub item: Arc<Item>,
}

impl Placed {
    /// Returns bytes of the text for bytes of the item.
    pub fn range(&self, range: &Range<u32>) -> Range<usize> {
        (self.start + range.start) as usize..(self.start + range.end) as usize
    }
}

impl Unit {
    /// The declaration that holds this byte of the text, with the byte as the declaration counts it.
    pub fn item_at(&self, offset: usize) -> Option<(&Placed, u32)> {
        let offset = u32::try_from(offset).ok()?;
        let behind = self.items.partition_point(|placed| placed.start <= offset);
        let placed = &self.items[behind.checked_sub(1)?];
        let byte = offset - placed.start;
        (byte <= placed.item.length).then_some((placed, byte))
    }

    /// The functions, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = (&Placed, &super::Function)> {
        self.items.iter().filter_map(|placed| match &placed.item.kind {
            ItemKind::Function(function) => Some((placed, function)),
            _ => None,
        })
    }
}

impl Source {
    /// Reads any text.
    pub fn parse(text: &str) -> Self {
        let tree = parse(&mask(text), None, None);
        let items = tree.as_ref().map(|tree| read(text, tree, &Unit::default()).0).unwrap_or_default();
        Self::new(text.into(), tree, items, false, None)
    }

    fn new(text: Arc<str>, tree: Option<Tree>, items: Vec<Placed>, is_behind: bool, sm: Option<u16>) -> Self {
        Self { text, tree, read: Arc::new(Unit { items }), sm, decided: OnceLock::new(), is_behind }
    }

    /// The same text as it is compiled for another GPU: `sm` is the number of its architecture, `None` where nobody names it.
    #[must_use]
    pub fn for_architecture(&self, sm: Option<u16>) -> Self {
        Self { sm, decided: OnceLock::new(), ..self.clone() }
    }

    /// Returns the text after one edit. Only declarations whose text changed are read again.
    #[must_use]
    pub fn edit(&self, range: Range<usize>, new: &str) -> Self {
        let (Some(before), Some(behind)) = (self.text.get(..range.start), self.text.get(range.end..)) else {
            return self.clone();
        };
        let text: Arc<str> = [before, new, behind].concat().into();
        let tree = self.tree.clone().map(|mut tree| {
            // What is blanked depends on whole lines, so that the parser has to look at those.
            let start = before.rfind('\n').map_or(0, |end| end + 1);
            let line_end = |from: usize| text_end(&text, from);
            let rest = line_end(range.start + new.len()) - (range.start + new.len());
            let (old_end, new_end) = (range.end + rest, range.start + new.len() + rest);
            let old_end = old_end.min(self.text.len());
            tree.edit(&InputEdit {
                start_byte: start,
                old_end_byte: old_end,
                new_end_byte: new_end,
                start_position: point(&self.text, start),
                old_end_position: point(&self.text, old_end),
                new_end_position: point(&text, new_end),
            });
            tree
        });
        // A declaration that does not parse by itself is half typed: the parser would look for a way on all over the text.
        if self.is_broken_by(&text, &range, new.len()) {
            return self.without_parse(text, tree, &range, new.len());
        }
        let masked = mask(&text);
        let steps = STEPS_OF_AN_EDIT + self.read.items.len() / ITEMS_OF_A_STEP + new.len() / BYTES_OF_A_STEP;
        let parsed = tree.as_ref().and_then(|tree| parse(&masked, Some(tree), Some(steps)));
        if let Some(parsed) = parsed {
            let is_broken = parsed.root_node().has_error();
            let (items, new_items) = read(&text, &parsed, &self.read);
            // An edit that breaks the text should not change what stands elsewhere.
            if !is_broken || new_items <= NEW_ITEMS + new.bytes().filter(|byte| *byte == b'\n').count() {
                return Self::new(text, Some(parsed), items, false, self.sm);
            }
        }
        self.without_parse(text, tree, &range, new.len())
    }

    /// Whether the declaration that an edit is in does not parse by itself, no more of it than before, or another one keeps the
    /// whole text from it.
    fn is_broken_by(&self, text: &str, range: &Range<usize>, new: usize) -> bool {
        let Some((placed, _)) = self.read.item_at(range.start) else { return false };
        let (start, end) = (placed.start as usize, (placed.start + placed.item.length) as usize);
        // What is written at its ends may be the next one.
        if range.start <= start || end <= range.end || end - start > MOST_BYTES_ALONE {
            return false;
        }
        let errors = |item: &Item| item.errors.len();
        let is_another = |other: &Placed| other.start != placed.start && errors(&other.item) > 0;
        if self.is_behind && self.read.items.iter().any(is_another) {
            return true;
        }
        let is_broken =
            |own: Option<Placed>| own.is_none_or(|own| errors(&own.item) >= errors(&placed.item).max(1));
        // One that never parsed by itself though it does where it stands says nothing.
        is_broken(alone(text, start..end - range.len() + new))
            && (errors(&placed.item) > 0 || !is_broken(alone(&self.text, start..end)))
    }

    /// The text after an edit that the parser would take long for, or that has it see other declarations all over the text, as a brace
    /// or a quote that is still open does. The declaration that the edit is in is read by itself, and the others stay as they are. The next edit tries
    /// again.
    fn without_parse(&self, text: Arc<str>, tree: Option<Tree>, range: &Range<usize>, new: usize) -> Self {
        let moved = |byte: usize| byte - range.len() + new;
        let items = self.read.items.iter().filter_map(|placed| {
            let (start, end) = (placed.start as usize, placed.start as usize + placed.item.length as usize);
            if end < range.start {
                return Some(placed.clone());
            }
            if range.end < start {
                return Some(Placed { start: moved(start) as u32, ..placed.clone() });
            }
            // Of one that the edit takes a part of and leaves another nothing is known.
            let is_within = start <= range.start && range.end <= end;
            is_within.then(|| alone(&text, start..moved(end))).flatten()
        });
        let items = items.collect();
        Self::new(text, tree, items, true, self.sm)
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The declarations of the text that are compiled, or may be.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.decided().1
    }

    /// The conditions of the preprocessor in the text.
    pub fn conditions(&self) -> &TextConditions {
        &self.decided().0
    }

    fn decided(&self) -> &(TextConditions, Arc<Unit>) {
        self.decided.get_or_init(|| {
            let conditions = TextConditions::read(&self.text, self.sm);
            let unit = decided(&self.read, &conditions);
            Arc::new((conditions, unit))
        })
    }

    /// The tree of the parser, whose bytes are those of the text.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// True where the whole text parses.
    pub fn is_whole(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| !tree.root_node().has_error())
            && self.read.items.iter().all(|placed| placed.item.errors.is_empty())
    }
}

/// Steps of the parser that an edit may take, and bytes of new text that allow one more. A step is a hundred operations of the
/// parser; an edit in a function that parses takes some tens.
const STEPS_OF_AN_EDIT: usize = 100;
/// Declarations that stay as they are and that the parser passes in one step.
const ITEMS_OF_A_STEP: usize = 16;
/// Steps that one step of the parser counts for once it looks for a way on behind an error.
const STEPS_OF_RECOVERY: usize = 60;
const BYTES_OF_A_STEP: usize = 8;
/// Bytes of a declaration that is read by itself before the whole text is.
const MOST_BYTES_ALONE: usize = 20_000;

/// New declarations that an edit may make of a text that does not parse, besides one for each line that it brings.
const NEW_ITEMS: usize = 4;

/// Parses a masked text; `None` where that takes more steps than it may, or the parser gives up.
fn parse(masked: &str, old: Option<&Tree>, most_steps: Option<usize>) -> Option<Tree> {
    stop::check();
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).ok()?;
    let Some(most) = most_steps else { return parser.parse(masked, old) };
    let mut steps = 0;
    let mut count = |state: &ParseState| {
        steps += if state.has_error() { STEPS_OF_RECOVERY } else { 1 };
        if steps > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let bytes = masked.as_bytes();
    let mut rest = |byte: usize, _: Point| bytes.get(byte..).unwrap_or_default();
    parser.parse_with_options(&mut rest, old, Some(options))
}

/// The declarations of a text, and how many of them are new; those that an earlier text had are taken from there.
fn read(text: &str, tree: &Tree, earlier: &Unit) -> (Vec<Placed>, usize) {
    let known: FxHashMap<u128, &Arc<Item>> =
        earlier.items.iter().map(|placed| (placed.hash, &placed.item)).collect();
    let mut items = Vec::with_capacity(earlier.items.len() + 1);
    let mut new = 0;
    for node in read::declarations(tree.root_node()) {
        stop::check();
        let hash = xxh3_128(&text.as_bytes()[node.byte_range()]);
        let item = if let Some(&item) = known.get(&hash) {
            Arc::clone(item)
        } else {
            new += 1;
            Arc::new(Reader::new(text, node.start_byte()).item(node))
        };
        items.push(Placed { start: node.start_byte() as u32, hash, item });
    }
    (items, new)
}

/// A declaration, read by itself from its text; `None` where it holds none.
fn alone(text: &str, range: Range<usize>) -> Option<Placed> {
    let own = text.get(range.clone())?;
    let tree = parse(&mask(own), None, Some(STEPS_OF_AN_EDIT + own.len() / BYTES_OF_A_STEP))?;
    let node = read::declarations(tree.root_node()).into_iter().next()?;
    let mut item = Reader::new(own, node.start_byte()).item(node);
    if tree.root_node().has_error() && item.errors.is_empty() {
        item.errors.push(0..item.length);
    }
    let hash = xxh3_128(&own.as_bytes()[node.byte_range()]);
    Some(Placed { start: (range.start + node.start_byte()) as u32, hash, item: Arc::new(item) })
}

fn text_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |length| from + length)
}

/// Row and column in bytes of a place.
fn point(text: &str, byte: usize) -> Point {
    let before = &text.as_bytes()[..byte];
    let row = memchr::memchr_iter(b'\n', before).count();
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Point { row, column: byte - line_start }
}
