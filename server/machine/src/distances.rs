//! Minimum number of cycles between the issue of two instructions that access the same register, if the pipeline
//! fixes that number.

use crate::load::{Text, distances};
use crate::{Class, ClassId, DataError, Known};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

/// The distances of an architecture, in cycles. Source: `data/<sm>/distances.csv`. It lists the smallest
/// observed distance of each pair, with its count. If that distance is rare, the file also lists the smallest
/// frequent distance, which is used to judge similar pairs.
#[derive(Debug, Clone, Default)]
pub struct Distances {
    /// Smallest observed distance of each pair.
    pairs: FxHashMap<DistanceKey, Distance>,
    /// Smallest trusted distance of each pair, which was observed at least [`TRUSTED`] times.
    often: FxHashMap<DistanceKey, Known<u32>>,
    /// Smallest and largest trusted distance over all consumers in one pipe, or over all consumers if the pipe is
    /// `None`. The consumer of the [`DistanceKey`] is `None`.
    ranges: FxHashMap<(DistanceKey, Option<usize>), Range>,
    /// Largest trusted distance over all producers in one pipe and all consumers that share a property. The consumers
    /// share their class, share their pipe, or are any consumers.
    most: FxHashMap<(Kind, Similarity), Known<u32>>,
    /// Smallest observed distance over all producers in one pipe and all consumers that share a property, as in
    /// `most`.
    least: FxHashMap<(ResultKind, Similarity), Known<u32>>,
    /// Index of each class's pipe.
    pipes: Vec<usize>,
    /// Smallest stall count after an instruction of each class.
    pub(crate) next: FxHashMap<ClassId, Distance>,
}

/// The producer, the consumer and the register use to which a distance applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DistanceKey {
    pub producer: ClassId,
    pub part: ResultPart,
    pub file: File,
    pub usage: Usage,
    /// `None` in the key of a figure that covers all consumers.
    pub consumer: Option<ClassId>,
}

/// Position of a register among the registers of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResultPart {
    /// Any register before the last: the low half of a 64-bit result, which may be ready earlier.
    Early,
    Last,
}

/// Register file of the register that both instructions access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum File {
    General,
    Uniform,
    Predicate,
    UniformPredicate,
    ConditionCode,
}

/// The consumer's use of the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Usage {
    /// Reads the register as its first or second source.
    Operand,
    /// Reads the register as its third source, which some pipes read later.
    Addend,
    Guard,
    /// Writes the register again.
    Overwrite,
    /// Writes a register that the producer only reads. The uniform datapath reads the register some cycles
    /// after issue.
    AfterRead,
    /// [`Self::Operand`] for a register before the operand's last register. Some pipes read the low half of a
    /// pair earlier than the high half.
    EarlyOperand,
    /// [`Self::Addend`] for a register before the operand's last register. A wide product adds the high half
    /// two cycles after the low half.
    EarlyAddend,
    /// [`Self::Overwrite`] for a register before the result's last register. The low half of a wide product
    /// is written first.
    EarlyOverwrite,
}

/// A smallest distance, and the number of times it was observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Distance {
    pub cycles: Known<u32>,
    /// Number of pairs observed at this distance.
    pub count: u32,
}

/// The producer's pipe, the result's register and file, and the consumer's use of the register.
type Kind = (usize, ResultPart, File, Usage);

/// [`Kind`] for any register of the result.
type ResultKind = (usize, File, Usage);

/// Smallest and largest distance of a set of pairs.
type Range = (Known<u32>, Known<u32>);

/// Property that consumers must share to be compared: their class, their pipe, or no property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Similarity {
    Class(ClassId),
    Pipe(Option<usize>),
    Any,
}

impl Similarity {
    /// The three levels of similarity to a consumer, the most specific first: same class, same pipe, any consumer.
    const fn levels(class: ClassId, pipe: Option<usize>) -> [Self; 3] {
        [Self::Class(class), Self::Pipe(pipe), Self::Any]
    }
}

/// Number of observations from which on a distance is trusted. With fewer observations, the smallest observed
/// distance may be larger than the hardware requires.
const TRUSTED: u32 = 32;

/// Number of observations from which on a pair's smallest distance is a strict minimum: any smaller distance is an
/// error, and similar pairs are not consulted. The threshold is high because many instances of one kernel contribute
/// a few dozen equal observations.
const SURE: u32 = 256;

impl DistanceKey {
    /// This key for the last register of the consumer's operand.
    #[must_use]
    pub const fn late(self) -> Self {
        Self { usage: self.usage.late(), ..self }
    }
}

impl ResultPart {
    /// Both parts, the earlier part first.
    pub const ALL: [Self; 2] = [Self::Early, Self::Last];

    /// Returns the name as written in `distances.csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Last => "last",
        }
    }
}

impl File {
    /// All register files for which distances are kept.
    pub const ALL: [Self; 5] =
        [Self::General, Self::Uniform, Self::Predicate, Self::UniformPredicate, Self::ConditionCode];

    /// Returns the prefix of the file's registers, as written in listings and `distances.csv`: `UR`.
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
    /// All usages. The `Early` usages are last.
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

    /// Returns the name as written in `distances.csv`.
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

    /// This usage for a register before its operand's last register; unchanged if the position makes no
    /// difference.
    #[must_use]
    pub const fn early(self) -> Self {
        match self {
            Self::Operand => Self::EarlyOperand,
            Self::Addend => Self::EarlyAddend,
            Self::Overwrite => Self::EarlyOverwrite,
            other => other,
        }
    }

    /// This usage for its operand's last or only register.
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

    /// Returns the fewest cycles from issue to issue that are known to be sufficient. Fewer cycles are an error.
    ///
    /// For a rarely observed pair, the minimum over the pair and similar pairs: pairs with the result's last
    /// register, which is ready no earlier than the other registers, with consumers in the same pipe, or with
    /// producers in the same pipe. `None` if the producer of a rarely observed pair has no trusted distance for any
    /// consumer.
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
        // Any observation of the pair is more informative than consumers in other pipes.
        let any = any.filter(|_| own.is_none());
        let met = [own, last].into_iter().flatten().map(|distance| &distance.cycles);
        let ranges = [of_producer, of_last, any].into_iter().flatten();
        met.chain(ranges).chain(self.min_of_similar(key)).min_by_key(|cycles| cycles.value)
    }

    /// The smallest observed distances of producers in the same pipe: with the same consumer class, then with
    /// any class in the consumer's pipe. Unknown distances are skipped.
    pub fn min_of_similar(&self, key: DistanceKey) -> impl Iterator<Item = &Known<u32>> {
        let near = key.consumer.map(|consumer| Similarity::levels(consumer, self.pipe(key)));
        let near = near.into_iter().flatten().filter(|near| *near != Similarity::Any);
        near.filter_map(move |near| self.least.get(&(self.likeness(key)?, near)))
    }

    /// Returns the fewest cycles known to be sufficient for a register before the last register of the
    /// consumer's operand. For a rarely observed pair, the minimum over the pair and [`Self::min_of_similar`].
    /// `None` if the pair was never observed.
    pub fn min_of_half(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let own = self.pairs.get(&key)?;
        let like = self.min_of_similar(key).filter(|_| own.count < SURE);
        like.chain([&own.cycles]).min_by_key(|cycles| cycles.value)
    }

    /// Returns the smallest observed distance of a pair, even if it is rare; `None` if the pair was never
    /// observed.
    pub fn met(&self, key: DistanceKey) -> Option<&Known<u32>> {
        self.pairs.get(&key).map(|own| &own.cycles)
    }

    /// Smallest trusted distance in cycles from a result's last register to any instruction that reads the
    /// register as its first or second source; `None` if there is no such distance.
    pub fn latency(&self, producer: ClassId, file: File) -> Option<u32> {
        let any =
            DistanceKey { producer, part: ResultPart::Last, file, usage: Usage::Operand, consumer: None };
        self.ranges.get(&(any, None)).map(|(least, _)| least.value)
    }

    /// Returns the smallest distance of a pair that was observed often enough to be trusted. A smaller
    /// distance that was rarely observed may have other causes. `None` if no distance of the pair is trusted.
    pub fn trusted(&self, key: DistanceKey) -> Option<&Known<u32>> {
        self.often.get(&key)
    }

    /// Returns a distance that is sufficient for similar pairs: the maximum over pairs whose producer runs in
    /// the same pipe. The consumer is the same class, otherwise a class in the consumer's pipe, otherwise any
    /// class. `None` if no such pair is known.
    pub fn similar(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let kind = self.kind(key)?;
        Similarity::levels(key.consumer?, self.pipe(key))
            .into_iter()
            .find_map(|near| self.most.get(&(kind, near)))
    }

    /// Returns a distance that is sufficient for similar pairs, as [`Self::similar`], but only from pairs whose consumer
    /// runs in the consumer's pipe. `None` if no such pair is known.
    pub fn similar_in_pipe(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let kind = self.kind(key)?;
        let levels = Similarity::levels(key.consumer?, self.pipe(key)).into_iter();
        levels.filter(|near| *near != Similarity::Any).find_map(|near| self.most.get(&(kind, near)))
    }

    /// Returns the number of cycles after which any consumer can read a result: the largest trusted distance from the
    /// producer to a read. `None` if no distance to a read is trusted.
    pub fn landed(&self, producer: ClassId, file: File) -> Option<u32> {
        let any = |usage| DistanceKey { producer, part: ResultPart::Last, file, usage, consumer: None };
        let reads = [Usage::Operand, Usage::Addend, Usage::Guard];
        let most = reads.into_iter().filter_map(|usage| self.ranges.get(&(any(usage), None)));
        most.map(|(_, most)| most.value).max()
    }

    /// Smallest stall count after an instruction of the class, for any next instruction; `None` if too few stall
    /// counts were observed.
    pub fn next(&self, class: ClassId) -> Option<&Known<u32>> {
        self.next.get(&class).filter(|next| next.count >= TRUSTED).map(|next| &next.cycles)
    }

    /// Number of cycles from a read of a uniform register to a write that is sufficient for every pair of
    /// instructions; 1 if no distance is known.
    pub fn max_after_read(&self) -> u32 {
        let all =
            self.ranges.iter().filter(|((key, pipe), _)| key.usage == Usage::AfterRead && pipe.is_none());
        all.map(|(_, (_, most))| most.value).max().unwrap_or(1)
    }

    fn range(&self, key: DistanceKey) -> Option<&Range> {
        let any = DistanceKey { consumer: None, ..key };
        self.ranges.get(&(any, self.pipe(key))).or_else(|| self.ranges.get(&(any, None)))
    }

    fn likeness(&self, key: DistanceKey) -> Option<ResultKind> {
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

    /// Adds a distance. Returns false and adds nothing if the distance equals the smallest distance of the
    /// pair so far.
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
            self.add_max(key, cycles);
        }
        if let (Some(consumer), Some(likeness)) = (key.consumer, self.likeness(key)) {
            for near in Similarity::levels(consumer, self.pipe(key)) {
                lower(self.least.entry((likeness, near)), cycles);
            }
        }
        true
    }

    /// Adds a trusted distance to `most`, for this register of the result and for the preceding registers,
    /// which are ready no later.
    fn add_max(&mut self, key: DistanceKey, cycles: &Known<u32>) {
        let Some(consumer) = key.consumer else { return };
        for part in ResultPart::ALL.into_iter().filter(|part| *part <= key.part) {
            let Some(kind) = self.kind(DistanceKey { part, ..key }) else { return };
            for near in Similarity::levels(consumer, self.pipe(key)) {
                let most = self.most.entry((kind, near)).or_insert_with(|| cycles.clone());
                if cycles.value > most.value {
                    *most = cycles.clone();
                }
            }
        }
    }
}

/// Stores the minimum of the entry's cycles and `cycles`.
fn lower<K>(entry: Entry<'_, K, Known<u32>>, cycles: &Known<u32>) {
    let least = entry.or_insert_with(|| cycles.clone());
    if cycles.value < least.value {
        *least = cycles.clone();
    }
}

/// The text of a `distances.csv`, parsed on first use. `None` for a chip without distances of its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct LazyDistances(Arc<(Option<Arc<str>>, OnceLock<Distances>)>);

impl LazyDistances {
    pub(crate) fn new(csv: Option<Arc<str>>) -> Self {
        Self(Arc::new((csv, OnceLock::new())))
    }

    pub(crate) fn get(&self, classes: &[Class]) -> &Distances {
        self.0.1.get_or_init(|| self.read(classes).expect("the tests read the same files"))
    }

    pub(crate) fn read(&self, classes: &[Class]) -> Result<Distances, DataError> {
        let csv = self.0.0.as_deref();
        csv.map_or_else(
            || Ok(Distances::new(classes)),
            |content| distances(Text { path: "distances.csv", content }, classes),
        )
    }
}
