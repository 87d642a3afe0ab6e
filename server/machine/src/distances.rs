//! Fewest cycles between two instructions that touch one register, where the pipeline fixes them.

use crate::load::{Text, distances};
use crate::{Class, ClassId, DataError, Known};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

/// The distances of an architecture. Source: `data/<sm>/distances.csv`, with its counts: for each pair the least distance
/// that was ever met and, where that was seldom, the least that was met often: what the pair's like are judged by.
#[derive(Debug, Clone, Default)]
pub struct Distances {
    /// The least distance that was ever met.
    pairs: FxHashMap<DistanceKey, Distance>,
    /// The least distance to be trusted.
    often: FxHashMap<DistanceKey, Known<u32>>,
    /// The least and the most of the distances to be trusted, by the pipe of the consumer, or by none for all.
    ranges: FxHashMap<(DistanceKey, Option<usize>), Range>,
    /// The most of the distances to be trusted, by the pipe of the producer, and the consumer or its pipe or neither.
    most: FxHashMap<(Kind, Nearness), Known<u32>>,
    /// The least distance that was ever met, by the pipe of the producer, and the consumer or its pipe.
    least: FxHashMap<(Likeness, Nearness), Known<u32>>,
    /// The consumer's pipe, by class.
    pipes: Vec<usize>,
    /// Least stall count after an instruction of each class.
    pub(crate) next: FxHashMap<ClassId, Distance>,
}

/// Key of a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DistanceKey {
    pub producer: ClassId,
    pub part: ResultPart,
    pub file: File,
    pub usage: Usage,
    /// `None` in the key of a figure that covers all consumers.
    pub consumer: Option<ClassId>,
}

/// Which register of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResultPart {
    /// One before the last: the low half of a 64-bit result, which may be there earlier.
    Early,
    Last,
}

/// Register file of the register that both instructions touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum File {
    General,
    Uniform,
    Predicate,
    UniformPredicate,
    ConditionCode,
}

/// Use that the consumer makes of the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Usage {
    /// Reads it as its first or second source.
    Operand,
    /// Reads it as its third source, which some pipes take later.
    Addend,
    Guard,
    /// Writes it again.
    Overwrite,
    /// Writes a register that the first only reads: the uniform datapath reads it some cycles after issue.
    AfterRead,
    /// The same as [`Self::Operand`] of a register that is not the last of those the operand names: some pipes take the
    /// low half of a pair sooner than the high one.
    EarlyOperand,
    /// Likewise of the third source. A wide product adds the high half two cycles after the low one.
    EarlyAddend,
    /// Likewise of a result: the low half of a wide product lands first.
    EarlyOverwrite,
}

/// A least distance and how often it was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Distance {
    pub cycles: Known<u32>,
    /// Pairs seen at that distance.
    pub count: u32,
}

/// The pipe of the producer, and how its result is touched.
type Kind = (usize, ResultPart, File, Usage);

/// The pipe of the producer, and how any register of its result is touched.
type Likeness = (usize, File, Usage);

/// The least and the most of some distances.
type Range = (Known<u32>, Known<u32>);

/// Nearness of one consumer to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Nearness {
    Class(ClassId),
    Pipe(Option<usize>),
    Any,
}

impl Nearness {
    /// The nearest first.
    const fn levels(class: ClassId, pipe: Option<usize>) -> [Self; 3] {
        [Self::Class(class), Self::Pipe(pipe), Self::Any]
    }
}

/// Pairs that must have been seen at a distance for it to be the least that there is, not the least that happened to be met.
const TRUSTED: u32 = 32;

/// Pairs that must have been seen at a distance for less to be an error whatever their like need: one kernel in many
/// instances makes a few dozen.
const SURE: u32 = 256;

impl DistanceKey {
    /// The same of the last register of the consumer's operand.
    #[must_use]
    pub const fn late(self) -> Self {
        Self { usage: self.usage.late(), ..self }
    }
}

impl ResultPart {
    /// Both parts, the earlier first.
    pub const ALL: [Self; 2] = [Self::Early, Self::Last];

    /// Returns the name as `distances.csv` writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Last => "last",
        }
    }
}

impl File {
    /// All register files that a distance is kept for.
    pub const ALL: [Self; 5] =
        [Self::General, Self::Uniform, Self::Predicate, Self::UniformPredicate, Self::ConditionCode];

    /// Returns the prefix of its registers as listings and `distances.csv` write it: `UR`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::General => "R",
            Self::Uniform => "UR",
            Self::Predicate => "P",
            Self::UniformPredicate => "UP",
            Self::ConditionCode => "CC",
        }
    }
}

impl Usage {
    /// All usages; those of a register that is not its operand's last come at the end.
    pub const ALL: [Self; 8] = [
        Self::Operand,
        Self::Addend,
        Self::Guard,
        Self::Overwrite,
        Self::AfterRead,
        Self::EarlyOperand,
        Self::EarlyAddend,
        Self::EarlyOverwrite,
    ];

    /// Returns the name as `distances.csv` writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operand => "operand",
            Self::Addend => "addend",
            Self::Guard => "guard",
            Self::Overwrite => "overwrite",
            Self::AfterRead => "after_read",
            Self::EarlyOperand => "early_operand",
            Self::EarlyAddend => "early_addend",
            Self::EarlyOverwrite => "early_overwrite",
        }
    }

    /// The usage of a register that is not the last of its operand's.
    #[must_use]
    pub const fn early(self) -> Self {
        match self {
            Self::Operand => Self::EarlyOperand,
            Self::Addend => Self::EarlyAddend,
            Self::Overwrite => Self::EarlyOverwrite,
            other => other,
        }
    }

    /// The usage of the last register of the operand, or of its only one.
    #[must_use]
    pub const fn late(self) -> Self {
        match self {
            Self::EarlyOperand => Self::Operand,
            Self::EarlyAddend => Self::Addend,
            Self::EarlyOverwrite => Self::Overwrite,
            other => other,
        }
    }
}

impl Distances {
    pub(crate) fn new(classes: &[Class]) -> Self {
        Self { pipes: classes.iter().map(|class| class.pipe).collect(), ..Self::default() }
    }

    /// Fewest cycles from issue to issue that are known to be enough: less is too little.
    ///
    /// Of a pair seldom seen the least of what is known of it and of its like: the last register of the result, which comes no
    /// earlier than the others, consumers in the same pipe, producers in the same pipe. `None` where nothing is known of the
    /// producer.
    pub fn least(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let own = self.pairs.get(&key);
        if let Some(own) = own.filter(|own| own.count >= SURE) {
            return Some(&own.cycles);
        }
        let last_key = DistanceKey { part: ResultPart::Last, ..key };
        let last = self.pairs.get(&last_key);
        let of_producer = Some(&self.range(key)?.0);
        let of_last = self.range(last_key).map(|(least, _)| least);
        let any = self.ranges.get(&(DistanceKey { consumer: None, ..key }, None)).map(|(least, _)| least);
        // What was met at all says more than what others of other pipes do.
        let any = any.filter(|_| own.is_none());
        let met = [own, last].into_iter().flatten().map(|distance| &distance.cycles);
        let ranges = [of_producer, of_last, any].into_iter().flatten();
        met.chain(ranges).chain(self.least_of_like(key)).min_by_key(|cycles| cycles.value)
    }

    /// The least distance ever met of producers in the same pipe, with the same consumer or one in its pipe.
    pub fn least_of_like(&self, key: DistanceKey) -> impl Iterator<Item = &Known<u32>> {
        let near = key.consumer.map(|consumer| Nearness::levels(consumer, self.pipe(key)));
        let near = near.into_iter().flatten().filter(|near| *near != Nearness::Any);
        near.filter_map(move |near| self.least.get(&(self.likeness(key)?, near)))
    }

    /// Fewest cycles that are known to be enough for a register that is not the last of the consumer's operand; `None` where the
    /// pair was never met. Of a pair seldom met the least of it and of its like, as in [`Self::least`].
    pub fn least_of_half(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let own = self.pairs.get(&key)?;
        let like = self.least_of_like(key).filter(|_| own.count < SURE);
        like.chain([&own.cycles]).min_by_key(|cycles| cycles.value)
    }

    /// The least distance that was ever met, however seldom.
    pub fn met(&self, key: DistanceKey) -> Option<&Known<u32>> {
        self.pairs.get(&key).map(|own| &own.cycles)
    }

    /// The least that any reader waits for a result of that class, in that file; `None` where too little was seen.
    pub fn latency(&self, producer: ClassId, file: File) -> Option<u32> {
        let any =
            DistanceKey { producer, part: ResultPart::Last, file, usage: Usage::Operand, consumer: None };
        self.ranges.get(&(any, None)).map(|(least, _)| least.value)
    }

    /// The least distance of a pair that was seen often enough to be all that it needs: a closer one that was met once or
    /// twice may have had reasons of its own.
    pub fn trusted(&self, key: DistanceKey) -> Option<&Known<u32>> {
        self.often.get(&key)
    }

    /// Returns what is enough for similar pairs: the most over pairs whose producer runs in the same pipe, with the
    /// same consumer, or else one in the consumer's pipe, or else any. `None` if no such pair is known.
    pub fn alike(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let kind = self.kind(key)?;
        Nearness::levels(key.consumer?, self.pipe(key))
            .into_iter()
            .find_map(|near| self.most.get(&(kind, near)))
    }

    /// The least stall count after an instruction, whatever follows; `None` if too few instructions of the class were
    /// seen.
    pub fn next(&self, class: ClassId) -> Option<&Known<u32>> {
        self.next.get(&class).filter(|next| next.count >= TRUSTED).map(|next| &next.cycles)
    }

    /// Cycles after any read of a uniform register that are enough to write it; 1 if no distance is known.
    pub fn most_after_read(&self) -> u32 {
        let all =
            self.ranges.iter().filter(|((key, pipe), _)| key.usage == Usage::AfterRead && pipe.is_none());
        all.map(|(_, (_, most))| most.value).max().unwrap_or(1)
    }

    fn range(&self, key: DistanceKey) -> Option<&Range> {
        let any = DistanceKey { consumer: None, ..key };
        self.ranges.get(&(any, self.pipe(key))).or_else(|| self.ranges.get(&(any, None)))
    }

    fn likeness(&self, key: DistanceKey) -> Option<Likeness> {
        let producers = self.pipes.get(usize::from(key.producer.0))?;
        Some((*producers, key.file, key.usage))
    }

    fn kind(&self, key: DistanceKey) -> Option<Kind> {
        let producers = self.pipes.get(usize::from(key.producer.0))?;
        Some((*producers, key.part, key.file, key.usage))
    }

    fn pipe(&self, key: DistanceKey) -> Option<usize> {
        self.pipes.get(usize::from(key.consumer?.0)).copied()
    }

    /// Adds a distance; false where the pair is there already at that distance.
    pub(crate) fn add(&mut self, key: DistanceKey, distance: &Distance) -> bool {
        if self.pairs.get(&key).is_some_and(|known| known.cycles.value == distance.cycles.value) {
            return false;
        }
        let least = self.pairs.entry(key).or_insert_with(|| distance.clone());
        if distance.cycles.value < least.cycles.value {
            *least = distance.clone();
        }
        let cycles = &distance.cycles;
        if distance.count >= TRUSTED {
            lower(self.often.entry(key), cycles);
            let any = DistanceKey { consumer: None, ..key };
            for pipe in [self.pipe(key), None] {
                let range = self.ranges.entry((any, pipe));
                let (least, most) = range.or_insert_with(|| (cycles.clone(), cycles.clone()));
                if cycles.value < least.value {
                    *least = cycles.clone();
                }
                if cycles.value > most.value {
                    *most = cycles.clone();
                }
            }
            self.add_most(key, cycles);
        }
        if let (Some(consumer), Some(likeness)) = (key.consumer, self.likeness(key)) {
            for near in Nearness::levels(consumer, self.pipe(key)) {
                lower(self.least.entry((likeness, near)), cycles);
            }
        }
        true
    }

    /// The last register of a result comes no earlier than the ones before it: its distances are enough for theirs.
    fn add_most(&mut self, key: DistanceKey, cycles: &Known<u32>) {
        let Some(consumer) = key.consumer else { return };
        for part in ResultPart::ALL.into_iter().filter(|part| *part <= key.part) {
            let Some(kind) = self.kind(DistanceKey { part, ..key }) else { return };
            for near in Nearness::levels(consumer, self.pipe(key)) {
                let most = self.most.entry((kind, near)).or_insert_with(|| cycles.clone());
                if cycles.value > most.value {
                    *most = cycles.clone();
                }
            }
        }
    }
}

/// Keeps the smaller of the cycles there and these.
fn lower<K>(entry: Entry<'_, K, Known<u32>>, cycles: &Known<u32>) {
    let least = entry.or_insert_with(|| cycles.clone());
    if cycles.value < least.value {
        *least = cycles.clone();
    }
}

/// The text of a `distances.csv`, read when first asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct LazyDistances(Arc<(Arc<str>, OnceLock<Distances>)>);

impl LazyDistances {
    pub(crate) fn new(csv: Arc<str>) -> Self {
        Self(Arc::new((csv, OnceLock::new())))
    }

    pub(crate) fn get(&self, classes: &[Class]) -> &Distances {
        self.0.1.get_or_init(|| self.read(classes).expect("the tests read the same files"))
    }

    pub(crate) fn read(&self, classes: &[Class]) -> Result<Distances, DataError> {
        distances(Text { path: "distances.csv", content: &self.0.0 }, classes)
    }
}
