//! Fewest cycles between two instructions that touch one register, where the pipeline fixes them.

use crate::load::{Text, distances};
use crate::{Class, ClassId, DataError, Known};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// The distances of an architecture. Source: `data/<sm>/distances.csv`, with its counts.
#[derive(Debug, Clone, Default)]
pub struct Distances {
    pub(crate) pairs: FxHashMap<DistanceKey, Distance>,
    /// The least over all consumers, for those never or hardly ever seen behind a producer.
    pub(crate) least: FxHashMap<DistanceKey, Distance>,
    /// The most, likewise.
    pub(crate) most: FxHashMap<DistanceKey, Distance>,
    /// Least stall counts behind a class.
    pub(crate) next: FxHashMap<ClassId, Distance>,
}

/// What tells one distance from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DistanceKey {
    pub producer: ClassId,
    pub part: ResultPart,
    pub file: File,
    pub usage: Usage,
    /// Any where it stands for all.
    pub consumer: Option<ClassId>,
}

/// Which register of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResultPart {
    /// One before the last: the low half of a 64-bit result, which may be there earlier.
    Early,
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum File {
    General,
    Uniform,
    Predicate,
    UniformPredicate,
    ConditionCode,
}

/// What the consumer does with the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Usage {
    /// Reads it as its first or second source.
    Operand,
    /// Reads it as its third source, which some pipes take later.
    Addend,
    Guard,
    /// Writes it again.
    Overwrite,
}

/// A least distance and how often it was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Distance {
    pub cycles: Known<u32>,
    /// Pairs at that distance or more; `u32::MAX` where a table and not a count gives it.
    pub count: u32,
}

/// Pairs that must have been seen for a least distance to be trusted.
const TRUSTED: u32 = 16;

impl ResultPart {
    pub const ALL: [Self; 2] = [Self::Early, Self::Last];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Last => "last",
        }
    }
}

impl File {
    pub const ALL: [Self; 5] =
        [Self::General, Self::Uniform, Self::Predicate, Self::UniformPredicate, Self::ConditionCode];

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
    pub const ALL: [Self; 4] = [Self::Operand, Self::Addend, Self::Guard, Self::Overwrite];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Operand => "operand",
            Self::Addend => "addend",
            Self::Guard => "guard",
            Self::Overwrite => "overwrite",
        }
    }
}

impl Distances {
    /// Fewest cycles from issue to issue that are known to be enough.
    ///
    /// Of a pair hardly ever seen, the least over the consumers of the same kind: less than that is too little for any.
    /// `None` where nothing is known of the producer.
    pub fn least(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let any = DistanceKey { consumer: None, ..key };
        let own = self.pairs.get(&key);
        match (own, self.least.get(&any)) {
            (Some(own), _) if own.count >= TRUSTED => Some(&own.cycles),
            (Some(own), Some(any)) if own.cycles.value < any.cycles.value => Some(&own.cycles),
            (own, any) => any.or(own).map(|distance| &distance.cycles),
        }
    }

    /// Cycles from issue to issue that are enough for this pair, and if it was hardly ever seen, for every consumer of
    /// the same kind.
    pub fn enough(&self, key: DistanceKey) -> Option<&Known<u32>> {
        let any = DistanceKey { consumer: None, ..key };
        let own = self.pairs.get(&key).filter(|own| own.count >= TRUSTED);
        own.or_else(|| self.most.get(&any)).map(|distance| &distance.cycles)
    }

    /// The least stall count behind an instruction, whatever follows; `None` where no code was looked at.
    pub fn next(&self, class: ClassId) -> Option<&Known<u32>> {
        self.next.get(&class).filter(|next| next.count >= TRUSTED).map(|next| &next.cycles)
    }

    /// The distances themselves: what a listing of calibration shows.
    pub fn pairs(&self) -> impl Iterator<Item = (&DistanceKey, &Distance)> {
        self.pairs.iter()
    }

    /// Adds a distance; false where the pair is there already.
    pub(crate) fn add(&mut self, key: DistanceKey, distance: Distance) -> bool {
        if distance.count >= TRUSTED {
            let any = DistanceKey { consumer: None, ..key };
            let value = distance.cycles.value;
            keep(&mut self.least, any, &distance, |known| known > value);
            keep(&mut self.most, any, &distance, |known| known < value);
        }
        self.pairs.insert(key, distance).is_none()
    }
}

fn keep(
    table: &mut FxHashMap<DistanceKey, Distance>,
    key: DistanceKey,
    distance: &Distance,
    replaces: impl Fn(u32) -> bool,
) {
    let known = table.entry(key).or_insert_with(|| distance.clone());
    if replaces(known.cycles.value) {
        *known = distance.clone();
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
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        distances(Text { path: "distances.csv", content: &self.0.0 }, &names)
    }
}
