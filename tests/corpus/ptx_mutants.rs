//! Broken PTX: errors that ptxas reports must be reported on the same line, and text that ptxas accepts must
//! have no error.
//!
//! `ptx_mutants/verdicts.tsv` lists mutants of `ptx/*.ptx`, each with one changed line, and the verdict of
//! ptxas 13.5. If ptxas is found (`WARPLENS_PTXAS`, or on `PATH`), some verdicts are checked again.

use advisor::ptx::{Finding, Heading, Subject};
use advisor::{Group, Severity, check_heading, check_item};
use machine::Machine;
use model::ptx::{Globals, Module, Names, Ptx};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A changed line of a file, and the verdict of ptxas.
struct Mutant {
    /// Kind of the change: `drop_operand`.
    kind: String,
    /// Name of the file.
    file: String,
    /// 1-based line number.
    line: usize,
    /// New text of the line.
    text: String,
    /// Lines of the errors that ptxas reports, empty if ptxas states no line; `None` if ptxas accepts the
    /// text.
    rejected: Option<Vec<usize>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn mutants() -> Vec<Mutant> {
    let rows = fs::read_to_string(folder().join("ptx_mutants/verdicts.tsv")).expect("the fixture is there");
    rows.lines().skip(1).map(mutant).collect()
}

fn mutant(row: &str) -> Mutant {
    let [kind, file, line, verdict, text] =
        row.splitn(5, '\t').collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("five columns: {row}"));
    let lines = |list: &str| list.split_whitespace().map(|line| line.parse().expect("a line")).collect();
    Mutant {
        kind: kind.into(),
        file: file.into(),
        line: line.parse().expect("a line"),
        text: text.into(),
        rejected: verdict.strip_prefix("rejected").map(lines),
    }
}

impl Mutant {
    fn whole(&self, sources: &BTreeMap<String, String>) -> String {
        let changed = |(at, line)| if at + 1 == self.line { &*self.text } else { line };
        sources[&self.file].split('\n').enumerate().map(changed).collect::<Vec<_>>().join("\n")
    }
}

/// The 1-based lines of all errors in a text, with their messages.
fn errors(text: &str) -> Vec<(usize, String)> {
    let module = Module::parse(text);
    let globals = Globals::collect(&module);
    let tables = Ptx::builtin();
    let heading = Heading::read(&module);
    let gpu = Machine::builtin().gpu_for_sm(90);
    let mut found = Vec::new();
    for (index, item) in module.items().iter().enumerate() {
        found.extend(item.errors().iter().map(|error| (index, error.range.start, error.message.to_owned())));
        let names = Names::resolve(item);
        let subject = Subject::new(item, index, &names, &globals, &tables, heading, &gpu);
        let is_error = |finding: &Finding| {
            let group = advisor::rule(finding.code).expect("it is a rule").group;
            group == Group::Syntax && finding.severity == Some(Severity::Error)
        };
        let errors = check_item(&subject, |_| false).into_iter().filter(is_error);
        found.extend(
            errors.map(|finding| {
                (index, finding.place.start, format!("{}: {}", finding.code, finding.message))
            }),
        );
    }
    let heading = check_heading(&module, &tables).into_iter();
    found.extend(heading.map(|(index, finding)| (index, finding.place.start, finding.message)));
    let line = |item: usize, byte: u32| {
        let before = &module.items()[item].text()[..byte as usize];
        module.start(item).line as usize + before.matches('\n').count() + 1
    };
    found.into_iter().map(|(item, byte, message)| (line(item, byte), message)).collect()
}

fn sources(mutants: &[Mutant]) -> BTreeMap<String, String> {
    let read = |mutant: &Mutant| {
        let path = folder().join("ptx").join(&mutant.file);
        (mutant.file.clone(), fs::read_to_string(path).expect("its source is there"))
    };
    let mut sources = BTreeMap::new();
    for mutant in mutants {
        if !sources.contains_key(&mutant.file) {
            sources.extend([read(mutant)]);
        }
    }
    sources
}

#[test]
fn broken_ptx_is_reported_on_its_line() {
    let mutants = mutants();
    let sources = sources(&mutants);
    for (name, text) in &sources {
        assert_eq!(errors(text), [], "{name} is right");
    }
    let mut tallies: BTreeMap<&str, [u32; 4]> = BTreeMap::new();
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for mutant in &mutants {
        let errors = errors(&mutant.whole(&sources));
        let [rejected, found, accepted, reported] = tallies.entry(&mutant.kind).or_default();
        let place = || format!("{}:{} {}: {}", mutant.file, mutant.line, mutant.kind, mutant.text.trim());
        if let Some(lines) = &mutant.rejected {
            *rejected += 1;
            // ptxas reports the line where it noticed the error; the defect itself is on the changed line.
            let is_there = |(line, _): &(usize, String)| {
                lines.is_empty() || lines.contains(line) || *line == mutant.line
            };
            if errors.iter().any(is_there) {
                *found += 1;
            } else {
                missed.push(place());
            }
        } else {
            *accepted += 1;
            if let Some((_, message)) = errors.first() {
                *reported += 1;
                wrong.push(format!("{}\n    {message}", place()));
            }
        }
    }
    for (kind, [rejected, found, accepted, reported]) in &tallies {
        println!("{kind}: {found} of {rejected} rejected found, {reported} of {accepted} accepted reported");
    }
    let total = |at: usize| tallies.values().map(|tally| tally[at]).sum::<u32>();
    let (rejected, found, accepted, reported) = (total(0), total(1), total(2), total(3));
    println!("{found} of {rejected} found, {reported} of {accepted} reported\n{}", missed.join("\n"));
    assert!(rejected >= 500, "only {rejected} mutants are wrong");
    assert!(f64::from(found) >= 0.95 * f64::from(rejected), "{found} of {rejected} found");
    assert!(f64::from(reported) <= 0.01 * f64::from(accepted), "{reported} of {accepted}: {wrong:#?}");
}

#[test]
fn ptxas_says_of_mutants_what_is_written() {
    let Some(ptxas) = ptxas() else {
        testkit::left_out(
            "no ptxas in WARPLENS_PTXAS or on PATH, so its stored verdicts are not asked for again",
        );
        return;
    };
    let mutants = mutants();
    let sources = sources(&mutants);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    // Only every seventh mutant: all mutants would take a minute.
    for mutant in mutants.iter().step_by(7) {
        let text = mutant.whole(&sources);
        let path = folder.path().join("mutant.ptx");
        fs::write(&path, &text).expect("a temporary file");
        let target = Module::parse(&sources[&mutant.file]).target().next().expect("a target").to_owned();
        let output = Command::new(&ptxas)
            .args(["-c", "-O0", "-arch", &target, "-o"])
            .arg(folder.path().join("mutant.cubin"))
            .arg(&path)
            .output()
            .expect("ptxas runs");
        assert_eq!(
            output.status.success(),
            mutant.rejected.is_none(),
            "{}:{} {}",
            mutant.file,
            mutant.line,
            mutant.text
        );
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

fn ptxas() -> Option<PathBuf> {
    let named = std::env::var_os("WARPLENS_PTXAS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("ptxas")).find(|file| file.is_file());
    named.or(on_path)
}
