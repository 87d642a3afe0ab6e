//! Liveness of registers at the cursor, derived from nearby instructions only, so that the cost is
//! independent of the kernel size. Registers are assumed dead at the ends of the window.

use super::site::Site;
use crate::engine::sass_view::SassView;
use machine::Arch;
use model::dataflow::Liveness;
use model::{Program, Register, RegisterFile};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::sync::Arc;
use syntax::sass::{Chunk, LineKind, Listing};

/// Number of instructions examined on each side of the cursor.
const REACH: usize = 500; // limit: completion must not wait

/// State of a register at the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegisterState {
    /// The register holds a value that is read later. `written` and `read` are the distances, in instructions, to the
    /// nearest write above and the nearest read below; `None` if the window contains no write or no read.
    Live { written: Option<usize>, read: Option<usize> },
    /// The register holds a value that no instruction has read so far. The write is `written` instructions above.
    Unread { written: usize },
    /// The register holds no value that is read later.
    Nothing,
}

impl RegisterState {
    /// Distance, in instructions, to the write above that produced the value. `usize::MAX` if the register holds no
    /// value, or if no write is nearby.
    pub(super) fn written(self) -> usize {
        match self {
            Self::Live { written, .. } => written.unwrap_or(usize::MAX),
            Self::Unread { written } => written,
            Self::Nothing => usize::MAX,
        }
    }

    /// Formats the state: `live, written 3 above, read 2 below`.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Nothing => "free".to_owned(),
            Self::Unread { written } => format!("written {written} above, not read yet"),
            Self::Live { written, read } => {
                let mut text = String::from("live");
                if let Some(written) = written {
                    let _ = write!(text, ", written {written} above");
                }
                if let Some(read) = read {
                    let _ = write!(text, ", read {read} below");
                }
                text
            }
        }
    }
}

/// Register states at the cursor.
#[derive(Debug, Default)]
pub(super) struct RegisterStates {
    wanted: FxHashSet<Register>,
    /// Distance from the cursor up to each register's last write, in instructions, and whether the value was read
    /// since.
    written: FxHashMap<Register, (usize, bool)>,
    /// Distance from the cursor down to each register's first read, in instructions.
    read: FxHashMap<Register, usize>,
    /// Registers keyed by their assembler names.
    names: FxHashMap<Box<str>, Register>,
}

impl RegisterStates {
    /// Analyses the instructions around the cursor. The line of the cursor is omitted, because it is
    /// being written.
    pub(super) fn compute(sass: &SassView, site: &Site, arch: &Arc<Arch>) -> Self {
        let chunk: &Chunk = &sass.listing().chunks()[site.chunk];
        let here = u32::try_from(site.word.start - sass.start(site.chunk)).unwrap_or(u32::MAX);
        let own = chunk.line_at(here).unwrap_or(0);
        let lines = lines_around(chunk, own);
        let mut text = String::new();
        let mut above = 0;
        for line in lines {
            if line == own || !matches!(chunk.lines()[line].kind, LineKind::Instruction | LineKind::Label) {
                continue;
            }
            above += usize::from(line < own && chunk.instruction_on(line as u32).is_some());
            text.push_str(chunk.line_text(line));
            text.push('\n');
        }
        let listing = Listing::parse(&text);
        match listing.chunks() {
            [only] if !only.instructions().is_empty() => {
                let program = Program::decode(only, arch);
                let liveness = Liveness::compute(&program, &arch.isa);
                Self::between(&program, &liveness, above.min(program.instructions.len()))
            }
            _ => Self::default(),
        }
    }

    /// Computes the states before instruction `at`. `at` may be the end of the window.
    fn between(program: &Program, liveness: &Liveness, at: usize) -> Self {
        let named = |index| Register { file: RegisterFile::Named, index };
        let names = (0..).zip(&program.names).map(|(index, name)| (name.clone(), named(index))).collect();
        let mut found = Self { names, ..Self::default() };
        let instructions = &program.instructions;
        let follows = at.checked_sub(1).is_some_and(|last| {
            instructions.get(at).is_none_or(|next| next.block == instructions[last].block)
        });
        match at.checked_sub(1) {
            Some(last) if follows => found.wanted.extend(liveness.following(program, last)),
            _ if at < instructions.len() => found.wanted.extend(liveness.before(program, at)),
            _ => {}
        }
        let mut read = FxHashSet::default();
        for (distance, inst) in (1..).zip(instructions[..at].iter().rev()) {
            for access in program.writes(inst) {
                let since = read.contains(&access.register);
                found.written.entry(access.register).or_insert((distance, since));
            }
            read.extend(program.reads(inst).iter().map(|access| access.register));
        }
        let mut overwritten = FxHashSet::default();
        for (distance, inst) in (1..).zip(&instructions[at..]) {
            for access in program.reads(inst) {
                if !overwritten.contains(&access.register) {
                    found.read.entry(access.register).or_insert(distance);
                }
            }
            if inst.guard.is_none() {
                overwritten.extend(program.writes(inst).iter().map(|access| access.register));
            }
        }
        found
    }

    pub(super) fn holds(&self, register: Register) -> RegisterState {
        let written = self.written.get(&register).copied();
        if self.wanted.contains(&register) {
            let read = self.read.get(&register).copied();
            return RegisterState::Live { written: written.map(|(above, _)| above), read };
        }
        match written {
            Some((written, false)) => RegisterState::Unread { written },
            _ => RegisterState::Nothing,
        }
    }

    /// Returns the state of the register with an assembler name; `None` if no nearby instruction uses
    /// the name.
    pub(super) fn name_holds(&self, name: &str) -> Option<RegisterState> {
        self.names.get(name).map(|&register| self.holds(register))
    }

    /// Returns the state of the most needed register in a group of consecutive registers. Live
    /// registers rank before unread registers, and unread registers before free registers.
    pub(super) fn row_holds(&self, file: RegisterFile, first: u16, count: u16) -> RegisterState {
        let all = (first..first.saturating_add(count)).map(|index| self.holds(Register { file, index }));
        all.min_by_key(|holds| match holds {
            RegisterState::Live { .. } => (0, holds.written()),
            RegisterState::Unread { .. } => (1, holds.written()),
            RegisterState::Nothing => (2, 0),
        })
        .unwrap_or(RegisterState::Nothing)
    }
}

/// Lines from [`REACH`] instructions above a line to [`REACH`] instructions below it.
fn lines_around(chunk: &Chunk, own: usize) -> std::ops::Range<usize> {
    let instructions = chunk.instructions();
    let middle = instructions.partition_point(|inst| (inst.line as usize) < own);
    let line = |at: usize| instructions.get(at).map(|inst| inst.line as usize);
    let first = middle.checked_sub(REACH).and_then(line).unwrap_or(0);
    let last = line(middle + REACH).unwrap_or(chunk.lines().len());
    first..last
}
