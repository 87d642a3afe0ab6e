//! The analysis as JSON, schema 1: a contract. Written kernel by kernel, so that a long listing is never held as a whole.

use ide::report::{KernelReport, Report};
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::io::{self, BufWriter, Write};

/// As [`Report`], with kernels that are computed while they are written.
#[derive(Serialize)]
struct Document<'a, I: Iterator<Item = KernelReport>> {
    schema: u32,
    gpu: &'a str,
    model: &'a str,
    #[serde(serialize_with = "sequence")]
    kernels: RefCell<I>,
}

fn sequence<S: Serializer, I: Iterator<Item = KernelReport>>(
    kernels: &RefCell<I>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(&mut *kernels.borrow_mut())
}

pub(super) fn write(
    out: &mut dyn Write,
    outline: &Report,
    kernels: impl Iterator<Item = KernelReport>,
) -> io::Result<()> {
    let Report { schema, gpu, model, .. } = outline;
    let document = Document { schema: *schema, gpu, model, kernels: RefCell::new(kernels) };
    // JSON is written in pieces of a few bytes, each of them cheap only where the buffer's type is known.
    let mut out = BufWriter::with_capacity(1 << 16, out);
    serde_json::to_writer(&mut out, &document)?;
    writeln!(out)?;
    out.flush()
}
