//! A CUDA C++ text as parsed by tree-sitter, and its declarations.

use super::chunks::{chunks, may_parse};
use super::decided::{TextConditions, decided};
use super::item::PlacedItem;
use super::mask::mask;
use super::preprocessor::{Conditions, Pass};
use super::read;
use super::{Included, Item, ItemKind};
use crate::depth::{MAX_OPEN_ANGLES, MAX_OPEN_BRACKETS};
use crate::stop;
use rustc_hash::FxHashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};
use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128, xxh3_128_with_seed};

/// A CUDA C++ text. Immutable: an edit returns a new source that shares the unchanged declarations.
#[derive(Debug, Clone)]
pub struct Source {
    text: Arc<str>,
    /// The last version of the text that parsed completely.
    whole: Option<Arc<MaskedText>>,
    /// True if `whole` is the current version: the current text parses completely.
    is_whole: bool,
    /// The declarations as parsed, with all branches of preprocessor conditions.
    read: Arc<Unit>,
    /// Architecture number for which conditions are evaluated; `None` if not specified.
    sm: Option<u16>,
    /// The headers that the text includes, if they were read.
    included: Option<Arc<Included>>,
    /// Conditions and compiled declarations, computed on first use.
    decided: OnceLock<Arc<(TextConditions, Arc<Unit>)>>,
}

/// The declarations of a text that are compiled or may be compiled.
#[derive(Debug, Default)]
pub struct Unit {
    /// Declarations in text order, including those in namespaces and in `extern "C"`.
    pub items: Vec<PlacedItem>,
    /// Declarations in each range of the text, keyed by the hash of the range's text. `None` if the text parses
    /// completely.
    parts: Option<Parts>,
    /// Declarations of the headers that the text includes.
    included: Option<Arc<Included>>,
}

/// Index of the first declaration of a header. The declarations of a text have smaller indices.
pub const FIRST_INCLUDED: u32 = 1 << 20; // limit: no text that is read has as many declarations

type Parts = FxHashMap<u128, Arc<[PlacedItem]>>;

impl Unit {
    pub(super) const fn new(items: Vec<PlacedItem>, included: Option<Arc<Included>>) -> Self {
        Self { items, parts: None, included }
    }

    /// Returns the declaration with this index, which is in the text or in a header.
    pub fn item(&self, at: u32) -> Option<&PlacedItem> {
        match at.checked_sub(FIRST_INCLUDED) {
            None => self.items.get(at as usize),
            Some(at) => self.included.as_ref()?.items().get(at as usize),
        }
    }

    /// The headers that the text includes, if they were read.
    pub fn included(&self) -> Option<&Arc<Included>> {
        self.included.as_ref()
    }

    /// The declarations that parse, keyed by the hash of their text.
    fn known(&self) -> ItemsByHash<'_> {
        let whole = self.items.iter().filter(|placed| placed.item.errors.is_empty());
        whole.map(|placed| (placed.hash, &placed.item)).collect()
    }

    /// The declaration that contains byte `offset` of the text, and the byte's offset in the declaration.
    pub fn item_at(&self, offset: usize) -> Option<(&PlacedItem, u32)> {
        let offset = u32::try_from(offset).ok()?;
        let following = self.items.partition_point(|placed| placed.start <= offset);
        let placed = &self.items[following.checked_sub(1)?];
        let byte = offset - placed.start;
        (byte <= placed.item.length).then_some((placed, byte))
    }

    /// The functions, in text order.
    pub fn functions(&self) -> impl Iterator<Item = (&PlacedItem, &super::Function)> {
        self.items.iter().filter_map(|placed| match &placed.item.kind {
            ItemKind::Function(function) => Some((placed, function)),
            _ => None,
        })
    }
}

impl Source {
    /// Reads a source text. Any text is accepted.
    pub fn parse(text: &str) -> Self {
        Self::read(text.into(), None, None, None)
    }

    /// Reads a text. Trees of an earlier text are reused, which does not change the result.
    fn read(
        text: Arc<str>,
        earlier: Option<&Self>,
        sm: Option<u16>,
        included: Option<Arc<Included>>,
    ) -> Self {
        let masked = mask(&text);
        let known = earlier.map(|earlier| earlier.read.known()).unwrap_or_default();
        let whole = MaskedText::parse(&masked, earlier.and_then(|earlier| earlier.whole.as_deref()));
        let (whole, unit) = if let Some(whole) = whole {
            let items = read(&text, 0, &whole.tree, &known);
            (Some(Arc::new(whole)), Unit::new(items, None))
        } else {
            let unit = in_parts(&text, &masked, &known, earlier.map(|earlier| &*earlier.read));
            (earlier.and_then(|earlier| earlier.whole.clone()), unit)
        };
        let is_whole = unit.parts.is_none();
        Self { text, whole, is_whole, read: Arc::new(unit), sm, included, decided: OnceLock::new() }
    }

    /// Returns this text as compiled for another architecture. `sm` is the architecture number.
    #[must_use]
    pub fn for_architecture(&self, sm: Option<u16>) -> Self {
        Self { sm, decided: OnceLock::new(), ..self.clone() }
    }

    /// Collects the declarations of headers, in the order in which the compiler reads them.
    pub fn included<'a>(headers: impl IntoIterator<Item = (Arc<str>, &'a Self)>) -> Included {
        let mut all = Included::default();
        for (name, source) in headers {
            let conditions = source.conditions();
            let is_unknown =
                |placed: &PlacedItem| conditions.around(&placed.item).is_unknown(placed.start as usize);
            all.push(name, &source.text, &source.unit().items, is_unknown);
        }
        all
    }

    /// Returns this text with the headers that it includes.
    #[must_use]
    pub fn including(&self, included: Option<Arc<Included>>) -> Self {
        Self { included, decided: OnceLock::new(), ..self.clone() }
    }

    /// Returns the source after one edit. The result equals [`Source::parse`] of the new text. Only
    /// declarations whose text changed are read again.
    #[must_use]
    pub fn edit(&self, range: Range<usize>, new: &str) -> Self {
        let (Some(before), Some(following)) = (self.text.get(..range.start), self.text.get(range.end..))
        else {
            return self.clone();
        };
        Self::read([before, new, following].concat().into(), Some(self), self.sm, self.included.clone())
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The declarations of the text that are compiled or may be compiled.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.decided().1
    }

    /// The preprocessor conditions in the text.
    pub fn conditions(&self) -> &TextConditions {
        &self.decided().0
    }

    fn decided(&self) -> &(TextConditions, Arc<Unit>) {
        self.decided.get_or_init(|| {
            let included = self.included.as_deref();
            let conditions = TextConditions::read(&self.text, self.sm, included);
            let by_default = || {
                let headers = included.map(Included::macros);
                Conditions::by_default(&self.text, Pass::Device { sm: self.sm }, headers)
            };
            let unit = decided(&self.read, &conditions, self.included.as_ref(), by_default);
            Arc::new((conditions, unit))
        })
    }

    /// True if the text parses completely.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// A text that parses, with unsupported words masked by blanks, and its syntax tree.
#[derive(Debug)]
struct MaskedText {
    masked: Box<str>,
    tree: Tree,
}

impl MaskedText {
    /// Parses a masked text; `None` if the text does not parse. Reuses the tree of an earlier text.
    fn parse(masked: &str, earlier: Option<&Self>) -> Option<Self> {
        // The parser notices an unmatched brace only at the end of the text. After an open string it tries
        // many recoveries.
        if !may_parse(masked) {
            return None;
        }
        let old = earlier.map(|earlier| earlier.moved_to(masked));
        let tree = parse(masked, old.as_ref(), GiveUpAt::Error)?;
        (!tree.root_node().has_error()).then(|| Self { masked: masked.into(), tree })
    }

    /// Returns the tree, prepared for parsing another text: the bytes between the first and the last difference of the
    /// texts are marked as changed.
    fn moved_to(&self, masked: &str) -> Tree {
        let (old, new) = (self.masked.as_bytes(), masked.as_bytes());
        let mut tree = self.tree.clone();
        let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        if start == old.len() && start == new.len() {
            return tree;
        }
        let most = old.len().min(new.len()) - start;
        let same =
            old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
        let (old_end, new_end) = (old.len() - same, new.len() - same);
        tree.edit(&InputEdit {
            start_byte: start,
            old_end_byte: old_end,
            new_end_byte: new_end,
            start_position: point(old, start),
            old_end_position: point(old, old_end),
            new_end_position: point(new, new_end),
        });
        tree
    }
}

/// Bytes of text for which the parser is granted one step, in addition to [`STEPS_OF_A_PART`]. A step is a hundred
/// parser operations.
const BYTES_OF_A_STEP: usize = 8; // limit: time of the parser for each byte
/// Parser steps granted for any range, however short.
const STEPS_OF_A_PART: usize = 100; // limit: time of the parser for a short part
/// Number of granted steps that one step of error recovery uses up.
const STEPS_OF_RECOVERY: usize = 60; // limit: recovery from errors costs this many steps

/// Condition under which the parser gives up.
#[derive(Clone, Copy)]
enum GiveUpAt {
    /// At the first error.
    Error,
    /// After this number of steps.
    Steps(usize),
}

/// Parses a masked text; `None` if the parser gives up, or if the text has too many open brackets.
fn parse(masked: &str, old: Option<&Tree>, until: GiveUpAt) -> Option<Tree> {
    stop::check();
    let most = max_open_brackets(masked);
    if most.all > MAX_OPEN_BRACKETS || most.angles > MAX_OPEN_ANGLES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).ok()?;
    let mut steps = 0;
    let mut count = |state: &ParseState| {
        let is_over = match until {
            GiveUpAt::Error => state.has_error(),
            GiveUpAt::Steps(most) => {
                steps += if state.has_error() { STEPS_OF_RECOVERY } else { 1 };
                steps > most
            }
        };
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let bytes = masked.as_bytes();
    let mut rest = |byte: usize, _: Point| bytes.get(byte..).unwrap_or_default();
    parser.parse_with_options(&mut rest, old, Some(options))
}

/// Maximum nesting depth of the brackets in a text.
#[derive(Default)]
struct OpenBrackets {
    /// Brackets of any kind.
    all: usize,
    /// Characters `<` that may open template arguments.
    angles: usize,
}

/// Returns the maximum nesting depth of the brackets in a text. A `<` without a `>` counts as open until its
/// statement or the enclosing bracket ends. `<<` and `<=` are operators.
fn max_open_brackets(text: &str) -> OpenBrackets {
    let (mut angles, mut most) = (0_usize, OpenBrackets::default());
    // For each open bracket, the number of open `<` in front of it.
    let mut open = Vec::new();
    let bytes = text.as_bytes();
    let is_angle = |at: usize| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        before != Some(b'<') && !matches!(bytes.get(at + 1), Some(b'<' | b'='))
    };
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open.push(angles),
            b')' | b']' | b'}' => angles = open.pop().unwrap_or(0),
            b';' => angles = open.last().copied().unwrap_or(0),
            b'<' if is_angle(at) => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            _ => continue,
        }
        most.all = most.all.max(open.len() + angles);
        most.angles = most.angles.max(angles);
    }
    most
}

/// Declarations without errors, keyed by the hash of their text.
type ItemsByHash<'a> = FxHashMap<u128, &'a Arc<Item>>;

/// The declarations in a tree. The text starts at byte `start` of the source text. Known declarations are
/// reused.
fn read(text: &str, start: usize, tree: &Tree, known: &ItemsByHash<'_>) -> Vec<PlacedItem> {
    let nodes = read::declarations(tree.root_node());
    let mut items = Vec::with_capacity(nodes.len());
    for node in nodes {
        stop::check();
        let own = &text.as_bytes()[node.byte_range()];
        let hash = xxh3_128(own);
        let known = known.get(&hash).filter(|_| !node.has_error());
        let item = known.map_or_else(|| Arc::new(read::item(text, node)), |&item| Arc::clone(item));
        // The parse of a declaration with errors depends on the surrounding text.
        let hash = if node.has_error() { xxh3_128_with_seed(own, xxh3_64(text.as_bytes())) } else { hash };
        items.push(PlacedItem { start: (start + node.start_byte()) as u32, hash, item });
    }
    items
}

/// The declarations of a text that does not parse completely. Each range between declaration boundaries is
/// read separately.
fn in_parts(text: &str, masked: &str, known: &ItemsByHash<'_>, earlier: Option<&Unit>) -> Unit {
    let earlier = earlier.and_then(|earlier| earlier.parts.as_ref());
    let mut parts: Parts = FxHashMap::default();
    let mut items = Vec::new();
    for range in chunks(masked) {
        let Some(own) = text.get(range.clone()) else { continue };
        let hash = xxh3_128(own.as_bytes());
        let without_end = own.strip_suffix(';').map(|own| xxh3_128(own.as_bytes()));
        let whole =
            [Some(hash), without_end].into_iter().flatten().find_map(|hash| Some((hash, *known.get(&hash)?)));
        if let Some((hash, item)) = whole {
            items.push(PlacedItem { start: range.start as u32, hash, item: Arc::clone(item) });
            continue;
        }
        let of_part = || earlier.and_then(|earlier| earlier.get(&hash)).cloned();
        let found = parts
            .entry(hash)
            .or_insert_with(|| of_part().unwrap_or_else(|| alone(own, &masked[range.clone()])));
        items.extend(
            found
                .iter()
                .map(|placed| PlacedItem { start: placed.start + range.start as u32, ..placed.clone() }),
        );
    }
    Unit { items, parts: Some(parts), included: None }
}

/// The declarations of one range of a text, with offsets from the start of the range. Empty if the parser gives up.
fn alone(text: &str, masked: &str) -> Arc<[PlacedItem]> {
    let steps = STEPS_OF_A_PART + text.len() / BYTES_OF_A_STEP;
    let tree = parse(masked, None, GiveUpAt::Steps(steps));
    tree.map(|tree| read(text, 0, &tree, &ItemsByHash::default())).unwrap_or_default().into()
}

/// Row and column, in bytes, of a byte offset.
fn point(text: &[u8], byte: usize) -> Point {
    let before = &text[..byte];
    let row = memchr::memchr_iter(b'\n', before).count();
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Point { row, column: byte - line_start }
}
