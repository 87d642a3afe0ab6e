//! Renaming of labels, of names that an assembler maps to registers and constants, and of registers
//! within a live range.

use super::referent::{Referent, RegisterPlace};
use super::{labels, named_lines, register_rename};
use crate::engine::cancel::Cancellable;
use crate::engine::sass_text::with_edits;
use crate::engine::sass_view::SassView;
use crate::{Refusal, TextEdit};
use std::ops::Range;
use syntax::sass::{Chunk, LineKind, Listing, Token, TokenKind};

/// A symbol that can be renamed.
enum RenameTarget<'a> {
    Label {
        chunk: usize,
        name: String,
    },
    Name {
        chunk: usize,
        name: String,
    },
    /// A value to be moved to another register.
    Register(RegisterPlace<'a>),
}

/// Returns the range of the name at an offset; `Err` states why it cannot be renamed.
pub(crate) fn range_at(sass: &SassView, offset: usize) -> Result<Range<usize>, Refusal> {
    renamed(sass, offset).map(|(range, _)| range)
}

/// Returns the edits, in text order, that rename all mentions of the symbol at an offset. For a
/// register, the edits move its value to another register.
pub(crate) fn rename(
    sass: &SassView,
    offset: usize,
    new: &str,
) -> Cancellable<Result<Vec<TextEdit>, Refusal>> {
    let (_, thing) = match renamed(sass, offset) {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if matches!(&thing, RenameTarget::Label { name, .. } | RenameTarget::Name { name, .. } if name == new) {
        return Ok(Ok(Vec::new()));
    }
    if let Some(refusal) = collision(sass, &thing, new) {
        return Ok(Err(refusal));
    }
    let places = match &thing {
        RenameTarget::Label { chunk, name } => {
            let found = labels::references(sass, *chunk, name)?;
            found.into_iter().map(|reference| reference.range).collect()
        }
        RenameTarget::Name { chunk, name } => names(sass, *chunk, name),
        RenameTarget::Register(place) => return Ok(register_rename::edits(sass, place, new)),
    };
    Ok(edits(sass, &places, new))
}

pub(super) fn refuse<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(why.into()))
}

fn renamed(sass: &SassView, offset: usize) -> Result<(Range<usize>, RenameTarget<'_>), Refusal> {
    if let Some((range, chunk, name)) = mapped(sass, offset) {
        return named(sass, chunk, name).map(|thing| (range, thing));
    }
    let Some((range, subject)) = Referent::at(sass, offset) else {
        return Err(Refusal::no_name());
    };
    let thing = match subject {
        Referent::Label { chunk, name } => label(sass, chunk, name)?,
        Referent::Register(place) if place.mention.token.kind == TokenKind::Name => {
            let text = place.kernel.chunk.line_text(place.kernel.text(place.inst).line as usize);
            named(sass, place.kernel.index, place.mention.token.text(text).to_owned())?
        }
        Referent::Register(place) if register_rename::is_numbered(&place) => RenameTarget::Register(place),
        Referent::Register(_) => return refuse("this is a state of the warp, not a numbered register"),
        Referent::Scoreboard(_) => return refuse("a scoreboard has no name"),
        Referent::Address { .. } => return refuse("a branch to an address has no name"),
    };
    Ok((range, thing))
}

/// Name at an offset in a mapping line, with its range and chunk; `None` in other lines.
fn mapped(sass: &SassView, offset: usize) -> Option<(Range<usize>, usize, String)> {
    let line = sass.line_at(offset).filter(|line| line.kind() == LineKind::Mapping)?;
    let holds = |token: &&Token| (token.start as usize..=token.end()).contains(&(offset - line.start));
    let mut tokens = line.tokens().iter().filter(|token| token.kind == TokenKind::Name);
    let token = tokens.find(holds)?;
    Some((line.range(token), line.index, token.text(line.text()).to_owned()))
}

fn label(sass: &SassView, chunk: usize, name: String) -> Result<RenameTarget<'_>, Refusal> {
    let is_section = name.starts_with(".text.");
    if is_section
        || named_lines::function(sass, &name).is_some()
        || sass.listing().chunks()[chunk].name() == Some(&*name)
    {
        return refuse(format!(
            "{name} is a function: its callers and other parts of the binary use its name, too"
        ));
    }
    if named_lines::label_line(&sass.listing().chunks()[chunk], &name).is_none() {
        return refuse(format!("{name} is not defined in this kernel"));
    }
    Ok(RenameTarget::Label { chunk, name })
}

fn named(sass: &SassView, chunk: usize, name: String) -> Result<RenameTarget<'_>, Refusal> {
    if !scope(sass, chunk, &name).any(|chunk| defines(chunk, &name)) {
        return refuse(format!(
            "{name} is not defined by itself in a mapping of this file; a pattern such as x<0-3> may generate it"
        ));
    }
    for chunk in scope(sass, chunk, &name) {
        if let Some(text) = foreign_mention(chunk, &name) {
            return refuse(format!("{name} also appears in `{text}`, which is in another language"));
        }
    }
    Ok(RenameTarget::Name { chunk, name })
}

/// Chunks in which an assembler name is valid: `chunk` if it maps the name, otherwise all chunks.
fn scope<'a>(sass: &'a SassView, chunk: usize, name: &str) -> impl Iterator<Item = &'a Chunk> + use<'a> {
    let chunks = sass.listing().chunks();
    let searched = if defines(&chunks[chunk], name) { &chunks[chunk..=chunk] } else { chunks };
    searched.iter().map(|chunk| &**chunk)
}

/// True if a mapping of the chunk defines the complete name.
fn defines(chunk: &Chunk, name: &str) -> bool {
    let mappings = (0..chunk.lines().len()).filter(|&line| chunk.lines()[line].kind == LineKind::Mapping);
    mappings.into_iter().any(|line| {
        let text = chunk.line_text(line);
        let tokens = chunk.line_tokens(line);
        tokens.iter().enumerate().any(|(at, token)| {
            token.kind == TokenKind::Name && token.text(text) == name && !is_of_pattern(tokens, at, text)
        })
    })
}

/// True if a token belongs to a pattern such as `x<0-3>y`.
fn is_of_pattern(tokens: &[Token], at: usize, text: &str) -> bool {
    let touches = |first: &Token, second: &Token| first.end() == second.start as usize;
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let following = tokens.get(at + 1);
    before.is_some_and(|before| matches!(before.text(text), ">" | "<" | "|") && touches(before, &tokens[at]))
        || following.is_some_and(|following| following.text(text) == "<" && touches(&tokens[at], following))
}

/// Returns the inline code that contains a name as a word, because the meaning of the name in that code
/// is unknown. `None` if no inline code contains the name.
fn foreign_mention<'a>(chunk: &'a Chunk, name: &str) -> Option<&'a str> {
    (0..chunk.lines().len()).find_map(|line| {
        let text = chunk.line_text(line);
        let mut tokens = chunk.line_tokens(line).iter();
        let opaque =
            tokens.find(|token| token.kind == TokenKind::Opaque && has_word(token.text(text), name))?;
        Some(opaque.text(text))
    })
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').any(|found| found == word)
}

fn collision(sass: &SassView, thing: &RenameTarget<'_>, new: &str) -> Option<Refusal> {
    let is_taken = match thing {
        RenameTarget::Label { chunk, .. } => {
            has_name(&sass.listing().chunks()[*chunk], new) || named_lines::function(sass, new).is_some()
        }
        RenameTarget::Name { chunk, name } => scope(sass, *chunk, name).any(|chunk| has_name(chunk, new)),
        RenameTarget::Register(_) => false,
    };
    is_taken.then(|| Refusal(format!("{new} is already taken")))
}

/// True if a label or a mapping has the new name, or if a pattern may generate it.
fn has_name(chunk: &Chunk, new: &str) -> bool {
    (0..chunk.lines().len()).any(|line| {
        let text = chunk.line_text(line);
        let tokens = chunk.line_tokens(line);
        tokens.iter().enumerate().any(|(at, token)| {
            let word = token.text(text);
            let is_numbered = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
            matches!(token.kind, TokenKind::Name | TokenKind::Label)
                && (word == new
                    || new.strip_prefix(word).is_some_and(is_numbered) && is_of_pattern(tokens, at, text))
        })
    })
}

/// Ranges of all occurrences of an assembler name.
fn names(sass: &SassView, chunk: usize, name: &str) -> Vec<Range<usize>> {
    let chunks = sass.listing().chunks();
    let searched = if defines(&chunks[chunk], name) { chunk..chunk + 1 } else { 0..chunks.len() };
    let mut found = Vec::new();
    for index in searched {
        let chunk = &chunks[index];
        for line in 0..chunk.lines().len() {
            if !matches!(chunk.lines()[line].kind, LineKind::Mapping | LineKind::Instruction) {
                continue;
            }
            let text = chunk.line_text(line);
            let start = sass.line_range(index, line).start;
            let tokens = chunk.line_tokens(line).iter();
            let own = tokens.filter(|token| token.kind == TokenKind::Name && token.text(text) == name);
            found.extend(own.map(|token| start + token.start as usize..start + token.end()));
        }
    }
    found
}

/// Returns the edits; `Err` if the new name would be parsed as a different kind of token than the old name.
fn edits(sass: &SassView, places: &[Range<usize>], new: &str) -> Result<Vec<TextEdit>, Refusal> {
    let listing = sass.listing();
    let edit = |place: &Range<usize>| TextEdit { range: place.clone(), text: new.to_owned() };
    let edits: Vec<TextEdit> = places.iter().map(edit).collect();
    let edited = with_edits(listing, &edits);
    for (earlier, place) in places.iter().enumerate() {
        // All ranges have the length of the old name.
        let start = place.start + new.len() * earlier - place.len() * earlier;
        let before = token_at(listing, place.start, place.len());
        if before.is_none() || before != token_at(&edited, start, new.len()) {
            return refuse(format!("`{new}` would not be read as a name here"));
        }
    }
    Ok(edits)
}

/// Kinds of the line and the token at a byte range; `None` unless the token has exactly this range or
/// is a list of targets.
fn token_at(listing: &Listing, start: usize, len: usize) -> Option<(LineKind, TokenKind)> {
    let index = listing.chunk_at(start)?;
    let chunk = &listing.chunks()[index];
    let within = start - listing.start(index).byte as usize;
    let line = chunk.line_at(u32::try_from(within).ok()?)?;
    let column = within - chunk.lines()[line].start as usize;
    let token =
        chunk.line_tokens(line).iter().find(|token| (token.start as usize..token.end()).contains(&column))?;
    let whole = token.start as usize == column && token.len as usize == len;
    let is_broken = chunk.errors().iter().any(|error| error.line as usize == line);
    (whole && !is_broken || token.kind == TokenKind::Targets)
        .then_some((chunk.lines()[line].kind, token.kind))
}
