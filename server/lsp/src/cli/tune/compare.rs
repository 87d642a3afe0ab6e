//! `warplens tune compare`: compares the chosen kernels of the paper's problems with many others on the local GPU.

use super::cores::cores;
use super::printed_family::PrintedFamily;
use crate::cli::failure::Failure;
use crate::cli::files::unreadable;
use crate::cli::output::{grouped, print};
use crate::cli::palette::Palette;
use crate::cli::progress::Progress;
use crate::cli::table::{self, Align, Cell, Column, Row};
use crate::cli::tune::args::{TuneCompareArgs, TuneSearchFormat};
use crate::printable::cell;
use crate::read::{BoundedFile, NAMED_BYTES, never};
use clap::ColorChoice;
use csv::Writer;
use lab::tune::{Collector, Comparison, Conv, Gemm, Machine, Network, ProblemKind, ProblemResult, Task};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;
use toolchain::Consent;

/// A problem with its measured times.
struct ComparedProblem {
    name: String,
    problem: String,
    compared: ProblemResult,
    /// The library's time in microseconds.
    library: Option<f64>,
}

/// A problem that can be looked up in a list of library times.
trait Listed {
    /// The problem's name in the list: `f32 nt 2560 16 2560`.
    fn key(&self) -> String;
}

impl Listed for Gemm {
    fn key(&self) -> String {
        format!("{} {} {} {} {}", self.element, self.layout(), self.m, self.n, self.k)
    }
}

impl Listed for Conv {
    fn key(&self) -> String {
        let Self { n, c, h, w, k, r, s, pad, stride, element } = self;
        format!("{element} nchw {n} {c} {h} {w} {k} {r} {s} {pad} {stride}")
    }
}

pub(super) fn run(args: &TuneCompareArgs) -> Result<(), Failure> {
    let libraries = args.libraries.as_deref().map(libraries).transpose()?.unwrap_or_default();
    let mut progress = Progress::start("building the benchmark");
    let mut lines: Vec<ComparedProblem> = Vec::new();
    let is_csv = args.format == TuneSearchFormat::Csv;
    if is_csv {
        progress.yield_terminal();
    }
    // Each row takes seconds, so it is printed at once: an interrupted run keeps the finished rows.
    let mut found = |line: ComparedProblem| {
        if is_csv {
            print(ColorChoice::Auto, |out, _| csv(out, &line, lines.is_empty()))?;
        }
        lines.push(line);
        Ok(())
    };
    match args.problem {
        ProblemKind::Gemm => compare(Task::<Gemm>::all(), args, &libraries, &progress, &mut found),
        ProblemKind::Conv => compare(Task::<Conv>::all(), args, &libraries, &progress, &mut found),
    }?;
    progress.yield_terminal();
    drop(progress);
    if is_csv { Ok(()) } else { print(ColorChoice::Auto, |out, palette| text(out, palette, &lines)) }
}

fn failed(error: &dyn Display) -> Failure {
    Failure::new(format!("tune compare: {error}"))
}

fn compare<P: PrintedFamily + Listed>(
    tasks: Vec<Task<P>>,
    args: &TuneCompareArgs,
    libraries: &HashMap<String, f64>,
    progress: &Progress,
    found: &mut dyn FnMut(ComparedProblem) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let collector = Collector::begin(Consent::by_command_line()).map_err(|error| failed(&error))?;
    let gpu = Machine::builtin().gpu(&collector.device().name).map_err(Failure::from_error)?;
    let named = args.network.as_deref().map(super::search::read).transpose()?;
    let network = named.as_ref().or_else(|| Network::shipped(P::KIND, &gpu.part.id));
    let start = Instant::now();
    let comparison = Comparison {
        gpu: &gpu,
        network,
        top: args.top as usize,
        random: args.random as usize,
        seed: args.seed,
        threads: cores(),
        clock: &|| start.elapsed().as_secs_f64(),
    };
    let is_wanted = |task: &Task<P>| args.dtype.is_none_or(|element| task.problem.element() == element);
    let tasks: Vec<Task<P>> = tasks.into_iter().filter(is_wanted).collect();
    progress.stage("measuring", tasks.len() as u64);
    for Task { name, problem } in tasks {
        let compared = comparison.run(&collector, problem, &never).map_err(|error| failed(&error))?;
        let library = libraries.get(&problem.key()).copied();
        found(ComparedProblem { name, problem: problem.words(), compared, library })?;
        progress.advance(1);
    }
    Ok(())
}

/// Reads library times in microseconds, by problem; a line is `f32 nt 512 512 512,12.85`.
fn libraries(path: &Path) -> Result<HashMap<String, f64>, Failure> {
    let bytes = BoundedFile::named(path, NAMED_BYTES).and_then(|file| file.all(&never));
    let bytes = bytes.map_err(|refused| unreadable(path, &refused))?;
    let text = String::from_utf8_lossy(&bytes);
    let time = |line: &str| {
        let (problem, time) = line.rsplit_once(',')?;
        Some((problem.trim().to_owned(), time.trim().parse().ok()?))
    };
    let times = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(|(at, line)| {
        let refusal = || {
            let place = format!("{}:{}", path.display(), at + 1);
            Failure::new(format!(
                "{place}: expected a problem and its time, such as `f32 nt 512 512 512,12.85`"
            ))
        };
        time(line).ok_or_else(refusal)
    });
    times.collect()
}

const COLUMNS: [Column; 11] = [
    Column { title: "field", align: Align::Left },
    Column { title: "problem", align: Align::Left },
    right("first"),
    right("chosen"),
    right("best"),
    right("library"),
    right("chosen/best"),
    right("library/chosen"),
    right("legal"),
    right("static"),
    right("network"),
];

const fn right(title: &'static str) -> Column {
    Column { title, align: Align::Right }
}

/// A function that computes a figure of a problem; `None` if the figure is unknown.
type Figure = fn(&ComparedProblem) -> Option<f64>;

/// A number with this many decimals; `?` for `None`.
fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "?".to_owned(), |value| format!("{value:.digits$}"))
}

fn quotient(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? / other?)
}

fn text(out: &mut dyn Write, palette: &Palette, lines: &[ComparedProblem]) -> io::Result<()> {
    let row = |ComparedProblem { name, problem, compared, library }: &ComparedProblem| {
        let cells = [
            name.clone(),
            problem.clone(),
            figure(compared.first, 2),
            figure(compared.chosen, 2),
            figure(compared.best, 2),
            figure(*library, 2),
            figure(quotient(compared.best, compared.chosen), 3),
            figure(quotient(*library, compared.chosen), 2),
            grouped(compared.legal as u64),
            figure(compared.static_correlation, 3),
            figure(compared.network_correlation, 3),
        ];
        Row::Cells(cells.into_iter().map(|text| Cell::new(palette.plain, text)).collect())
    };
    table::write(out, &COLUMNS, palette.dim, || lines.iter().map(row))?;
    let means: [(&str, Figure); 3] = [
        ("the chosen kernel relative to the best of all", |line| {
            quotient(line.compared.best, line.compared.chosen)
        }),
        ("the first kernel relative to the best of all", |line| {
            quotient(line.compared.best, line.compared.first)
        }),
        ("the chosen kernel relative to the library", |line| quotient(line.library, line.compared.chosen)),
    ];
    writeln!(out)?;
    for (what, of) in means {
        let logarithms: Vec<f64> = lines.iter().filter_map(of).map(f64::ln).collect();
        if !logarithms.is_empty() {
            let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
            writeln!(out, "Speed of {what}: {mean:.3} (geometric mean of {})", logarithms.len())?;
        }
    }
    Ok(())
}

const TITLES: [&str; 12] = [
    "name",
    "problem",
    "legal",
    "search_seconds",
    "first_us",
    "chosen_us",
    "best_us",
    "best_random_us",
    "random",
    "static_correlation",
    "network_correlation",
    "library_us",
];

fn csv(out: &mut dyn Write, line: &ComparedProblem, is_first: bool) -> io::Result<()> {
    let mut rows = Writer::from_writer(out);
    if is_first {
        rows.write_record(TITLES)?;
    }
    let figure = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
    let ComparedProblem { name, problem, compared, library } = line;
    rows.write_record([
        &*cell(name),
        &cell(problem),
        &compared.legal.to_string(),
        &figure(Some(compared.seconds)),
        &figure(compared.first),
        &figure(compared.chosen),
        &figure(compared.best),
        &figure(compared.best_random),
        &compared.random.to_string(),
        &figure(compared.static_correlation),
        &figure(compared.network_correlation),
        &figure(*library),
    ])?;
    rows.flush()
}
