//! A binary passed to `analyze`: its listing if a disassembler is installed, otherwise the kernel resources that the
//! file itself states.
//!
//! Naming the file, or its folder for `check`, is consent to run the vendor's disassembler on it.

use super::analyze::args::{AnalyzeArgs, AnalyzeFormat};
use super::failure::Failure;
use super::files::{BinaryFile, Input, Source};
use super::output::{self, counted, grouped, printable};
use super::palette::Palette;
use super::table::{self, Align, Cell, Column, Row};
use ide::binary::{self, Content, Cubin, CubinFunction};
use ide::names::demangle;
use std::io::{self, Write};
use std::path::Path;
use toolchain::{Consent, Disassembler, Limits, Search, ToolError};

/// Result of opening a binary.
#[derive(Debug)]
pub(super) enum OpenedBinary {
    /// The listing, with the kernel resources that the file states.
    Listing(Source),
    Kernels(Kernels),
}

/// The kernels of a binary without a listing.
#[derive(Debug)]
pub(super) struct Kernels {
    cubins: Vec<Cubin>,
    /// The reason why the binary has no listing, and how to get a listing, in one line.
    why: String,
}

/// The reason why cubins have no listing, and how to get a listing.
pub(super) const NO_DISASSEMBLER: &str =
    "neither nvdisasm nor cuobjdump is on PATH. Install the CUDA toolkit, or give one with --disassembler";

/// Returns the text of a file that the user named, or the listing of a cubin. Fails if the file has no
/// listing.
pub(super) fn listing(path: &Path, disassembler: Option<&Path>) -> Result<Source, Failure> {
    match Input::named(path)? {
        Input::Text(source) => Ok(source),
        Input::Binary(file) => match open(file, disassembler)? {
            OpenedBinary::Listing(source) => Ok(source),
            OpenedBinary::Kernels(kernels) => Err(kernels.refusal()),
        },
    }
}

/// Disassembles a cubin, or the only cubin in a fat binary or a program. For a file with several cubins,
/// reads only the kernel resources that the file itself states.
pub(super) fn open(file: BinaryFile, disassembler: Option<&Path>) -> Result<OpenedBinary, Failure> {
    let BinaryFile { name, path, bytes } = file;
    let broken = |error: binary::CubinError| Failure::new(format!("`{name}`: {error}"));
    let members = members(&name, &bytes)?;
    let mut inside = Vec::new();
    for code in members.iter().filter_map(|member| member.cubin(&bytes)) {
        inside.push(code.map_err(broken)?);
    }
    let code = match inside.as_slice() {
        _ if members.is_empty() => &bytes,
        [only] => only.as_ref(),
        several => {
            let cubins =
                several.iter().map(|code| Cubin::parse(code)).collect::<Result<_, _>>().map_err(broken)?;
            let why = format!("cannot disassemble `{name}`: {}", binary::describe_members(&members));
            return Ok(OpenedBinary::Kernels(Kernels { cubins, why }));
        }
    };
    let cubin = Cubin::parse(code).map_err(broken)?;
    let why = match disassemble(code, disassembler, binary::has_source_lines(code)) {
        Ok(text) => return Ok(OpenedBinary::Listing(Source { name, path, text, cubin: Some(cubin) })),
        Err(error @ ToolError::NoProgram(_)) => return Err(Failure::from_error(error)),
        Err(ToolError::Missing) => format!("not disassembled: {NO_DISASSEMBLER}"),
        Err(error) => format!("not disassembled: {error}"),
    };
    Ok(OpenedBinary::Kernels(Kernels { cubins: vec![cubin], why }))
}

/// The members of a fat binary or a program; empty for a plain cubin. Fails if the file contains no GPU code.
fn members(name: &str, bytes: &[u8]) -> Result<Vec<binary::Member>, Failure> {
    if binary::content(bytes) == Content::Cubin {
        return Ok(Vec::new());
    }
    let members = binary::members(bytes).map_err(|error| Failure::new(format!("`{name}`: {error}")))?;
    if members.is_empty() {
        return Err(Failure::new(format!(
            "`{name}` is a binary without GPU code; expected a SASS listing as text, or a cubin"
        )));
    }
    Ok(members)
}

/// Fails if a file contains cubins but is not itself a cubin: code can be replaced only in a plain cubin.
pub(super) fn cubin_only(file: &BinaryFile) -> Result<(), Failure> {
    let members = members(&file.name, &file.bytes)?;
    if members.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("`{}`: expected a cubin; {}", file.name, binary::describe_members(&members))))
}

/// True if a disassembler is installed. A named disassembler is assumed to exist.
pub(super) fn has_disassembler(named: Option<&Path>) -> bool {
    let found = Disassembler::find(&Search::from_environment(named.map(Path::to_owned)));
    !matches!(found, Err(ToolError::Missing))
}

/// Disassembles a cubin with the named disassembler, otherwise with the disassembler on PATH.
pub(super) fn disassemble(
    cubin: &[u8],
    disassembler: Option<&Path>,
    source_lines: bool,
) -> Result<String, ToolError> {
    let tool = Disassembler::find(&Search::from_environment(disassembler.map(Path::to_owned)))?;
    tool.listing(Consent::by_command_line(), cubin, source_lines, Limits::default(), &|| false)
}

impl Kernels {
    /// The error for a command that needs the missing listing.
    pub(super) fn refusal(&self) -> Failure {
        Failure::new(self.why.clone())
    }

    /// Prints the kernels' resources, and on stderr the reason why the listing is missing. Fails if the
    /// arguments request output that needs a listing.
    pub(super) fn print(&self, args: &AnalyzeArgs) -> Result<(), Failure> {
        if args.format != AnalyzeFormat::Text || self.cubins.is_empty() {
            return Err(self.refusal());
        }
        output::print(args.color.color, |out, palette| {
            for (index, cubin) in self.cubins.iter().enumerate() {
                if index > 0 {
                    writeln!(out)?;
                }
                write_cubin(out, palette, cubin)?;
            }
            Ok(())
        })?;
        self.refusal().tell();
        Ok(())
    }
}

/// Columns of the table. Sizes are in bytes. Registers, stack and local memory are per thread; shared memory and
/// barriers are per block.
const COLUMNS: [Column; 10] = [
    Column { title: "kernel", align: Align::Left },
    Column { title: "code", align: Align::Right },
    Column { title: "registers", align: Align::Right },
    Column { title: "shared", align: Align::Right },
    Column { title: "local", align: Align::Right },
    Column { title: "stack", align: Align::Right },
    Column { title: "constant", align: Align::Left },
    Column { title: "barriers", align: Align::Right },
    Column { title: "parameters", align: Align::Left },
    Column { title: "threads", align: Align::Left },
];

fn write_cubin(out: &mut dyn Write, palette: &Palette, cubin: &Cubin) -> io::Result<()> {
    let banks =
        cubin.constants.iter().map(|constant| format!(", c[{}] {} bytes", constant.bank, constant.bytes));
    let globals = if cubin.global_bytes == 0 {
        String::new()
    } else {
        format!(", globals {} bytes", cubin.global_bytes)
    };
    let kernels = counted(cubin.kernels().count(), "kernel");
    writeln!(out, "sm_{}, {kernels}{globals}{}", cubin.sm, banks.collect::<String>())?;
    let rows = || cubin.kernels().map(|kernel| Row::Cells(cells(kernel, palette)));
    table::write(out, &COLUMNS, palette.dim, rows)
}

fn cells(kernel: &CubinFunction, palette: &Palette) -> Vec<Cell> {
    let Palette { plain, strong, .. } = *palette;
    let number = |number: Option<u64>| Cell::new(plain, number.map_or_else(|| "?".to_owned(), grouped));
    let name = demangle(&kernel.name).unwrap_or_else(|| kernel.name.clone());
    let banks = kernel.constants.iter().map(|constant| format!("c[{}] {}", constant.bank, constant.bytes));
    let params = kernel.params.iter().map(|param| param.bytes.to_string());
    let threads = match (kernel.required_threads, kernel.max_threads) {
        (Some([x, y, z]), _) => format!("{x} x {y} x {z}"),
        (None, Some(most)) => {
            format!("up to {}", most.iter().map(|extent| u64::from(*extent)).product::<u64>())
        }
        (None, None) => String::new(),
    };
    vec![
        Cell::new(strong, printable(&name)),
        number(Some(kernel.code_bytes)),
        number(kernel.registers.map(u64::from)),
        number(Some(kernel.shared_bytes)),
        number(Some(kernel.local_bytes)),
        number(kernel.stack_bytes.map(u64::from)),
        Cell::new(plain, banks.collect::<Vec<_>>().join(", ")),
        number(Some(kernel.barriers.into())),
        Cell::new(plain, params.collect::<Vec<_>>().join(" ")),
        Cell::new(plain, threads),
    ]
}
