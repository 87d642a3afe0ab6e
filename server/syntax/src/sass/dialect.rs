//! Notation of a SASS text, recognised from its content.

use super::pieces::Pieces;
use super::{Line, LineKind, TokenKind};

/// Tool that writes or reads the notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Dialect {
    /// `cuobjdump -sass`.
    Cuobjdump,
    /// `nvdisasm`, in all its output formats.
    Nvdisasm,
    /// maxas (Maxwell, Pascal): `01:-:2:Y:5`. Barriers count from 1, and the wait field is a hexadecimal
    /// mask.
    Maxas,
    /// KeplerAs (GK110): `T:G:D:S:04`.
    KeplerAs,
    /// TuringAs (Volta to Ampere): like maxas, but barriers count from 0 and the wait field is decimal.
    TuringAs,
    /// CuAssembler's `.cuasm`.
    Cuasm,
    /// CuAssembler's `.dsass`: a cuobjdump listing with the control code before each instruction.
    Dsass,
}

impl Dialect {
    /// Returns the name of the tool, with the format for tools that have several formats.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cuobjdump => "cuobjdump -sass",
            Self::Nvdisasm => "nvdisasm",
            Self::Maxas => "maxas",
            Self::KeplerAs => "KeplerAs",
            Self::TuringAs => "TuringAs",
            Self::Cuasm => "CuAssembler cuasm",
            Self::Dsass => "CuAssembler dsass",
        }
    }

    /// True for notations that a person writes for an assembler, false for a disassembler's output.
    pub const fn is_source(self) -> bool {
        matches!(self, Self::Maxas | Self::KeplerAs | Self::TuringAs | Self::Cuasm)
    }
}

/// Evidence for a dialect in the lines read so far.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one kind of evidence, independent of the others")]
pub(super) struct Evidence {
    /// True if cuobjdump's `Function :` or `code for` was seen.
    cuobjdump: bool,
    /// True if nvdisasm's section headers or directives were seen.
    nvdisasm: bool,
    /// True if control codes of the form common to maxas and TuringAs were seen.
    maxas_form: bool,
    /// True if a block that only TuringAs has (`<REGS>`, `<PARAMS>`) was seen.
    turing_block: bool,
    /// True if a block that only maxas and KeplerAs have was seen.
    maxas_block: bool,
    /// True if barrier 0 or an unspecified stall count was seen, which maxas does not have.
    turing_code: bool,
    /// Numbers of readable and unreadable lines. Prose, and a program that quotes a listing, have more
    /// unreadable lines.
    read: u32,
    unread: u32,
}

impl Evidence {
    /// Evaluates one more line. `Some` once the dialect is certain.
    pub(super) fn line(&mut self, pieces: Pieces<'_>, line: &Line) -> Option<Dialect> {
        let text = &pieces.text[line.start as usize..(line.start + line.len) as usize];
        let tokens = &pieces.tokens[line.first_token as usize..][..line.token_count as usize];
        let first = tokens.first()?;
        let word = first.text(text);
        if line.broken {
            self.unread += 1;
            return None;
        }
        self.read += u32::from(line.kind != LineKind::Comment);
        match (line.kind, first.kind) {
            (LineKind::Header, TokenKind::Directive)
                if word.starts_with("Function") || word == "code for" =>
            {
                self.cuobjdump = true;
            }
            (LineKind::Header, TokenKind::Comment) => self.nvdisasm = true,
            (LineKind::Directive, TokenKind::Directive) if word.starts_with('<') => self.tag(word),
            (LineKind::Directive, TokenKind::Directive) if word.starts_with(".__") => {
                return Some(Dialect::Cuasm);
            }
            (LineKind::Directive, TokenKind::Directive)
                if matches!(word, ".target" | ".elftype" | ".section") =>
            {
                self.nvdisasm = true;
            }
            (LineKind::Instruction, _) if self.read > self.unread => {
                return self.instruction(first.kind, word);
            }
            _ => {}
        }
        None
    }

    fn tag(&mut self, tag: &str) {
        let name = tag.trim_matches(['<', '>', '/']);
        if ["regs", "params", "consts", "smem"].iter().any(|block| name.eq_ignore_ascii_case(block)) {
            self.turing_block = true;
        } else if ["REGISTER_MAPPING", "CONSTANT_MAPPING", "SCHEDULE_BLOCK", "ORDERED"].contains(&name) {
            self.maxas_block = true;
        }
    }

    fn instruction(&mut self, kind: TokenKind, code: &str) -> Option<Dialect> {
        let printed = |plain, with_code| if kind == TokenKind::Control { with_code } else { plain };
        if self.cuobjdump {
            return Some(printed(Dialect::Cuobjdump, Dialect::Dsass));
        }
        if self.nvdisasm {
            return Some(printed(Dialect::Nvdisasm, Dialect::Cuasm));
        }
        if kind == TokenKind::Address {
            return Some(Dialect::Nvdisasm);
        }
        if kind == TokenKind::Control {
            match code.as_bytes() {
                [b'[', ..] => return Some(Dialect::Cuasm),
                [b'T' | b'-', b':', ..] => return Some(Dialect::KeplerAs),
                [wait @ .., b':', read, b':', write, b':', _, b':', stall] => {
                    self.maxas_form = true;
                    self.turing_code |= *read == b'0' || *write == b'0' || *stall == b'-';
                    if self.turing_block || self.turing_code {
                        return Some(Dialect::TuringAs);
                    }
                    let hexadecimal = wait.iter().any(u8::is_ascii_alphabetic);
                    if self.maxas_block || hexadecimal || *read == b'6' || *write == b'6' {
                        return Some(Dialect::Maxas);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The most likely dialect at the end of the text. Section headers are not sufficient evidence, because
    /// PTX has such directives too.
    pub(super) fn likeliest(self) -> Option<Dialect> {
        if self.read <= self.unread {
            None
        } else if self.cuobjdump {
            Some(Dialect::Cuobjdump)
        } else if self.turing_block {
            Some(Dialect::TuringAs)
        } else if self.maxas_form || self.maxas_block {
            Some(Dialect::Maxas)
        } else {
            None
        }
    }
}
