//! The analysis as JSON, schema 1: a stable format that programs parse. The document is written kernel by
//! kernel, so a long document is never completely in memory.

use ide::report::{KernelReport, Report};
use std::io::{self, Write};

/// One kernel as written in the document. The thread that computes a kernel also serialises it.
pub(super) fn kernel(report: &KernelReport) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(report)
}

/// Writes the document and its kernels, in the order in which the kernels are added.
pub(super) struct Document<'a> {
    out: &'a mut dyn Write,
    kernels: usize,
}

impl<'a> Document<'a> {
    pub(super) fn begin(out: &'a mut dyn Write, outline: &Report) -> io::Result<Self> {
        let Report { schema, gpu, model, .. } = outline;
        let (gpu, model) = (serde_json::to_string(gpu)?, serde_json::to_string(model)?);
        write!(out, r#"{{"schema":{schema},"gpu":{gpu},"model":{model},"kernels":["#)?;
        Ok(Self { out, kernels: 0 })
    }

    pub(super) fn add(&mut self, kernel: &[u8]) -> io::Result<()> {
        if self.kernels > 0 {
            self.out.write_all(b",")?;
        }
        self.kernels += 1;
        self.out.write_all(kernel)
    }

    pub(super) fn end(self) -> io::Result<()> {
        writeln!(self.out, "]}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_make_one_document() {
        for count in 0..3 {
            let outline = Report {
                schema: 1,
                gpu: "a \"GPU\"".to_owned(),
                model: "paper".to_owned(),
                kernels: Vec::new(),
            };
            let mut bytes = Vec::new();
            let mut document = Document::begin(&mut bytes, &outline).unwrap();
            for _ in 0..count {
                document.add(b"{}").unwrap();
            }
            document.end().unwrap();
            let read: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(read["gpu"], "a \"GPU\"");
            assert_eq!(read["kernels"].as_array().unwrap().len(), count);
        }
    }
}
