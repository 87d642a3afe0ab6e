//! Executes a warp one instruction at a time. Tracks the registers and the groups of lanes that have
//! diverged.

use super::asynchronous::Asynchronous;
use super::code::{Code, ControlTransfer, Frame, MemoryAccess};
use super::compute::{Inputs, Results, compute, unpacked};
use super::counts::LaunchCounts;
use super::decode::{Change, FlagInput, Input, Work};
use super::divergence::{DivergenceCounts, DivergenceState};
use super::file::{ALWAYS, initial_flags, rank};
use super::groups::{Group, GroupOrder};
use super::guess::{Guess, MAX_UNSTATED_TRIPS, Scenario, TripSource};
use super::held::{loaded, stated_contents};
use super::issued::{AccessState, IdleRun, IssuedInstruction};
use super::kind::Kind;
use super::lanes::{Flags, Lanes, WARP};
use super::one_lane::sign_extend;
use super::stored::{LocalWords, SharedWords};
use super::sums::sum;
use super::tickets::{block, drawn};
use crate::address::WarpThreads;
use crate::contents::mixed;
use crate::requests::Request;
use crate::{Contents, Launch};
use machine::MemorySpace;
use rustc_hash::FxHashMap;
use syntax::stop;

/// A warp of a launch.
#[derive(Debug)]
pub struct Warp {
    values: Vec<Lanes>,
    flags: Vec<Flags>,
    /// Groups of lanes that have not exited, one per program counter or barrier. The first group executes
    /// next.
    groups: Vec<Group>,
    /// Mask of the lanes that will reconverge at each convergence barrier.
    barriers: [u32; 16],
    /// Number of iterations since entry of each loop that ends by a trip count, by the loop's branch.
    passes: FxHashMap<u32, u64>,
    /// State of each divergent instruction whose outcome the measured counts determine.
    turns: FxHashMap<u32, DivergenceState>,
    /// Contents of each array; empty if the launch states no contents.
    contents: Box<[Option<Contents>]>,
    local: LocalWords,
    /// Words of the block's shared memory.
    shared: SharedWords,
    /// The last request to memory.
    request: Request,
    /// Destination of the last copy to shared memory.
    destination: Request,
    /// Number of values made unknown, plus a start value that differs between warps. Seeds the placeholders
    /// of unknown values.
    lost: u32,
    seed: u32,
    /// Index of the warp in the launch.
    number: u64,
    /// Number of the warp's block in its cluster.
    rank: u32,
    /// Index of the warp's block in the launch, and the number of all blocks.
    block: (u64, u64),
    /// Number of steps so far, for regular cancellation checks.
    steps: usize,
    /// True if the lanes diverged at the last step.
    has_parted: bool,
    /// The asynchronous operation of the last step.
    asynchronous: Option<Asynchronous>,
}

/// Maximum depth of the stack of calls and reconvergence points: deeper than any program nests.
const MAX_FRAMES: usize = 64; // limit: more than any program nests

impl Warp {
    /// Returns a warp of the launch at its first instruction.
    pub fn new(code: &Code, launch: &Launch, place: &WarpThreads) -> Self {
        let values = code.initial.iter().map(|initial| initial.lanes(&code.arch, launch, place)).collect();
        let lanes = (0..WARP as u32).filter(|&lane| place.tid(lane, code.arch.resources.warp_size).is_some());
        let lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
        let first = Group { at: 0, lanes, frames: Vec::new(), waits: None };
        let has_code = lanes != 0 && !code.is_empty();
        Self {
            values,
            flags: initial_flags(code.flag_count),
            groups: if has_code { vec![first] } else { Vec::new() },
            barriers: [0; 16],
            passes: FxHashMap::default(),
            turns: FxHashMap::default(),
            contents: stated_contents(launch),
            local: LocalWords::default(),
            shared: SharedWords::default(),
            request: Request { active: 0, addresses: [0; WARP] },
            destination: Request { active: 0, addresses: [0; WARP] },
            lost: seed(place),
            seed: seed(place),
            number: number(code, launch, place),
            rank: rank(launch, place),
            block: (block(launch, place), launch.blocks()),
            steps: 0,
            has_parted: false,
            asynchronous: None,
        }
    }

    /// Makes the warp store to `words` and load from them, instead of shared memory of its own.
    #[must_use]
    pub(crate) fn sharing(mut self, words: &SharedWords) -> Self {
        self.shared = words.clone();
        self
    }

    /// Returns the index of the next instruction; `None` once all lanes have exited.
    pub fn next(&self) -> Option<u32> {
        self.groups.first().map(|group| group.at)
    }

    /// True if the lanes diverged at the last step.
    pub const fn has_parted(&self) -> bool {
        self.has_parted
    }

    /// Returns the request of the last access, with placeholders for unknown addresses.
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the number of the warp's block in its cluster.
    pub(crate) const fn rank(&self) -> u32 {
        self.rank
    }

    /// Returns the asynchronous operation of the last step.
    pub(crate) const fn asynchronous(&self) -> Option<&Asynchronous> {
        self.asynchronous.as_ref()
    }

    /// Takes the asynchronous operation of the last step.
    pub(crate) fn take_asynchronous(&mut self) -> Option<Asynchronous> {
        self.asynchronous.take()
    }

    /// Returns the shared memory destination of the last copy.
    pub const fn destination(&self) -> &Request {
        &self.destination
    }

    /// Runs up to `most` consecutive idle instructions; `None` if the next instruction is not idle.
    pub fn run_idle(&mut self, code: &Code, most: u64) -> Option<IdleRun> {
        let (group, others) = self.groups.split_first_mut()?;
        let first = group.at;
        let mut count = u64::from(code.idle[first as usize]).min(most) as u32;
        if count == 0 {
            return None;
        }
        for other in &*others {
            count =
                count.min(group.continues_in_parallel(other, &code.order)).min(code.len() as u32 - 1 - first);
        }
        if count == 0 {
            return None;
        }
        let idle = IdleRun { first, count, lanes: group.lanes };
        group.at += count;
        if group.at as usize >= code.len() {
            self.groups.clear();
        }
        Some(idle)
    }

    /// Runs the next instruction; `None` once all lanes have exited.
    pub fn step(&mut self, code: &Code) -> Option<IssuedInstruction> {
        stop::check_at(self.steps);
        self.steps += 1;
        self.has_parted = false;
        if let Some(IdleRun { first, lanes, .. }) = self.run_idle(code, 1) {
            return Some(IssuedInstruction::idle(first, lanes, lanes));
        }
        let group = self.groups.first_mut()?;
        let (at, lanes) = (group.at, group.lanes);
        let step = &code.steps[at as usize];
        if step.is_idle {
            let active = step.guard.map_or(lanes, |guard| {
                let guard = self.flag(guard);
                (guard.values | !guard.known) & lanes
            });
            self.move_on(at + 1);
            self.put_next_first(code, at, true);
            return Some(IssuedInstruction::idle(at, lanes, active));
        }
        let guard = step.guard.map_or(Flags::TRUE, |guard| self.flag(guard));
        let mut on = guard.values & guard.known & lanes;
        let mut maybe = !guard.known & lanes;
        if let (Some(counts), Some(guard)) = (&code.counts, step.guard) {
            (on, maybe) = self.decide(counts, guard, at, on, maybe);
        }
        // A load may overwrite its address registers, so the access is evaluated first.
        let access = step.access.as_ref();
        let access = access.map_or(AccessState::Nothing, |access| self.access(code, at, access, on, maybe));
        self.asynchronous = None;
        if let Some(form) = &step.asynchronous
            && (on | maybe) != 0
        {
            let active = if on == 0 { maybe } else { on };
            // The addresses of barrier objects are those of the access.
            let barriers = (access == AccessState::Known).then_some(&self.request.addresses);
            let warp_size = code.arch.resources.warp_size;
            self.asynchronous = Some(form.evaluate(&self.values, barriers, active, warp_size));
        }
        let mut is_undecided = maybe != 0 && step.access.is_some();
        if let Some(work) = &step.work {
            self.work(code, work, on, maybe);
        }
        for &slot in &step.lost {
            self.make_unknown(slot, at, on | maybe, code.counts.is_some());
        }
        for &slot in &step.lost_flags {
            let flags = &mut self.flags[usize::from(slot)];
            flags.known &= !(on | maybe);
            flags.values &= flags.known;
        }
        if let Some(ticket) = step.access.as_ref().and_then(|access| access.ticket)
            && access == AccessState::Known
            && maybe == 0
        {
            let result =
                drawn(ticket, on, &self.values, &self.request, &self.contents, (&self.shared, self.block));
            if let Some(result) = result {
                self.values[usize::from(ticket.result)].write(&result, on, 0);
            }
        }
        if let Some(stored) = &step.access {
            let request = (&self.request, access);
            if stored.space == MemorySpace::Shared {
                self.shared.access(&mut self.values, stored, request, on, maybe);
            } else if !stored.data.is_empty() {
                self.local.access(&mut self.values, stored, request, on, maybe);
            }
            if stored.destination.is_some() && access == AccessState::Known {
                self.shared.copy(&self.contents, stored, &self.request, &self.destination);
            }
        }
        if let Some(load) = step.access.as_ref().filter(|load| !load.loaded.is_empty())
            && !self.contents.is_empty()
            && access == AccessState::Known
        {
            for (word, &slot) in (0..).zip(&load.loaded) {
                let value = loaded(&self.contents, load, word, &self.request);
                self.values[usize::from(slot)].write(&value, on, maybe);
            }
        }
        let (mut is_guessed, mut is_assumed) = (false, false);
        self.transfer(code, at, on, maybe, (&mut is_guessed, &mut is_undecided, &mut is_assumed));
        let jumps = self.groups.first().is_none_or(|group| group.at != at + 1);
        Some(IssuedInstruction {
            inst: at,
            lanes,
            active: on | maybe,
            jumps,
            access,
            is_guessed,
            is_undecided,
            is_assumed,
        })
    }

    /// Sets the guard of an instruction from the counts, in lanes in which the guard is unknown or the counts
    /// override it. Returns the masks of the lanes whose guard is true and of the lanes whose guard may be
    /// true.
    fn decide(
        &mut self,
        counts: &LaunchCounts,
        guard: FlagInput,
        at: u32,
        on: u32,
        maybe: u32,
    ) -> (u32, u32) {
        let lanes = self.groups[0].lanes;
        let open = if counts.differs(at) { lanes } else { maybe };
        let Some(way) = counts.way(at).filter(|_| open != 0 && guard.slot != ALWAYS) else {
            return (on, maybe);
        };
        let taken = self.counted(way, at, open, on & !open);
        let flags = &mut self.flags[usize::from(guard.slot)];
        let values = if guard.inverted { open & !taken } else { taken };
        flags.values = flags.values & !open | values;
        flags.known |= open;
        (on & !open | taken, 0)
    }

    /// Returns the mask of the lanes in `open` that take the branch, as determined by the counts. `taken` is
    /// the mask of the lanes that are known to take the branch.
    fn counted(&mut self, way: &DivergenceCounts, at: u32, open: u32, taken: u32) -> u32 {
        let seed = (self.seed ^ at.wrapping_mul(0x9e37_79b9)).wrapping_mul(0xc2b2_ae35);
        let turn = self.turns.entry(at).or_default();
        let lanes = self.groups[0].lanes;
        if open == lanes {
            way.taken(turn, open, seed ^ seed >> 15)
        } else {
            way.rest(turn, open, lanes, taken, seed ^ seed >> 15)
        }
    }

    /// Makes a register unknown in `lanes`. Each lane gets a placeholder, [`APART`] above the previous lane's
    /// placeholder. Accesses at offsets from the same register are therefore near each other. If `is_counted`,
    /// measured counts determine the positions of the lanes, and the low [`COUNTED_BITS`] bits of the first
    /// placeholder are 0.
    fn make_unknown(&mut self, slot: u16, at: u32, lanes: u32, is_counted: bool) {
        self.lost = self.lost.wrapping_add(1);
        let value = &mut self.values[usize::from(slot)];
        value.known &= !lanes;
        let first = any_number(self.lost ^ at << 16) << if is_counted { COUNTED_BITS } else { 0 };
        for (lane, value) in (0..).zip(&mut value.values) {
            if lanes >> lane & 1 == 1 {
                *value = first + APART * lane;
            }
        }
    }

    fn flag(&self, flag: FlagInput) -> Flags {
        let value = self.flags[usize::from(flag.slot)];
        if flag.inverted { value.not() } else { value }
    }

    fn input(&self, input: Input) -> Lanes {
        let value = &self.values[usize::from(input.slot)];
        match input.change {
            Change::None => *value,
            Change::Negated => value.map(u32::wrapping_neg),
            Change::Inverted => value.map(|value| !value),
            Change::Magnitude => value.map(|value| value.cast_signed().unsigned_abs()),
            Change::MagnitudeNegated => value.map(|value| value.cast_signed().unsigned_abs().wrapping_neg()),
            Change::LowHalf => value.map(|value| value & 0xffff),
            Change::HighHalf => value.map(|value| value >> 16),
            Change::Bits { place, width, signed } => {
                value.map(|value| sign_extend(value >> place, u32::from(width), signed))
            }
            Change::FloatNegated => value.map(|value| value ^ 1 << 31),
            Change::FloatMagnitude => value.map(|value| value & !(1 << 31)),
            Change::FloatMagnitudeNegated => value.map(|value| value | 1 << 31),
        }
    }

    fn work(&mut self, code: &Code, work: &Work, on: u32, maybe: u32) {
        match work.kind {
            // The participating lanes are not known.
            kind if kind.is_across() && maybe != 0 => {
                self.write(work, &Results::UNKNOWN, on, maybe);
            }
            Kind::CopyAll => self.copy_all(work, on, maybe),
            Kind::UnpackPredicates(mask) => {
                let value = work.inputs.first().map_or(Lanes::ZERO, |input| self.input(*input));
                for (number, &slot) in
                    (0..).zip(&code.predicates).filter(|(number, _)| mask >> number & 1 == 1)
                {
                    self.flags[usize::from(slot)].write(unpacked(&value, number), on, maybe);
                }
            }
            Kind::PackPredicates(_) => {
                let predicates: Vec<Flags> =
                    code.predicates.iter().map(|&slot| self.flags[usize::from(slot)]).collect();
                let results = self.results(work, on, &predicates);
                self.write(work, &results, on, maybe);
            }
            _ => {
                let results = self.results(work, on, &[]);
                self.write(work, &results, on, maybe);
            }
        }
    }

    /// Computes the results of an instruction without writing them.
    fn results(&self, work: &Work, on: u32, predicates: &[Flags]) -> Results {
        let mut values = [&Lanes::ZERO; 6];
        for (into, input) in values.iter_mut().zip(&work.inputs) {
            *into = &self.values[usize::from(input.slot)];
        }
        if work.inputs.iter().all(|input| input.change == Change::None) {
            return self.computed(work, values, on, predicates);
        }
        // An input that is modified needs a copy.
        let mut changed: [Option<Lanes>; 6] = [const { None }; 6];
        for (into, input) in changed.iter_mut().zip(&work.inputs) {
            if input.change != Change::None {
                *into = Some(self.input(*input));
            }
        }
        for (into, changed) in values.iter_mut().zip(&changed) {
            *into = changed.as_ref().unwrap_or(into);
        }
        self.computed(work, values, on, predicates)
    }

    #[inline]
    fn computed(&self, work: &Work, values: [&Lanes; 6], on: u32, predicates: &[Flags]) -> Results {
        let mut inputs = Inputs {
            values,
            flags: [Flags::TRUE; 3],
            active: on,
            predicates,
            wants_second: work.values[1].is_some(),
            wants_flags: work.results.iter().any(Option::is_some),
        };
        for (into, &flag) in inputs.flags.iter_mut().zip(&work.flags) {
            *into = self.flag(flag);
        }
        compute(work.kind, &inputs)
    }

    fn copy_all(&mut self, work: &Work, on: u32, maybe: u32) {
        let mut copies = [Lanes::ZERO; 4];
        for (into, input) in copies.iter_mut().zip(&work.inputs) {
            *into = self.input(*input);
        }
        for (slot, value) in work.values.iter().zip(&copies) {
            if let Some(slot) = slot {
                self.values[usize::from(*slot)].write(value, on, maybe);
            }
        }
    }

    fn write(&mut self, work: &Work, results: &Results, on: u32, maybe: u32) {
        if let Some(slot) = work.values[0] {
            self.values[usize::from(slot)].write(&results.value, on, maybe);
        }
        if let Some(slot) = work.values[1] {
            let value = results.second.as_ref().unwrap_or(&Lanes::UNKNOWN);
            self.values[usize::from(slot)].write(value, on, maybe);
        }
        for (slot, value) in work.results.iter().zip(&results.flags) {
            if let Some(slot) = slot {
                self.flags[usize::from(*slot)].write(*value, on, maybe);
            }
        }
    }

    fn access(&mut self, code: &Code, at: u32, access: &MemoryAccess, on: u32, maybe: u32) -> AccessState {
        let scenario = code.scenario;
        let (on, maybe) = match access.condition {
            Some(condition) => {
                let flag = self.flag(condition);
                (on & flag.values & flag.known, maybe | on & !flag.known)
            }
            None => (on, maybe),
        };
        let active = match scenario {
            Scenario::Best => on,
            Scenario::Usual | Scenario::Worst => on | maybe,
        };
        if active == 0 {
            return AccessState::Off;
        }
        let is_wide = matches!(access.space, MemorySpace::Global | MemorySpace::Generic);
        if let Some(coordinates) = &access.coordinates {
            let is_placed = coordinates.place(&self.values, active, &mut self.request);
            return if is_placed && maybe == 0 { AccessState::Known } else { AccessState::Unknown };
        }
        let Some(address) = &access.address else {
            self.request = Request {
                active,
                addresses: std::array::from_fn(|lane| lane as u64 * u64::from(access.bytes)),
            };
            return AccessState::Unknown;
        };
        let mut is_known = maybe == 0 || scenario != Scenario::Usual;
        is_known &= sum(&self.values, address, is_wide, active, &mut self.request);
        if let Some(spread) =
            code.counts.as_ref().and_then(|counts| counts.spread(at)).filter(|_| is_wide && !is_known)
        {
            let request_seed = mixed(u64::from(self.seed) << 32 | u64::from(self.lost));
            let line_bytes = u64::from(code.arch.requests.line_bytes.value.max(1));
            spread.put(&mut self.request, self.number, request_seed, access.bytes, line_bytes);
        }
        if let Some(destination) = &access.destination {
            is_known &= sum(&self.values, destination, false, active, &mut self.destination);
        }
        if is_known { AccessState::Known } else { AccessState::Unknown }
    }

    /// Moves the executing group to its next instruction, and splits the group if its lanes diverge.
    fn transfer(
        &mut self,
        code: &Code,
        at: u32,
        on: u32,
        maybe: u32,
        (is_guessed, is_undecided, is_assumed): (&mut bool, &mut bool, &mut bool),
    ) {
        let lanes = self.groups[0].lanes;
        let before = self.groups.len();
        let transfer = &code.steps[at as usize].transfer;
        match transfer {
            ControlTransfer::Next => self.move_on(at + 1),
            ControlTransfer::Branch { target, conditions, guess } => {
                let guard = Flags { values: on, known: !maybe };
                let condition = conditions.iter().fold(guard, |all, &flag| all.and(self.flag(flag)));
                let mut taken = condition.values & condition.known & lanes;
                let open = !condition.known & lanes;
                let way = code.counts.as_ref().and_then(|counts| counts.way(at));
                match way {
                    Some(way) if open != 0 => taken |= self.counted(way, at, open, taken),
                    None if open != 0 => {
                        taken |= open & self.guess(code.scenario, at, *guess, is_guessed);
                        *is_undecided |= matches!(guess, Guess::Early | Guess::Either { .. });
                        *is_assumed |= matches!(guess, Guess::Taken | Guess::NotTaken);
                    }
                    _ => {}
                }
                self.count_pass(at, *target, *guess, taken);
                self.split(taken, *target, at + 1);
            }
            ControlTransfer::Call(target) => match target {
                // The depth of a recursion is unknown.
                Some(_) if on != 0 && self.groups[0].frames.len() >= MAX_FRAMES => self.end(code, on, at),
                Some(target) if on != 0 => {
                    let stays = lanes & !on;
                    self.groups[0].lanes = on;
                    let before = self.groups[0].frames.clone();
                    self.groups[0].frames.push((Frame::Call, at + 1));
                    self.groups[0].at = *target;
                    if stays != 0 {
                        self.groups.push(Group { at: at + 1, lanes: stays, frames: before, waits: None });
                    }
                }
                _ => self.move_on(at + 1),
            },
            ControlTransfer::Return => self.pop(code, Frame::Call, on, at),
            ControlTransfer::Pop(kind) => self.pop(code, *kind, on | maybe, at),
            ControlTransfer::Push(kind, target) => {
                let frames = &mut self.groups[0].frames;
                if frames.len() >= MAX_FRAMES {
                    frames.remove(0);
                }
                frames.push((*kind, *target));
                self.move_on(at + 1);
            }
            ControlTransfer::Lost => self.end(code, on | maybe, at),
            // A lane whose guard is not known continues.
            ControlTransfer::Exit => {
                *is_undecided |= maybe != 0;
                let gone = if code.scenario == Scenario::Best { on | maybe } else { on };
                self.has_parted = gone != 0 && gone != lanes;
                self.end(code, gone, at);
            }
            ControlTransfer::Gather(barrier) => {
                self.barriers[usize::from(*barrier)] = lanes;
                self.move_on(at + 1);
            }
            ControlTransfer::Leave(barrier) => {
                self.barriers[usize::from(*barrier)] &= !on;
                self.move_on(at + 1);
            }
            ControlTransfer::Meet(barrier) => {
                self.groups[0].waits = Some(*barrier);
                self.reconverge(*barrier);
            }
        }
        let has_moved = matches!(transfer, ControlTransfer::Next | ControlTransfer::Branch { .. })
            && self.groups.len() == before;
        self.put_next_first(code, at, has_moved);
    }

    /// Moves the group that runs next to the front. `has_moved` is true if the last instruction only advanced
    /// the first group.
    fn put_next_first(&mut self, code: &Code, at: u32, has_moved: bool) {
        let has_others =
            self.groups.len() > 1 || self.groups.first().is_some_and(|group| group.waits.is_some());
        if has_others && !(has_moved && self.stays_first(&code.order)) {
            self.choose(code);
        }
        if self.groups.first().is_some_and(|group| group.at as usize >= code.len()) {
            let rest = self.groups[0].lanes;
            self.end(code, rest, at);
            self.choose(code);
        }
    }

    fn move_on(&mut self, to: u32) {
        self.groups[0].at = to;
    }

    /// Returns the mask of lanes that are assumed to take a branch with an unknown condition.
    fn guess(&self, scenario: Scenario, at: u32, guess: Guess, is_guessed: &mut bool) -> u32 {
        /// Mask of every other lane. With this mask, both sides of a branch run, one after the other.
        const EVERY_OTHER: u32 = 0x5555_5555; // limit: half of the lanes
        let passes = |branch: u32| self.passes.get(&branch).copied().unwrap_or(0);
        let trips = |trips: u64, source: TripSource| match (source, scenario) {
            (TripSource::Launch | TripSource::Spin, _) | (TripSource::Assumed, Scenario::Usual) => trips,
            (TripSource::Assumed, Scenario::Best) => 1,
            (TripSource::Assumed, Scenario::Worst) => MAX_UNSTATED_TRIPS,
        };
        let jump = match (guess, scenario) {
            (Guess::Back { trips: stated, source }, _) => {
                *is_guessed = source == TripSource::Assumed;
                passes(at) + 1 < trips(stated, source)
            }
            (Guess::Out { back, trips: stated, source }, _) => {
                *is_guessed = source == TripSource::Assumed;
                passes(back) >= trips(stated, source)
            }
            (Guess::Taken, _) | (Guess::Early, Scenario::Best) => true,
            (Guess::NotTaken | Guess::Early, _) => false,
            (Guess::Either { shorter }, Scenario::Best) => shorter,
            (Guess::Either { .. }, Scenario::Worst) => return EVERY_OTHER,
            (Guess::Either { .. }, Scenario::Usual) => {
                (self.seed ^ at.wrapping_mul(0x9e37_79b9)).count_ones() & 1 == 1
            }
        };
        if jump { u32::MAX } else { 0 }
    }

    /// Counts the iterations of a loop since its entry.
    fn count_pass(&mut self, at: u32, target: u32, guess: Guess, taken: u32) {
        match guess {
            _ if target <= at => {
                if taken == 0 {
                    self.passes.remove(&at);
                } else {
                    *self.passes.entry(at).or_default() += 1;
                }
            }
            Guess::Out { back, .. } if taken != 0 => {
                self.passes.remove(&back);
            }
            _ => {}
        }
    }

    fn split(&mut self, taken: u32, target: u32, next: u32) {
        let stays = self.groups[0].lanes & !taken;
        if taken == 0 || stays == 0 {
            return self.move_on(if taken == 0 { next } else { target });
        }
        self.has_parted = true;
        let frames = self.groups[0].frames.clone();
        self.groups[0].lanes = stays;
        self.groups[0].at = next;
        self.groups.push(Group { at: target, lanes: taken, frames, waits: None });
    }

    /// Moves the lanes `on` to the target of their last frame of this kind. Without such a frame, a return
    /// ends the lanes, and other instructions continue at the next instruction.
    fn pop(&mut self, code: &Code, kind: Frame, on: u32, at: u32) {
        let group = &mut self.groups[0];
        if on == 0 {
            return self.move_on(at + 1);
        }
        let Some(place) = group.frames.iter().rposition(|(frame, _)| *frame == kind) else {
            return if kind == Frame::Call { self.end(code, on, at) } else { self.move_on(at + 1) };
        };
        let target = group.frames[place].1;
        let stays = group.lanes & !on;
        let mut frames = group.frames.clone();
        // `CONT` keeps the frame of its loop for the next iteration.
        frames.truncate(if kind == Frame::Continue { place + 1 } else { place });
        if stays == 0 {
            group.frames = frames;
            group.at = target;
        } else {
            group.lanes = stays;
            group.at = at + 1;
            self.groups.push(Group { at: target, lanes: on, frames, waits: None });
        }
    }

    fn end(&mut self, code: &Code, lanes: u32, at: u32) {
        let group = &mut self.groups[0];
        group.lanes &= !lanes;
        group.at = at + 1;
        if group.lanes == 0 {
            self.groups.swap_remove(0);
        }
        for barrier in 0..16 {
            if self.barriers[barrier] & lanes != 0 {
                self.barriers[barrier] &= !lanes;
                self.reconverge(barrier as u8);
            }
        }
        self.choose(code);
    }

    /// Joins the groups that wait at a barrier once all lanes of the barrier have arrived.
    fn reconverge(&mut self, barrier: u8) {
        let waiting = self.groups.iter().filter(|group| group.waits == Some(barrier));
        let lanes = waiting.fold(0, |lanes, group| lanes | group.lanes);
        if lanes == 0 || self.barriers[usize::from(barrier)] & !lanes != 0 {
            return;
        }
        self.release(barrier);
    }

    fn release(&mut self, barrier: u8) {
        let Some(first) = self.groups.iter().position(|group| group.waits == Some(barrier)) else { return };
        let mut joined = self.groups[first].clone();
        self.groups.retain(|group| {
            let waits = group.waits == Some(barrier);
            if waits {
                joined.lanes |= group.lanes;
            }
            !waits
        });
        joined.waits = None;
        joined.at += 1;
        self.groups.insert(0, joined);
    }

    /// True if the first group has reached no other group and still runs next.
    fn stays_first(&self, order: &GroupOrder) -> bool {
        let Some((group, others)) = self.groups.split_first() else { return false };
        group.waits.is_none() && others.iter().all(|other| group.continues_in_parallel(other, order) > 0)
    }

    /// Moves the group that runs next to the front. Groups at the same instruction merge, except at a convergence
    /// barrier. Source: ncu's counts of `BSYNC`.
    fn choose(&mut self, code: &Code) {
        let mut index = 0;
        while index < self.groups.len() {
            let same = |other: &Group| {
                let place = self.groups[index].at;
                other.at == place
                    && code
                        .steps
                        .get(place as usize)
                        .is_some_and(|step| !matches!(step.transfer, ControlTransfer::Meet(_)))
                    && other.waits.is_none()
                    && self.groups[index].waits.is_none()
                    && other.frames == self.groups[index].frames
            };
            if let Some(other) = (index + 1..self.groups.len()).find(|&other| same(&self.groups[other])) {
                let other = self.groups.swap_remove(other);
                self.groups[index].lanes |= other.lanes;
            } else {
                index += 1;
            }
        }
        let ready = self.groups.iter().enumerate().filter(|(_, group)| group.waits.is_none());
        if let Some((next, _)) = ready.min_by_key(|(_, group)| group.precedence(&code.order)) {
            self.groups.swap(0, next);
        } else if let Some(barrier) = self.groups.first().and_then(|group| group.waits) {
            // The barrier may expect lanes that the code never sends there.
            self.release(barrier);
        }
    }
}

/// Returns the seed of a warp's placeholder values. The seed differs between warps.
fn seed(place: &WarpThreads) -> u32 {
    let [x, y, z] = place.ctaid;
    [x, y, z, place.warp]
        .iter()
        .fold(0, |seed: u32, part| (seed.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b9))
}

/// Returns the index of a warp in the launch.
fn number(code: &Code, launch: &Launch, place: &WarpThreads) -> u64 {
    let per_block = u64::from(launch.threads_per_block().div_ceil(code.arch.resources.warp_size.max(1)));
    block(launch, place).wrapping_mul(per_block).wrapping_add(u64::from(place.warp))
}

/// Returns the first lane's placeholder for a number loaded from memory: an index into an array of about
/// 100,000 elements. The placeholder grows by [`APART`] per lane. The number of lines of a request for 4-byte
/// elements is then about half way between one line and one line per lane.
fn any_number(of: u32) -> u32 {
    of.wrapping_mul(0x9e37_79b9).wrapping_mul(0xc2b2_ae35) >> 15
}

/// Number of low bits of a loaded placeholder that stay free for offsets that a program adds.
const COUNTED_BITS: u32 = 10; // limit: offsets that programs add to an index

/// Difference between the placeholders of neighbouring lanes, in elements.
const APART: u32 = 16; // Source: a guess, half way between one line and one per lane
