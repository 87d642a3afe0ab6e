//! Runs ptxas and a disassembler on a PTX text. Produces the listing for the client's request, and the messages of
//! ptxas.

use crate::build::NoCode;
use crate::server::code::dense_listing::DenseListing;
use crate::server::code::kernels_text::{comments, counted};
use crate::server::documents::compiler_messages::CompilerMessage;
use crate::server::transport::tools::Tools;
use ide::binary::{self, Cubin};
use ide::{Cancel, Compiled, LineMap, MappedFunction, PtxSource, PtxasSettings};
use ropey::Rope;
use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;
use toolchain::{
    Assembled, Assembler, Assembly, Consent, Disassembler, Limits, Message, Severity, ToolError,
};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::DiagnosticSeverity;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListingReply {
    /// Version of the compiled text.
    version: i32,
    text: Option<String>,
    language_id: &'static str,
    reason: Option<String>,
    remedy: Option<Remedy>,
    lines: Vec<(u32, u32)>,
    functions: Vec<Function>,
}

/// What the user can do to get a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Remedy {
    /// Trust the workspace.
    Trust,
    /// Install or configure ptxas.
    Ptxas,
    /// Install or configure nvcc.
    Nvcc,
    /// Install or configure clang.
    Clang,
    /// Install or configure a disassembler; until then, the text has only comments with the kernels'
    /// resources from the cubin.
    Disassembler,
    /// Correct the errors that the compiler has found in the text.
    Text,
}

impl Remedy {
    /// The remedy for a CUDA document without code; `None` if its compilation was stopped, or if no remedy
    /// exists.
    pub(crate) fn for_reason(why: &NoCode) -> Option<Self> {
        let error = match why {
            NoCode::Refused(..) => return Some(Self::Text),
            NoCode::Cancelled => return None,
            NoCode::Tool(error) => error,
        };
        Some(match error {
            // clang runs the configured ptxas and uses the toolkit that contains it.
            ToolError::NoToolkitForClang | ToolError::NoAssembler | ToolError::NoAssemblerAt(_) => {
                Self::Ptxas
            }
            ToolError::NoClang | ToolError::NoClangAt(_) => Self::Clang,
            ToolError::Missing | ToolError::NoProgram(_) => Self::Disassembler,
            ToolError::Argument { .. } | ToolError::Path { .. } => return None,
            ToolError::Failed { program, .. } | ToolError::NotStarted { program, .. }
                if program.starts_with("clang") =>
            {
                Self::Clang
            }
            _ => Self::Nvcc,
        })
    }
}

/// A function, with its half-open line ranges in the listing and in the source.
#[derive(Debug, Serialize)]
struct Function {
    name: String,
    listing: (u32, u32),
    source: (u32, u32),
}

/// A requested run of ptxas and a disassembler on one version of a PTX document.
pub(crate) struct Run {
    pub(crate) number: u64,
    pub(crate) version: i32,
    /// The file's name, shown in the listing's header.
    pub(crate) name: String,
    pub(crate) source: PtxSource,
    pub(crate) text: Rope,
    pub(crate) tools: Tools,
    pub(crate) settings: PtxasSettings,
    pub(crate) cancel: Cancel,
}

/// Result of a [`Run`].
pub(crate) struct ListingResult {
    pub(crate) answer: ListingReply,
    /// Messages of ptxas; `None` if ptxas did not check the text.
    pub(crate) reported: Option<Vec<CompilerMessage>>,
    pub(crate) cubin: Option<Cubin>,
}

impl ListingReply {
    /// The listing of code that was compiled from a version of a document.
    pub(crate) fn of_code(version: i32, name: &str, code: &Compiled) -> Self {
        let from = code.from();
        let stale = from.stale.as_ref().map_or_else(String::new, |why| format!(" (from older text: {why})"));
        let head = format!("// {name}, compiled by {}{stale}\n", from.by);
        let map = code.line_map();
        let dense = DenseListing::without_places(&code.listing());
        // The header takes one line.
        let line = |listing: u32| dense.line(listing) + 1;
        let function = |function: MappedFunction| Function {
            name: function.name,
            listing: (line(function.listing.start), line(function.listing.end)),
            source: (function.source.start, function.source.end),
        };
        let functions = map.functions.into_iter().map(function).collect();
        Self {
            version,
            lines: map.pairs.into_iter().map(|(listing, source)| (line(listing), source)).collect(),
            text: Some(head + &dense.text),
            language_id: "nvsass",
            reason: None,
            remedy: None,
            functions,
        }
    }

    /// The PTX that a version of a document was compiled to. `by` names the compiler in the header.
    pub(crate) fn of_ptx(version: i32, name: &str, text: &str, by: &str, map: LineMap) -> Self {
        let function = |function: MappedFunction| Function {
            name: function.name,
            listing: (function.listing.start + 1, function.listing.end + 1),
            source: (function.source.start, function.source.end),
        };
        Self {
            version,
            text: Some(format!("// {name}, compiled by {by}\n{text}")),
            language_id: "ptx",
            reason: None,
            remedy: None,
            lines: map.pairs.into_iter().map(|(listing, source)| (listing + 1, source)).collect(),
            functions: map.functions.into_iter().map(function).collect(),
        }
    }

    /// The reply if the user has not agreed to run programs.
    pub(crate) fn untrusted(version: i32) -> Self {
        Self::without(version, "the workspace is not trusted, so no compiler runs", Some(Remedy::Trust))
    }

    /// A reply without a listing: the reason, in one line, and the remedy.
    pub(crate) fn without(version: i32, reason: &str, remedy: Option<Remedy>) -> Self {
        Self {
            version,
            text: None,
            language_id: "nvsass",
            reason: Some(reason.to_owned()),
            remedy,
            lines: Vec::new(),
            functions: Vec::new(),
        }
    }
}

impl Run {
    /// Assembles and disassembles the text. `Err` if the result is no longer wanted.
    pub(crate) fn compile(&self) -> Result<ListingResult> {
        let Some(consent) = Consent::by_trusted_workspace(self.tools.trusted) else {
            return Ok(
                self.without("the workspace is not trusted, so ptxas does not run", Some(Remedy::Trust))
            );
        };
        let assembler = match Assembler::from_environment(self.tools.ptxas.as_deref()) {
            Ok(assembler) => assembler,
            Err(error) => return Ok(self.without(&error.to_string(), Some(Remedy::Ptxas))),
        };
        let named = Some(self.settings.architecture.as_str()).filter(|named| !named.is_empty());
        let assembly = Assembly {
            text: &self.source.text,
            target: self.source.target.as_deref(),
            architecture: named,
            optimisation: self.settings.optimization.level(),
            arguments: &self.settings.arguments,
        };
        let limits = Limits {
            time: Duration::from_secs(self.settings.time_limit.into()),
            memory_bytes: Some(Limits::memory_of_compiler()),
            ..Limits::in_editor()
        };
        let cancelled = || self.cancel.is_cancelled();
        let assembled = match assembler.assemble(consent, assembly, limits, &cancelled) {
            Ok(assembled) => assembled,
            Err(ToolError::Cancelled { .. }) => return Err(Error::request_cancelled()),
            Err(error) => return Ok(self.without(&error.to_string(), None)),
        };
        let reported = assembled.messages.iter().map(|message| self.reported(message)).collect();
        let done = match &assembled.cubin {
            None => self.without(&refusal(&assembled.messages), Some(Remedy::Text)),
            Some(bytes) => {
                let configured = self.tools.disassembler.clone();
                let lines = binary::has_source_lines(bytes);
                let listing = Disassembler::find(&assembler.disassembler(configured))
                    .and_then(|tool| tool.listing(consent, bytes, lines, limits, &cancelled));
                if let Err(ToolError::Cancelled { .. }) = listing {
                    return Err(Error::request_cancelled());
                }
                self.with(&assembled, bytes, listing)
            }
        };
        Ok(ListingResult { reported: Some(reported), ..done })
    }

    /// The result of a run without a cubin: the reason and its remedy, and no text.
    fn without(&self, reason: &str, remedy: Option<Remedy>) -> ListingResult {
        ListingResult {
            answer: ListingReply::without(self.version, reason, remedy),
            reported: None,
            cubin: None,
        }
    }

    fn with(
        &self,
        assembled: &Assembled,
        bytes: &[u8],
        listing: std::result::Result<String, ToolError>,
    ) -> ListingResult {
        let cubin = match Cubin::parse(bytes) {
            Ok(cubin) => cubin,
            Err(error) => return self.without(&format!("the output of ptxas cannot be read: {error}"), None),
        };
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) => {
                let reason = error.to_string();
                let text = comments(&self.name, &cubin, &reason);
                let remedy = matches!(error, ToolError::Missing | ToolError::NoProgram(_));
                let mut done = self.without(&reason, remedy.then_some(Remedy::Disassembler));
                done.answer.text = Some(text);
                return ListingResult { cubin: Some(cubin), ..done };
            }
        };
        let text = header(&self.name, &self.source, assembled, &cubin)
            + &DenseListing::without_places(&listing).text;
        let map = LineMap::build(&self.source, bytes, &text);
        let line = |line: u32| self.client_line(line);
        let function = |MappedFunction { name, listing, source }: MappedFunction| Function {
            name,
            listing: (listing.start, listing.end),
            source: (line(source.start), line(source.end - 1) + 1),
        };
        let answer = ListingReply {
            text: Some(text),
            reason: None,
            remedy: None,
            lines: map.pairs.iter().map(|(listing, ptx)| (*listing, line(*ptx))).collect(),
            functions: map.functions.into_iter().map(function).collect(),
            ..self.without("", None).answer
        };
        ListingResult { answer, reported: None, cubin: Some(cubin) }
    }

    /// Converts a line number of ptxas to the client's line number: ptxas does not end a line at a lone
    /// carriage return.
    fn client_line(&self, line: u32) -> u32 {
        let start = self.source.line_starts().get(line as usize).copied().unwrap_or(usize::MAX);
        self.text.byte_to_line(start.min(self.text.len_bytes())) as u32
    }

    fn reported(&self, message: &Message) -> CompilerMessage {
        let severity = match message.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        };
        let range = self.source.place_of(message.line, &message.text);
        let hint = if message.text.starts_with("Unresolved extern") {
            " (to leave it to a linker, add `-c` to the setting `ptxas.arguments`)"
        } else {
            ""
        };
        CompilerMessage { range, severity, source: "ptxas", text: format!("{}{hint}", message.text) }
    }
}

/// Returns the reason, in one line, why ptxas refused a text.
fn refusal(messages: &[Message]) -> String {
    let errors: Vec<&Message> =
        messages.iter().filter(|message| message.severity == Severity::Error).collect();
    let count = counted(errors.len(), "error");
    let Some(first) = errors.iter().min_by_key(|message| message.line.unwrap_or(u32::MAX)) else {
        return "ptxas rejected the text".to_owned();
    };
    match (first.line, errors.len()) {
        (Some(line), 1) => format!("ptxas: line {line}: {}", first.text),
        (None, 1) => format!("ptxas: {}", first.text),
        (Some(line), _) => format!("ptxas found {count}, the first at line {line}: {}", first.text),
        (None, _) => format!("ptxas found {count}, one of them: {}", first.text),
    }
}

/// Returns the comments that head a listing: the file, its architecture and the resources of each function.
fn header(name: &str, source: &PtxSource, assembled: &Assembled, cubin: &Cubin) -> String {
    let own = format!("sm_{}", cubin.sm);
    let compiled_for = assembled.architecture.as_deref().unwrap_or(&own);
    let target = source.target.as_deref().filter(|target| *target != compiled_for);
    let target = target.map_or_else(String::new, |target| format!(" (`.target` of the text: {target})"));
    let mut text = format!("// {name}, compiled for {compiled_for} by ptxas{target}\n");
    for usage in &assembled.usage {
        let mut facts = Vec::new();
        facts.extend(usage.registers.map(|count| counted(count, "register")));
        facts.extend(usage.barriers.map(|count| counted(count, "barrier")));
        facts.extend(usage.shared_bytes.map(|bytes| format!("{bytes} bytes of shared memory")));
        facts.extend(usage.stack_bytes.map(|bytes| format!("{bytes} bytes of stack")));
        facts.extend(match (usage.spill_store_bytes, usage.spill_load_bytes) {
            (Some(0), Some(0)) => Some("no spills".to_owned()),
            (Some(stored), Some(loaded)) => {
                Some(format!("spills: {stored} bytes stored, {loaded} bytes loaded"))
            }
            _ => None,
        });
        // Writing to a string does not fail.
        let _ = writeln!(text, "// {}: {}", usage.function, facts.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_a_line_only_where_ptxas_does() {
        let error = |line, text: &str| Message { line, severity: Severity::Error, text: text.to_owned() };
        assert_eq!(refusal(&[error(Some(7), "Unknown symbol")]), "ptxas: line 7: Unknown symbol");
        assert_eq!(refusal(&[error(None, "Out of memory")]), "ptxas: Out of memory");
        let both = [error(None, "Out of memory"), error(Some(7), "Unknown symbol")];
        assert_eq!(refusal(&both), "ptxas found 2 errors, the first at line 7: Unknown symbol");
        let none = [error(None, "Allocating shared memory"), error(None, "Out of memory")];
        assert_eq!(refusal(&none), "ptxas found 2 errors, one of them: Allocating shared memory");
    }
}
