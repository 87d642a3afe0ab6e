//! Repairs of control codes: small changes that resolve a finding.

use crate::Fix;
use crate::TextEdit;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::kernels::places::located;
use crate::sass::schedule::UnscheduledKernel;
use advisor::Severity;
use advisor::codes::{Codes, scoreboards};
use machine::Hardware;
use machine::units::{MAX_STALL, SCOREBOARDS};
use model::Program;
use model::hazards::{Hazard, MissingOrder, Order, check};
use std::collections::BTreeMap;
use syntax::sass::{Chunk, Control};

/// Maximum number of instructions in a kernel that gets repairs. Each candidate requires another check of the kernel.
const MAX_INSTRUCTIONS: usize = 20_000; // limit: bounds the time of an answer

/// A change of control codes that may resolve a finding.
struct Candidate {
    title: String,
    codes: Vec<(u32, Control)>,
}

/// Returns the repairs of a rule's finding at an instruction, best repair first. Empty for rules that
/// do not concern control codes.
pub(crate) fn repairs(sass: &SassView, rule: &str, offset: usize) -> Cancellable<Vec<Fix>> {
    let Some((index, inst)) = sass.instruction_at(offset) else { return Ok(Vec::new()) };
    let chunk = &sass.listing().chunks()[index];
    let control = chunk.instructions()[inst].control;
    if !is_repaired(rule) || control.is_none_or(|control| control.kepler.is_some()) {
        return Ok(Vec::new());
    }
    if chunk.instructions().len() > MAX_INSTRUCTIONS {
        return Ok(Vec::new());
    }
    sass.cancel.check()?;
    let subject = UnscheduledKernel::new(sass, index);
    let repair = Repair::new(&subject, rule, inst as u32);
    let mut fixes: Vec<Fix> = Vec::new();
    for candidate in repair.candidates() {
        sass.cancel.check()?;
        let Some(edits) = repair.proven(&candidate.codes) else { continue };
        let is_first = fixes.is_empty();
        fixes.push(Fix { title: candidate.title, edits, preferred: is_first, suppresses: false });
        if !repair.wants_more(fixes.len()) {
            break;
        }
    }
    Ok(fixes)
}

/// True if a change of control codes can resolve findings of the rule.
pub(crate) fn is_repaired(rule: &str) -> bool {
    matches!(
        rule,
        "unwaited-result"
            | "source-overwritten"
            | "read-too-early"
            | "overwritten-too-early"
            | "stall-without-yield"
            | "unused-scoreboard"
            | "redundant-wait"
            | "stall-above-need"
            | "useless-reuse"
    )
}

/// The finding to resolve, and the findings of the unchanged kernel.
struct Repair<'a> {
    subject: &'a UnscheduledKernel<'a>,
    rule: &'a str,
    inst: u32,
    before: FindingCounts,
}

/// Counts of a kernel's findings: the findings to resolve, and the errors by rule and instruction.
#[derive(Default)]
struct FindingCounts {
    own: usize,
    errors: BTreeMap<(&'static str, u32), usize>,
}

impl<'a> Repair<'a> {
    fn new(subject: &'a UnscheduledKernel<'a>, rule: &'a str, inst: u32) -> Self {
        let before = found(&subject.chunk, &subject.program, rule, inst);
        Self { subject, rule, inst, before }
    }

    fn control(&self, inst: u32) -> Option<Control> {
        self.subject.program.instructions[inst as usize].control
    }

    fn located(&self, inst: u32) -> String {
        located(&self.subject.chunk, &self.subject.program, inst).replace('`', "")
    }

    /// Returns the edits of a change that resolves a finding without adding an error. `None` if the
    /// change does not resolve the finding, adds an error, or cannot be written.
    fn proven(&self, codes: &[(u32, Control)]) -> Option<Vec<TextEdit>> {
        let (edits, after) = self.subject.with_codes(codes).ok()?;
        let new = &after.chunks()[self.subject.index()];
        let after = found(new, &Program::decode(new, &self.subject.arch), self.rule, self.inst);
        let is_new = |(at, count): (&(&'static str, u32), &usize)| {
            self.before.errors.get(at).is_none_or(|before| before < count)
        };
        (after.own < self.before.own && !after.errors.iter().any(is_new)).then_some(edits)
    }

    /// True if another fix would be useful. `found` is the number of fixes found so far.
    fn wants_more(&self, found: usize) -> bool {
        self.rule == "stall-without-yield" && found < 2
    }

    fn candidates(&self) -> Vec<Candidate> {
        let Some(own) = self.control(self.inst) else { return Vec::new() };
        match self.rule {
            "unwaited-result" => {
                self.for_hazards(|order| matches!(order, Order::ReadAfterWrite | Order::WriteAfterWrite))
            }
            "source-overwritten" => self.for_hazards(|order| order == Order::WriteAfterRead),
            "read-too-early" => self.for_hazards(|order| order == Order::ReadAfterWrite),
            "overwritten-too-early" => self.for_hazards(|order| order == Order::WriteAfterWrite),
            "stall-without-yield" => {
                let most = Hardware::builtin().most_stall_without_yield.value as u8;
                vec![
                    self.change("Set yield", Control { yields: true, ..own }),
                    self.change(
                        &format!("Lower the stall count to {most}"),
                        Control { stall: Some(most), ..own },
                    ),
                ]
            }
            "unused-scoreboard" => vec![
                self.change("Set no write barrier here", Control { write_barrier: None, ..own }),
                self.change("Set no read barrier here", Control { read_barrier: None, ..own }),
                self.change(
                    "Set no scoreboards here",
                    Control { write_barrier: None, read_barrier: None, ..own },
                ),
            ],
            "redundant-wait" => subsets(own.wait_mask)
                .map(|mask| {
                    let title = format!("Do not wait for {} here", self.scoreboards(mask));
                    self.change(&title, Control { wait_mask: own.wait_mask & !mask, ..own })
                })
                .collect(),
            "stall-above-need" => (1..own.stall.unwrap_or(1))
                .rev()
                .map(|stall| {
                    let title = format!("Lower the stall count to {stall}");
                    self.change(&title, Control { stall: Some(stall), ..own })
                })
                .collect(),
            "useless-reuse" => subsets(own.reuse_mask)
                .map(|mask| {
                    let title = if mask.is_power_of_two() {
                        "Remove the reuse flag"
                    } else {
                        "Remove the reuse flags"
                    };
                    self.change(title, Control { reuse_mask: own.reuse_mask & !mask, ..own })
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn change(&self, title: &str, control: Control) -> Candidate {
        Candidate { title: title.to_owned(), codes: vec![(self.inst, control)] }
    }

    /// Candidates for the hazards in which the instruction issues too early. `is_meant` selects the kinds of
    /// dependence, such as read after write.
    fn for_hazards(&self, is_meant: impl Fn(Order) -> bool) -> Vec<Candidate> {
        let hazards = check(&self.subject.program).hazards;
        let own: Vec<&Hazard> =
            hazards.iter().filter(|hazard| hazard.second == self.inst && is_meant(hazard.order)).collect();
        let mut candidates = Vec::new();
        for hazard in &own {
            match &hazard.lack {
                MissingOrder::Wait { scoreboards } => {
                    candidates.extend(self.wait(&own, hazard, *scoreboards));
                }
                MissingOrder::Scoreboard => candidates.extend(self.set_scoreboard(hazard, &hazards)),
                MissingOrder::Cycles { .. } => {}
            }
        }
        let short = own.iter().filter_map(|hazard| match &hazard.lack {
            MissingOrder::Cycles { has, needs } => Some((hazard.first, needs.value.saturating_sub(*has))),
            _ => None,
        });
        let short: Vec<(u32, u32)> = short.collect();
        if let Some(most) = short.iter().map(|(_, cycles)| *cycles).max() {
            // Raise the stall count of a writer, or of the instruction directly before the reader. The
            // reader follows all writers.
            let writers = short.iter().map(|(first, _)| *first);
            candidates
                .extend(writers.chain(self.inst.checked_sub(1)).filter_map(|at| self.stall_longer(at, most)));
        }
        candidates
    }

    /// Candidates that wait for a scoreboard set by the hazard's first instruction.
    fn wait(&self, own: &[&Hazard], hazard: &Hazard, scoreboards: u8) -> Vec<Candidate> {
        let Some(control) = self.control(self.inst) else { return Vec::new() };
        if control.wait_mask & scoreboards != 0 && hazard.first + 1 == hazard.second {
            // A wait in the next cycle does not see the scoreboard yet.
            return self.stall_longer(hazard.first, 1).into_iter().collect();
        }
        let all = own.iter().fold(0, |mask, hazard| match hazard.lack {
            MissingOrder::Wait { scoreboards } => mask | scoreboards,
            _ => mask,
        });
        let waiting = |mask: u8| {
            let title = format!("Wait for {} here", self.scoreboards(mask));
            let mut codes = vec![(self.inst, Control { wait_mask: control.wait_mask | mask, ..control })];
            if hazard.first + 1 == hazard.second {
                codes.extend(self.control(hazard.first).map(|first| (hazard.first, visible(first))));
            }
            Candidate { title, codes }
        };
        subsets(all & !control.wait_mask).map(waiting).collect()
    }

    /// Candidates that set a scoreboard in the hazard's first instruction. All instructions that issue too early after
    /// that instruction wait for the scoreboard.
    fn set_scoreboard(&self, hazard: &Hazard, all: &[Hazard]) -> Vec<Candidate> {
        let Some(first) = self.control(hazard.first) else { return Vec::new() };
        let used = self.subject.program.instructions.iter().filter_map(|inst| inst.control).fold(
            0,
            |mask, control| {
                let bit = |barrier: Option<u8>| barrier.map_or(0, |barrier| 1_u8 << barrier.min(7));
                mask | bit(control.write_barrier) | bit(control.read_barrier)
            },
        );
        let is_write = hazard.order != Order::WriteAfterRead;
        let name = self.subject.chunk.mnemonic(&self.subject.chunk.instructions()[hazard.first as usize]);
        // Unused scoreboards come first, because sharing a scoreboard makes other instructions wait
        // longer.
        let (free, shared): (Vec<u8>, Vec<u8>) =
            (0..SCOREBOARDS as u8).partition(|board| used >> board & 1 == 0);
        let setting = |board: u8| {
            let set = if is_write {
                Control { write_barrier: Some(board), ..first }
            } else {
                Control { read_barrier: Some(board), ..first }
            };
            let mut codes = vec![(hazard.first, visible(set))];
            let lacks = |other: &&Hazard| {
                other.first == hazard.first
                    && other.lack == MissingOrder::Scoreboard
                    && (other.order != Order::WriteAfterRead) == is_write
            };
            let waits = |second: u32| {
                let control = self.control(second)?;
                Some((second, Control { wait_mask: control.wait_mask | 1 << board, ..control }))
            };
            codes.extend(all.iter().filter(lacks).filter_map(|other| waits(other.second)));
            codes.sort_by_key(|(inst, _)| *inst);
            codes.dedup_by_key(|(inst, _)| *inst);
            let kind = if is_write { "write" } else { "read" };
            let board = self.scoreboards(1 << board);
            Candidate { title: format!("Give {name} the {kind} barrier {board} and wait for it"), codes }
        };
        free.into_iter().chain(shared).map(setting).collect()
    }

    /// Candidate that raises a stall count by `by` cycles. `None` if the instruction has no stall count, or if the new
    /// count is too large.
    fn stall_longer(&self, at: u32, by: u32) -> Option<Candidate> {
        let control = self.control(at)?;
        let stall = u32::from(control.stall?) + by;
        let most = Hardware::builtin().most_stall_without_yield.value;
        let yields = control.yields || stall > most;
        let title = format!("Raise the stall count of {} to {stall}", self.located(at));
        let codes = vec![(at, Control { stall: u8::try_from(stall).ok(), yields, ..control })];
        (stall <= MAX_STALL).then_some(Candidate { title, codes })
    }

    fn scoreboards(&self, mask: u8) -> String {
        scoreboards(&self.subject.chunk, mask, "and")
    }
}

/// Raises the stall count so that the next instruction can wait for the scoreboard that the control
/// code sets.
fn visible(control: Control) -> Control {
    let least = Hardware::builtin().scoreboard_visible.value as u8;
    Control { stall: control.stall.map(|stall| stall.max(least)), ..control }
}

/// Non-empty subsets of a mask. Subsets with the fewest bits come first.
fn subsets(mask: u8) -> impl Iterator<Item = u8> {
    let mut all: Vec<u8> = (1..=mask).filter(|part| part & !mask == 0).collect();
    all.sort_by_key(|part| part.count_ones());
    all.into_iter()
}

fn found(chunk: &Chunk, program: &Program, rule: &str, inst: u32) -> FindingCounts {
    let mut found = FindingCounts::default();
    for finding in advisor::check_codes(&Codes::new(chunk, program, &check(program))) {
        let severity = finding.severity.or_else(|| advisor::rule(finding.code).map(|rule| rule.severity));
        let at = (finding.code, finding.place.instruction);
        if at == (rule, inst) {
            found.own += 1;
        }
        if severity == Some(Severity::Error) {
            *found.errors.entry(at).or_default() += 1;
        }
    }
    found
}
