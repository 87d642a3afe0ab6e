//! Assembles lines into instructions: determines the encoding, and assigns control codes to instructions.

use super::lex::{read_annotations, read_control, word_value};
use super::line::operands;
use super::pieces::Pieces;
use super::rewrite::{marked, operand_slots};
use super::{
    Control, Dialect, Encoding, Instruction, Line, LineKind, SmVersion, Token, TokenKind, TokenRange,
};

/// Instructions, kernel name and architecture in a chunk's lines.
#[derive(Debug, Default)]
pub(super) struct Assembled {
    pub instructions: Vec<Instruction>,
    pub name: Option<std::ops::Range<u32>>,
    /// Architecture named in the chunk.
    pub sm: Option<SmVersion>,
}

/// Collects the instructions of a chunk. `sm` is the architecture named above it.
pub(super) fn assemble(pieces: Pieces<'_>, dialect: Option<Dialect>, sm: Option<SmVersion>) -> Assembled {
    let mut assembled = Assembled { sm: named_sm(pieces), name: name(pieces), ..Assembled::default() };
    let encoding = encoding(pieces, dialect, assembled.sm.or(sm));
    let mut group = Group { word: None, slot: 0 };
    let count = pieces.lines.iter().filter(|line| line.kind == LineKind::Instruction).count();
    assembled.instructions.reserve_exact(count);
    let (mut annotated, mut is_unfinished) = (false, false);
    for (index, line) in pieces.lines.iter().enumerate() {
        match line.kind {
            LineKind::Instruction => {
                is_unfinished = is_being_written(pieces, line);
                if is_unfinished {
                    continue;
                }
                if let Some(LineElements { mut instruction, code, annotated: by_vendor }) =
                    instruction(pieces, index, line)
                {
                    // Each branch writes in place. A control code passed by value would be stored and loaded
                    // again.
                    if let Some(code) = code {
                        let text = code.text(pieces.line_text(line));
                        instruction.control = assemblers_control(text, dialect, encoding);
                    } else if by_vendor {
                        instruction.control = vendors_control(pieces, line);
                    }
                    annotated |= by_vendor;
                    if instruction.control.is_none() && group.word.is_some() {
                        instruction.control = group.take(encoding, instruction.address);
                    }
                    assembled.instructions.push(instruction);
                }
            }
            // The word belongs to the unfinished line, which is skipped.
            LineKind::Word if is_unfinished => {}
            LineKind::Word => {
                let Some(word) = words(pieces, line).next() else { continue };
                match assembled.instructions.last_mut() {
                    Some(last) if last.words[0].is_none() => last.words[0] = Some(word),
                    Some(last) if encoding == Some(Encoding::Volta) && last.words[1].is_none() => {
                        last.words[1] = Some(word);
                    }
                    _ => group = Group { word: Some(word), slot: 0 },
                }
            }
            _ => {}
        }
    }
    for instruction in &mut assembled.instructions {
        finish(instruction, pieces, encoding);
        // In a kernel with NVIDIA's scheduling annotations, an instruction without an annotation has an empty
        // control code.
        if annotated && instruction.control.is_none() {
            instruction.control = Some(Control::DRAIN);
        }
    }
    assembled
}

/// The encoding of a chunk's instruction words. `sm` is the architecture named in the chunk or above it.
pub(super) fn encoding(
    pieces: Pieces<'_>,
    dialect: Option<Dialect>,
    sm: Option<SmVersion>,
) -> Option<Encoding> {
    sm.map(SmVersion::encoding).or_else(|| guess_encoding(pieces, dialect))
}

/// True if a line holds an instruction that is incomplete because its `;` is missing. The kernel is read
/// without that line, so other instructions do not change while the user types the line.
fn is_being_written(pieces: Pieces<'_>, line: &Line) -> bool {
    let text = pieces.line_text(line);
    let code = text.find("//").map_or(text, |comment| &text[..comment]);
    line.broken && !code.contains(';')
}

/// Elements of an instruction on one line.
struct LineElements {
    instruction: Instruction,
    /// The assembler's control code before the instruction.
    code: Option<Token>,
    /// True if NVIDIA's scheduling annotations follow the instruction.
    annotated: bool,
}

/// The instruction on a line, without the elements on other lines. `None` if the line has no mnemonic.
#[inline]
fn instruction(pieces: Pieces<'_>, index: usize, line: &Line) -> Option<LineElements> {
    let text = pieces.line_text(line);
    let tokens = pieces.line_tokens(line);
    let (mnemonic, end) = line.body.tokens()?;
    let (mut code, mut address, mut guard) = (None, None, None);
    for (at, token) in tokens[..mnemonic].iter().enumerate() {
        match token.kind {
            TokenKind::Control => code = Some(*token),
            TokenKind::Address => address = Some(token.value),
            TokenKind::At => _ = guard.get_or_insert(at),
            _ => {}
        }
    }
    let mut encoded = [None; 2];
    let mut annotated = false;
    for token in &tokens[end..] {
        match token.kind {
            TokenKind::Word => {
                let slot = usize::from(encoded[0].is_some());
                encoded[slot] = encoded[slot].or(word_value(token.text(text)));
            }
            TokenKind::Schedule => annotated = true,
            _ => {}
        }
    }
    // A comment between operands belongs to the instruction. A comment after the last operand does not.
    let trailing =
        tokens[mnemonic..end].iter().rev().take_while(|token| token.kind == TokenKind::Comment).count();
    let first = line.first_token;
    let start = guard.unwrap_or(mnemonic);
    let instruction = Instruction {
        line: index as u32,
        address,
        tokens: TokenRange { start: first + start as u32, end: first + (end - trailing) as u32 },
        mnemonic: first + mnemonic as u32,
        words: encoded,
        control: None,
    };
    Some(LineElements { instruction, code, annotated })
}

/// The encoded instruction words on a line.
fn words<'a>(pieces: Pieces<'a>, line: &Line) -> impl Iterator<Item = u64> + use<'a> {
    let text = pieces.line_text(line);
    let tokens = pieces.line_tokens(line).iter();
    tokens.filter(|token| token.kind == TokenKind::Word).filter_map(move |token| word_value(token.text(text)))
}

/// The control code before an instruction, in an assembler's notation.
#[inline]
fn assemblers_control(code: &str, dialect: Option<Dialect>, encoding: Option<Encoding>) -> Option<Control> {
    let mut control = read_control(code, dialect)?;
    let pairs = dialect == Some(Dialect::Maxas) || encoding == Some(Encoding::Maxwell);
    control.dual |= pairs && control.kepler.is_none() && control.stall == Some(0);
    Some(control)
}

/// Returns the control code from NVIDIA's scheduling annotations after an instruction.
fn vendors_control(pieces: Pieces<'_>, line: &Line) -> Option<Control> {
    let text = pieces.line_text(line);
    let schedule = pieces.line_tokens(line).iter().filter(|token| token.kind == TokenKind::Schedule);
    read_annotations(schedule.map(|token| token.text(text)))
}

/// A control word, and the number of instructions of its group read so far.
struct Group {
    word: Option<u64>,
    slot: u32,
}

impl Group {
    /// The control code for the next instruction of the group. If the instruction has an address, the address
    /// determines the slot. A deleted line then does not shift the control codes of other lines.
    fn take(&mut self, encoding: Option<Encoding>, address: Option<u32>) -> Option<Control> {
        let word = self.word?;
        let (length, code): (u32, fn(u64, u32) -> Control) = match encoding? {
            Encoding::Kepler => (7, Control::from_kepler_word),
            Encoding::Maxwell => (3, Control::from_maxwell_word),
            Encoding::Volta => return None,
        };
        let slot = address.map_or(Some(self.slot), |address| (address / 8 % (length + 1)).checked_sub(1))?;
        self.slot += 1;
        (slot < length).then(|| code(word, slot))
    }
}

/// Completes an instruction from all its words: its control code, and whether it is dual-issued.
#[inline]
fn finish(instruction: &mut Instruction, pieces: Pieces<'_>, encoding: Option<Encoding>) {
    let encoded =
        instruction.words[1].filter(|_| encoding == Some(Encoding::Volta)).map(Control::from_volta_word);
    if instruction.control.is_none() {
        instruction.control = encoded;
    }
    if let Some(control) = &mut instruction.control {
        let line = &pieces.lines[instruction.line as usize];
        let tokens = &pieces.tokens[instruction.mnemonic as usize..instruction.tokens.end as usize];
        // Padding after the last branch has stall count 0 too, but is not dual-issued.
        control.dual = control.dual && tokens[0].text(pieces.line_text(line)) != "NOP";
        // A printed control code has no reuse flags. The encoding holds them or, without an encoding, the
        // text.
        if let Some(encoded) = encoded {
            control.reuse_mask = encoded.reuse_mask;
        } else if control.reuse_mask == 0 && line.body.reuses {
            control.reuse_mask = reuse_marks(tokens, pieces.line_text(line));
        }
    }
}

/// The operand slots marked `.reuse` in the text, one bit each. For opcodes that use slots other than a, b
/// and c, only an encoding determines the slots.
fn reuse_marks(instruction: &[Token], line: &str) -> u8 {
    let mnemonic = instruction[0].text(line);
    let slots = operand_slots(mnemonic, "abcd", operands(instruction));
    marked(operands(instruction), &slots, line)
}

/// The encoding if no line names an architecture: the assembler's dialect determines it, otherwise the distance between
/// addresses, otherwise the control words.
fn guess_encoding(pieces: Pieces<'_>, dialect: Option<Dialect>) -> Option<Encoding> {
    match dialect {
        Some(Dialect::Maxas) => return Some(Encoding::Maxwell),
        Some(Dialect::KeplerAs) => return Some(Encoding::Kepler),
        Some(Dialect::TuringAs) => return Some(Encoding::Volta),
        _ => {}
    }
    let mut addresses = pieces
        .lines
        .iter()
        .filter(|line| line.kind == LineKind::Instruction)
        .filter_map(|line| pieces.line_tokens(line).iter().find(|token| token.kind == TokenKind::Address))
        .map(|token| token.value);
    let (first, second) = (addresses.next()?, addresses.next());
    if first % 16 == 0 && second.is_none_or(|second| second.wrapping_sub(first) % 16 == 0) {
        return Some(Encoding::Volta);
    }
    // The word before the first instruction is a control word in both encodings. Kepler control words have a
    // recognisable bit pattern.
    let control = pieces
        .lines
        .iter()
        .find(|line| line.kind == LineKind::Word)
        .and_then(|line| words(pieces, line).next());
    Some(if control.is_some_and(Control::is_kepler_word) { Encoding::Kepler } else { Encoding::Maxwell })
}

/// Name of the kernel, from `Function : name`, `# Kernel: name` or the header of a `.text.name` section.
fn name(pieces: Pieces<'_>) -> Option<std::ops::Range<u32>> {
    let line = pieces.lines.first().filter(|line| line.kind == LineKind::Header)?;
    let text = pieces.line_text(line);
    let tokens = pieces.line_tokens(line);
    let label = tokens.iter().find(|token| token.kind == TokenKind::Label)?;
    let name = label.text(text);
    let directive = tokens[0].text(text);
    let skip = match tokens[0].kind {
        TokenKind::Directive if directive == "code for" => return None,
        TokenKind::Directive => 0,
        _ if name.starts_with(".text.") => ".text.".len(),
        _ => return None,
    };
    let start = line.start + u32::from(label.start);
    Some(start + skip as u32..start + u32::from(label.len))
}

/// The architecture named in the chunk's lines.
fn named_sm(pieces: Pieces<'_>) -> Option<SmVersion> {
    let mut found = None;
    for line in pieces.lines {
        if matches!(line.kind, LineKind::Header | LineKind::Directive | LineKind::Comment)
            && let Some(sm) = sm_in(pieces, line)
        {
            // A target includes the architecture suffix. Header flags do not.
            if sm.suffix != 0 || found.is_none() {
                found = Some(sm);
            }
        }
    }
    found
}

fn sm_in(pieces: Pieces<'_>, line: &Line) -> Option<SmVersion> {
    let text = pieces.line_text(line);
    let tokens = pieces.line_tokens(line);
    let first = tokens.first()?;
    match (first.kind, first.text(text)) {
        (TokenKind::Directive, "code for" | ".target") => SmVersion::parse(tokens.get(1)?.text(text)),
        (TokenKind::Directive, ".headerflags" | ".__elf_flags") => after_sm(text),
        (TokenKind::Directive, directive) => SmVersion::parse(directive.strip_prefix("arch = ")?.trim()),
        (TokenKind::Comment, comment) => match comment.strip_prefix("# Arch: ") {
            Some(arch) => SmVersion::parse(arch.trim()),
            None if comment.contains(".headerflags") => after_sm(comment),
            None => None,
        },
        _ => None,
    }
}

/// The first `SM90` or `SM_75` in a text.
fn after_sm(text: &str) -> Option<SmVersion> {
    text.match_indices("SM").find_map(|(at, _)| {
        let rest = &text[at..];
        let end = rest
            .char_indices()
            .skip(2)
            .find(|(_, c)| !c.is_ascii_digit() && *c != '_')
            .map_or(rest.len(), |(end, _)| end);
        SmVersion::parse(&rest[..end])
    })
}
