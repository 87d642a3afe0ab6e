//! Writes a data file row by row, so that the file survives a crash. A last line without a newline does not count as
//! a row.

use super::samples::{ExpectedHeader, Samples, SamplesError};
use super::{Header, samples};
use std::fmt::Write as _;
use std::io::{self, Write};
use tuner::Element;

/// A data file to which rows are appended.
#[derive(Debug)]
pub struct Recording<W> {
    out: W,
    columns: usize,
    line: String,
}

/// The contents of a file to continue.
#[derive(Debug)]
pub struct ResumedFile {
    /// Number of bytes to keep. The file is truncated to this length before rows are appended. 0 if the file
    /// must be started over.
    pub keep: u64,
    /// The rows measured so far; `None` if the file is started over.
    pub samples: Option<Samples>,
    /// One line for the user if data was dropped.
    pub notice: Option<String>,
}

impl<W: Write> Recording<W> {
    /// Begins a file by writing its header.
    pub fn start(mut out: W, header: &Header) -> io::Result<Self> {
        out.write_all(header.text().as_bytes())?;
        out.flush()?;
        Ok(Self::proceed(out, header))
    }

    /// Continues a file that [`resume`](Self::resume) has checked. `out` must be positioned at the end of the
    /// file.
    pub fn proceed(out: W, header: &Header) -> Self {
        Self { out, columns: header.columns.len(), line: String::new() }
    }

    /// Appends a row in a single write. `values` are in the order of the header's columns.
    pub fn append(
        &mut self,
        element: Element,
        layout: &str,
        values: &[u32],
        microseconds: f64,
    ) -> io::Result<()> {
        if values.len() != self.columns || !samples::is_name(layout) || !samples::is_time(microseconds) {
            let expected = self.columns;
            let what = format!("expected {expected} numbers, the name of a layout and a time in a row");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        self.line.clear();
        write!(self.line, "{element},{layout},").expect("writing to a string cannot fail");
        for value in values {
            write!(self.line, "{value},").expect("writing to a string cannot fail");
        }
        writeln!(self.line, "{microseconds:.4}").expect("writing to a string cannot fail");
        self.out.write_all(self.line.as_bytes())?;
        self.out.flush()
    }
}

impl Recording<()> {
    /// Checks a file to which rows will be appended. Drops an incomplete last line. Rejects a file for
    /// another GPU or problem, or with other columns.
    pub fn resume(path: &str, bytes: &[u8], header: &Header) -> Result<ResumedFile, SamplesError> {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let has_columns = bytes[..whole]
            .split(|byte| *byte == b'\n')
            .any(|line| !line.is_empty() && !line.starts_with(b"#"));
        let torn = bytes.len() - whole;
        if !has_columns && !samples::is_gzip(bytes) {
            // The file contains no measurement yet.
            let notice =
                (!bytes.is_empty()).then(|| format!("{path}: started over, as its header is incomplete"));
            return Ok(ResumedFile { keep: 0, samples: None, notice });
        }
        let expected = ExpectedHeader { problem: header.problem, gpu: Some(&header.gpu) };
        let samples = Samples::read_appendable(path, &bytes[..whole], &expected, &header.columns)?;
        let notice = (torn > 0).then(|| format!("{path}: dropped an incomplete last line of {torn} bytes"));
        Ok(ResumedFile { keep: whole as u64, samples: Some(samples), notice })
    }
}
