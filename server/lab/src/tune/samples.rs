//! The samples in a data file, for one GPU and one kind of problem.

use super::Header;
use super::header::{ELEMENT, LAYOUT, MICROSECONDS};
use flate2::read::MultiGzDecoder;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::io::Read;
use tuner::features::{A_TRANSPOSED, B_TRANSPOSED, ELEMENT_BYTES, element_value};
use tuner::{Element, ProblemKind};

/// Measured kernels: values in named columns, and the time of each kernel.
#[derive(Debug, Clone)]
pub struct Samples {
    gpu: String,
    problem: ProblemKind,
    provenance: BTreeMap<String, String>,
    columns: Vec<String>,
    /// All numbers, row by row.
    values: Vec<f64>,
    layouts: Vec<String>,
    /// Index in `layouts` of the layout of each row.
    layout: Vec<u16>,
    microseconds: Vec<f32>,
    /// One line for the user if the last line was incomplete.
    notice: Option<String>,
}

/// The kind of problem and the GPU that a data file is required to have.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedHeader<'a> {
    pub problem: ProblemKind,
    /// `None` accepts any GPU.
    pub gpu: Option<&'a str>,
}

/// Reason why a data file is rejected, and the line of the defect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}: {problem}")]
pub struct SamplesError {
    pub path: String,
    /// Line number, counted from 1.
    pub line: usize,
    pub problem: Defect,
}

/// The defect of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Defect {
    /// The bytes are not valid gzip or not text.
    Unreadable(String),
    MissingKey(&'static str),
    WrongProblem {
        found: String,
        expected: ProblemKind,
    },
    WrongGpu {
        found: String,
        expected: String,
    },
    MissingHeader,
    MissingColumn(String),
    WrongColumn(String),
    OtherColumns {
        expected: String,
    },
    /// A row with more or fewer fields than columns.
    WrongLength {
        found: usize,
        expected: usize,
    },
    WrongField {
        column: String,
        found: String,
        expected: &'static str,
    },
    /// A gzip file cannot be appended to.
    Compressed,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "the file cannot be read; expected text or gzip: {why}"),
            Self::MissingKey(key) => write!(f, "`# {key} = ...` is missing before the columns"),
            Self::WrongProblem { found, expected } => {
                write!(f, "samples of problem `{found}`; expected {expected}")
            }
            Self::WrongGpu { found, expected } => {
                write!(f, "samples of GPU `{found}`; expected `{expected}`")
            }
            Self::MissingHeader => f.write_str("expected a line with the names of columns"),
            Self::MissingColumn(column) => write!(f, "column `{column}` is missing"),
            Self::WrongColumn(column) => {
                write!(
                    f,
                    "column `{column}` is repeated, or its name has characters other than a-z, 0-9 and _"
                )
            }
            Self::OtherColumns { expected } => write!(f, "the columns differ; expected `{expected}`"),
            Self::WrongLength { found, expected } => write!(f, "{found} fields; expected {expected}"),
            Self::WrongField { column, found, expected } => {
                write!(f, "column `{column}` has `{found}`; expected {expected}")
            }
            Self::Compressed => f.write_str("rows cannot be appended to gzip; expected a plain file"),
        }
    }
}

impl Samples {
    /// Reads the samples from a file's bytes, plain or gzip. `path` is the file's name in errors.
    pub fn read(path: &str, bytes: &[u8], expected: &ExpectedHeader<'_>) -> Result<Self, SamplesError> {
        let error = |why: &dyn fmt::Display| SamplesError {
            path: path.to_owned(),
            line: 1,
            problem: Defect::Unreadable(why.to_string()),
        };
        if !is_gzip(bytes) {
            return read_text(path, std::str::from_utf8(bytes).map_err(|why| error(&why))?, expected);
        }
        let mut text = String::new();
        MultiGzDecoder::new(bytes).read_to_string(&mut text).map_err(|why| error(&why))?;
        read_text(path, &text, expected)
    }

    /// Reads a plain file with exactly these integer columns. Otherwise like [`Self::read`].
    pub(crate) fn read_appendable(
        path: &str,
        bytes: &[u8],
        expected: &ExpectedHeader<'_>,
        columns: &[String],
    ) -> Result<Self, SamplesError> {
        let error = |problem| SamplesError { path: path.to_owned(), line: 1, problem };
        if is_gzip(bytes) {
            return Err(error(Defect::Compressed));
        }
        let samples = Self::read(path, bytes, expected)?;
        if samples.columns[implied(samples.problem).len()..] != *columns {
            return Err(error(Defect::OtherColumns { expected: columns.join(",") }));
        }
        Ok(samples)
    }

    pub fn gpu(&self) -> &str {
        &self.gpu
    }

    pub fn problem(&self) -> ProblemKind {
        self.problem
    }

    /// The values of the lines `# key = value`, by key.
    pub fn provenance(&self) -> &BTreeMap<String, String> {
        &self.provenance
    }

    /// One line for the user if the last line was incomplete and was dropped.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    pub fn len(&self) -> usize {
        self.microseconds.len()
    }

    pub fn is_empty(&self) -> bool {
        self.microseconds.is_empty()
    }

    /// Names of the columns: columns derived from element and layout, the file's columns, and added columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The values of a row, in the order of [`Self::columns`].
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns.len()..][..self.columns.len()]
    }

    pub fn microseconds(&self, row: usize) -> f64 {
        f64::from(self.microseconds[row])
    }

    /// Throughput of a row, in operations per second.
    pub fn throughput(&self, row: usize) -> f64 {
        let numbers = self.row(row);
        let products = self.problem.products().iter().filter_map(|name| self.column(name));
        let operations = products.map(|column| numbers[column]).product::<f64>() * 2.0;
        operations / (self.microseconds(row) * 1e-6)
    }

    /// Appends the rows of another file. Returns `Err` if the GPU, the problem or the columns differ.
    pub fn append(&mut self, other: &Self) -> Result<(), Defect> {
        if other.problem != self.problem {
            let found = other.problem.name().to_owned();
            return Err(Defect::WrongProblem { found, expected: self.problem });
        }
        if other.gpu != self.gpu {
            return Err(Defect::WrongGpu { found: other.gpu.clone(), expected: self.gpu.clone() });
        }
        if other.columns != self.columns {
            let expected = self.columns[implied(self.problem).len()..].join(",");
            return Err(Defect::OtherColumns { expected });
        }
        let mut places = Vec::with_capacity(other.layouts.len());
        for layout in &other.layouts {
            let known = self.layouts.iter().position(|known| known == layout);
            let place = known.unwrap_or(self.layouts.len());
            if known.is_none() {
                self.layouts.push(layout.clone());
            }
            places.push(u16::try_from(place).map_err(|_| Defect::WrongField {
                column: LAYOUT.to_owned(),
                found: layout.clone(),
                expected: "fewer than 65536 layouts",
            })?);
        }
        self.values.extend_from_slice(&other.values);
        self.layout.extend(other.layout.iter().map(|place| places[usize::from(*place)]));
        self.microseconds.extend_from_slice(&other.microseconds);
        Ok(())
    }

    /// Adds a column of computed numbers, such as `occupancy`, with one number per row.
    ///
    /// # Panics
    /// If the number of values differs from the number of rows.
    pub fn add_column(&mut self, name: &str, numbers: &[f64]) {
        assert_eq!(numbers.len(), self.len(), "numbers of a new column");
        let width = self.columns.len();
        let mut values = Vec::with_capacity(self.values.len() + numbers.len());
        for (row, number) in self.values.chunks(width).zip(numbers) {
            values.extend_from_slice(row);
            values.push(*number);
        }
        self.values = values;
        self.columns.push(name.to_owned());
    }

    /// Row indices grouped by problem, in the order in which the problems first occur. Two rows belong to the same
    /// problem if all their problem parameters are equal.
    pub fn shapes(&self) -> Vec<Vec<usize>> {
        let columns: Vec<usize> =
            self.problem.problem_columns().iter().filter_map(|name| self.column(name)).collect();
        let key = |row: usize| {
            let numbers = self.row(row);
            let numbers: Vec<u64> = columns.iter().map(|column| numbers[*column].to_bits()).collect();
            (numbers, self.layout[row])
        };
        grouped((0..self.len()).map(|row| (key(row), row)))
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

fn grouped<K: Eq + Hash>(rows: impl Iterator<Item = (K, usize)>) -> Vec<Vec<usize>> {
    let mut places = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (key, row) in rows {
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(row);
    }
    groups
}

/// Columns that are not fields of a row but are derived from its element and layout.
fn implied(problem: ProblemKind) -> &'static [&'static str] {
    match problem {
        ProblemKind::Gemm => &[ELEMENT_BYTES, A_TRANSPOSED, B_TRANSPOSED],
        ProblemKind::Conv => &[ELEMENT_BYTES],
    }
}

fn read_text(path: &str, text: &str, expected: &ExpectedHeader<'_>) -> Result<Samples, SamplesError> {
    let at = |line: usize| move |problem| SamplesError { path: path.to_owned(), line, problem };
    let whole = text.rfind('\n').map_or(0, |last| last + 1);
    let torn = text.len() - whole;
    let mut lines = text[..whole].lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let mut provenance = BTreeMap::new();
    let (names, header_line) = loop {
        let (line, number) = lines.next().ok_or_else(|| at(1)(Defect::MissingHeader))?;
        let Some(comment) = line.strip_prefix('#') else { break (line, number) };
        if let Some((key, value)) = comment.split_once('=') {
            provenance.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    };
    let at_header = at(header_line);
    check_provenance(&provenance, expected).map_err(&at_header)?;
    let fields: Vec<&str> = names.split(',').map(str::trim).collect();
    let columns = check_columns(&fields, expected.problem).map_err(at_header)?;
    let mut samples = Samples {
        gpu: provenance.get("gpu").cloned().unwrap_or_default(),
        problem: expected.problem,
        provenance,
        columns,
        values: Vec::new(),
        layouts: Vec::new(),
        layout: Vec::new(),
        microseconds: Vec::new(),
        notice: (torn > 0).then(|| format!("{path}: dropped an incomplete last line of {torn} bytes")),
    };
    for (line, number) in lines.filter(|(line, _)| !line.starts_with('#')) {
        add_row(&mut samples, &fields, line).map_err(at(number))?;
    }
    Ok(samples)
}

fn check_provenance(
    provenance: &BTreeMap<String, String>,
    expected: &ExpectedHeader<'_>,
) -> Result<(), Defect> {
    let problem = provenance.get("problem").ok_or(Defect::MissingKey("problem"))?;
    if problem != expected.problem.name() {
        return Err(Defect::WrongProblem { found: problem.clone(), expected: expected.problem });
    }
    let gpu = provenance.get("gpu").ok_or(Defect::MissingKey("gpu"))?;
    match expected.gpu {
        Some(name) if name != gpu => Err(Defect::WrongGpu { found: gpu.clone(), expected: name.to_owned() }),
        _ => Ok(()),
    }
}

/// Returns the names of the integer columns of a file with these columns. Returns `Err` if a column is missing or
/// invalid.
fn check_columns(fields: &[&str], problem: ProblemKind) -> Result<Vec<String>, Defect> {
    for (index, field) in fields.iter().enumerate() {
        if !is_name(field) || fields[..index].contains(field) {
            return Err(Defect::WrongColumn((*field).to_owned()));
        }
    }
    let required = [ELEMENT, LAYOUT, MICROSECONDS].iter().chain(Header::required_columns(problem));
    for column in required {
        if !fields.contains(column) {
            return Err(Defect::MissingColumn((*column).to_owned()));
        }
    }
    let numbers = fields.iter().filter(|field| ![ELEMENT, LAYOUT, MICROSECONDS].contains(field));
    let columns = implied(problem).iter().chain(numbers);
    Ok(columns.map(|column| (*column).to_owned()).collect())
}

fn add_row(samples: &mut Samples, fields: &[&str], line: &str) -> Result<(), Defect> {
    let wrong = |column: &str, found: &str, expected| Defect::WrongField {
        column: column.to_owned(),
        found: found.to_owned(),
        expected,
    };
    let found = line.split(',').count();
    if found != fields.len() {
        return Err(Defect::WrongLength { found, expected: fields.len() });
    }
    let start = samples.values.len();
    let implied = implied(samples.problem).len();
    samples.values.resize(start + implied, 0.0);
    for (&column, text) in fields.iter().zip(line.split(',').map(str::trim)) {
        match column {
            ELEMENT => {
                let element: Result<Element, _> = text.parse();
                let element = element.map_err(|_| wrong(column, text, "f16, f32 or f64"))?;
                samples.values[start] = element_value(element);
            }
            LAYOUT => {
                if samples.problem == ProblemKind::Gemm {
                    let transposed = match text {
                        "nn" => [0.0, 0.0],
                        "nt" => [0.0, 1.0],
                        "tn" => [1.0, 0.0],
                        "tt" => [1.0, 1.0],
                        _ => return Err(wrong(column, text, "nn, nt, tn or tt")),
                    };
                    samples.values[start + 1..][..2].copy_from_slice(&transposed);
                } else if !is_name(text) {
                    return Err(wrong(column, text, "a name of a-z, 0-9 and _"));
                }
                let known = samples.layouts.iter().position(|known| known == text);
                let place = known.unwrap_or_else(|| {
                    samples.layouts.push(text.to_owned());
                    samples.layouts.len() - 1
                });
                let place =
                    u16::try_from(place).map_err(|_| wrong(column, text, "fewer than 65536 layouts"))?;
                samples.layout.push(place);
            }
            MICROSECONDS => {
                let time = text.parse().ok().filter(|time| is_time(*time));
                let time = time.ok_or_else(|| wrong(column, text, "a time greater than 0"))?;
                samples.microseconds.push(time as f32);
            }
            _ => {
                let number: Result<u32, _> = text.parse();
                let number = number.map_err(|_| wrong(column, text, "a whole number"))?;
                if number == 0 && samples.problem.products().contains(&column) {
                    return Err(wrong(column, text, "a whole number greater than 0"));
                }
                samples.values.push(f64::from(number));
            }
        }
    }
    Ok(())
}

pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// True if a text is valid as the name of a column or a layout.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

pub(crate) fn is_time(microseconds: f64) -> bool {
    // Written values have four digits after the decimal point.
    (0.0001..1e15).contains(&microseconds)
}
