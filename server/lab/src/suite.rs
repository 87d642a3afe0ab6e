//! The data of each architecture, compiled into warplens: programs, their frame, encodings and formulas.

use crate::encode::Encodings;
use crate::program::{File, Program, ProgramError, ProgramLine, framed};
use crate::values::{self, Value};

/// The built-in files of one architecture, as text.
struct Texts {
    sm: u16,
    frame: &'static str,
    encodings: &'static str,
    values: &'static str,
    /// Name and text of each program file, in listing order.
    files: &'static [(&'static str, &'static str)],
}

macro_rules! texts {
    ($sm:literal: $($file:literal)*) => {
        Texts {
            sm: $sm,
            frame: include_str!(concat!("../programs/sm_", $sm, "/frame.sass")),
            encodings: include_str!(concat!("../programs/sm_", $sm, "/encodings.toml")),
            values: include_str!(concat!("../programs/sm_", $sm, "/values.toml")),
            files: &[$(($file, include_str!(concat!("../programs/sm_", $sm, "/", $file, ".sass")))),*],
        }
    };
}

const ARCHITECTURES: &[Texts] = &[texts!(90:
    "intervals" "scoreboard" "queue" "transfers" "wavefronts" "lines" "operands" "reuse" "forwarding" "write-ports"
    "tensor" "branch" "yield" "barrier")];

/// The programs that measure one architecture, with their encodings and formulas.
#[derive(Debug)]
pub struct Suite {
    /// The architecture's number: 90 for sm_90.
    pub sm: u16,
    frame: &'static str,
    pub(crate) encodings: Encodings,
    pub(crate) values: Vec<Value>,
    files: Vec<(&'static str, File)>,
}

impl Suite {
    /// Returns the suite of an architecture; `None` if the architecture has no programs.
    ///
    /// # Panics
    ///
    /// If a built-in text cannot be parsed. A test parses all of them.
    pub fn for_sm(sm: u16) -> Option<Self> {
        let texts = ARCHITECTURES.iter().find(|texts| texts.sm == sm)?;
        let files = texts.files.iter().map(|(name, text)| {
            let file = File::parse(text);
            (
                *name,
                file.unwrap_or_else(|wrong| {
                    panic!("{name}.sass:{}: expected {}", wrong.line, wrong.expected)
                }),
            )
        });
        Some(Self {
            sm,
            frame: texts.frame,
            encodings: Encodings::parse(texts.encodings).expect("the tests read the same text"),
            values: values::parse(texts.values).expect("the tests read the same text"),
            files: files.collect(),
        })
    }

    /// The architectures that have measuring programs, as numbers: 90 for sm_90.
    pub fn covered() -> Vec<u16> {
        ARCHITECTURES.iter().map(|texts| texts.sm).collect()
    }

    /// All programs. Each entry has the file, the program's name and its description.
    pub fn programs(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.all().map(|(file, program)| (file, program.name.as_str(), program.summary.as_str()))
    }

    /// All files. Each entry has the file's name and the question that its programs answer.
    pub fn questions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(file, content)| (*file, content.question.as_str()))
    }

    /// The figures that a file's programs measure: pairs of the key in an overlay and the formula.
    pub fn figures(&self, file: &str) -> impl Iterator<Item = (&str, &str)> {
        let of_file = self.values.iter().filter(move |value| value.by == file);
        of_file.flat_map(|value| value.places.iter().map(|place| (place.as_str(), value.text.as_str())))
    }

    /// Encodes a program within its frame.
    pub(crate) fn code(&self, program: &Program) -> Result<Vec<u8>, ProgramError> {
        self.encodings.assemble(&self.lines(program))
    }

    pub(crate) fn lines(&self, program: &Program) -> Vec<ProgramLine> {
        framed(self.frame, &program.lines)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &Program)> {
        self.files
            .iter()
            .flat_map(|(file, content)| content.programs.iter().map(move |program| (*file, program)))
    }
}
