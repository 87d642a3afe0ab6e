//! `--compile`: the messages of ptxas about a PTX text, as findings.

use super::super::failure::Failure;
use ide::{Analysis, Diagnostic, Severity};
use std::path::Path;
use toolchain::{Assembler, Assembly, Consent, Limits, ToolError};

/// The code of findings from ptxas.
pub(super) const CODE: &str = "ptxas";
pub(super) const GROUP: &str = "syntax";

/// Finds ptxas: at the path that `--ptxas` names, otherwise under `CUDA_HOME`, otherwise on PATH.
pub(super) fn assembler(named: Option<&Path>) -> Result<Assembler, Failure> {
    Assembler::from_environment(named).map_err(|error| match error {
        ToolError::NoAssembler => Failure::new(
            "ptxas not found; it is part of the CUDA toolkit. Put the toolkit's bin folder on PATH, set \
             CUDA_HOME, or give the path with --ptxas",
        ),
        error => Failure::from_error(error),
    })
}

/// Assembles a PTX text for its own target and returns the messages of ptxas. Empty for a text that is not
/// PTX. Fails if ptxas could not be run.
pub(super) fn findings(
    assembler: &Assembler,
    name: &str,
    analysis: &Analysis,
) -> Result<Vec<Diagnostic>, Failure> {
    let Some(source) = analysis.ptx_source() else { return Ok(Vec::new()) };
    let assembly = Assembly { text: &source.text, target: source.target.as_deref(), ..Assembly::default() };
    // Passing the option is consent.
    let consent = Consent::by_command_line();
    let assembled = assembler
        .assemble(consent, assembly, Limits::default(), &|| false)
        .map_err(|error| Failure::new(format!("`{name}`: {error}")))?;
    let found = assembled.messages.into_iter().map(|message| Diagnostic {
        range: source.place_of(message.line, &message.text),
        code: CODE,
        group: GROUP,
        severity: match message.severity {
            toolchain::Severity::Error => Severity::Error,
            toolchain::Severity::Warning => Severity::Warning,
            toolchain::Severity::Info => Severity::Info,
        },
        message: message.text,
        related: Vec::new(),
        function: None,
        address: None,
    });
    Ok(found.collect())
}
