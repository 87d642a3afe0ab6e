//! Smallest distances between instructions in compiler-generated code, for an architecture's `distances.csv`.

use machine::{Arch, Machine};
use model::hazards::{MinCycles, ObservedDistances, WaitDependentPair};
use model::{Listing, Program};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Counted instruction pairs, by architecture.
#[derive(Debug, Default)]
pub struct Distances {
    observed: BTreeMap<u16, (Arc<Arch>, ObservedDistances)>,
}

/// The table of distances of one architecture.
#[derive(Debug)]
pub struct DistanceTable {
    /// The compute capability times ten: 90 for 9.0.
    pub sm: u16,
    /// The text of `data/sm_<n>/distances.csv`, sorted by producer, consumer and usage in the order of the classes.
    pub csv: String,
    pub kernels: u64,
    pub instructions: u64,
    /// Number of instruction pairs that access the same register while the first instruction is in flight.
    pub dependences: u64,
    /// Number of rows in the table. A row has the smallest distance of a pair of classes, or the smallest stall count
    /// of a class.
    pub rows: usize,
    /// Pairs that come closer together if a scoreboard wait is between them. Their smallest distance is doubtful,
    /// because a wait guarantees no number of cycles.
    pub leaning: Vec<WaitDependentPairs>,
}

/// Pairs of one kind whose smallest distance is smaller with a scoreboard wait in between than without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitDependentPairs {
    /// Classes and operands of the pair: `alu R -> imad_wide addend`.
    pub kind: String,
    /// Number of pairs that are closer than any pair without a wait, and their smallest distance in cycles.
    pub count: u32,
    pub cycles: u32,
    /// Smallest distance in cycles of the pairs without a wait, and the number of pairs with this distance.
    pub without_wait: (u32, u32),
}

/// Source of the figures in a row.
const SOURCE: &str = "vendor:least distance in the code of NVIDIA's compilers";

impl Distances {
    /// Counts the instruction pairs in a listing's kernels with control codes. The code must be known to be
    /// correct, because the hazard check requires the smallest counted distance of each pair.
    pub fn add(&mut self, text: &str) {
        let listing = Listing::parse(text);
        for chunk in listing.chunks().iter().filter(|chunk| !chunk.instructions().is_empty()) {
            let Some(sm) = chunk.sm() else { continue };
            let arch = Machine::builtin().gpu_for_sm(sm.number).arch.clone();
            let program = Program::decode(chunk, &arch);
            let (_, observed) =
                self.observed.entry(arch.sm).or_insert_with(|| (arch, ObservedDistances::default()));
            observed.add(&program);
        }
    }

    /// One table per architecture of the counted listings.
    pub fn tables(&self) -> Vec<DistanceTable> {
        let counted = self.observed.values().filter(|(_, observed)| observed.kernels > 0);
        counted.map(|(arch, observed)| table(arch, observed)).collect()
    }
}

fn table(arch: &Arch, observed: &ObservedDistances) -> DistanceTable {
    let mut csv = String::from("producer,part,file,consumer,usage,cycles,count,source\n");
    let mut row = |key: [&str; 5], least: &MinCycles| {
        let [producer, part, file, consumer, usage] = key;
        let MinCycles { cycles, count } = least;
        writeln!(csv, "{producer},{part},{file},{consumer},{usage},{cycles},{count},{SOURCE}")
            .expect("writing to a string cannot fail");
    };
    let mut rows = observed.next.len();
    for (key, least) in observed.pairs() {
        let Some(consumer) = key.consumer else { continue };
        rows += 1;
        let (producer, consumer) = (&arch.class(key.producer).name, &arch.class(consumer).name);
        row([producer, key.part.name(), key.file.name(), consumer, key.usage.name()], &least);
    }
    for (&class, least) in &observed.next {
        row([&arch.class(class).name, "", "", "", "next"], least);
    }
    DistanceTable {
        sm: arch.sm,
        csv,
        kernels: observed.kernels,
        instructions: observed.instructions,
        dependences: observed.dependences,
        rows,
        leaning: observed.leaning().map(|leaning| leaning_pairs(arch, leaning)).collect(),
    }
}

fn leaning_pairs(
    arch: &Arch,
    WaitDependentPair { key, least, without_wait }: WaitDependentPair,
) -> WaitDependentPairs {
    let consumer = key.consumer.map_or("any", |consumer| &arch.class(consumer).name);
    let (producer, part) = (&arch.class(key.producer).name, key.part.name());
    WaitDependentPairs {
        kind: format!("{producer} {part} {} -> {consumer} {}", key.file.name(), key.usage.name()),
        count: least.count,
        cycles: least.cycles,
        without_wait: (without_wait.cycles, without_wait.count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "\tcode for sm_90\n\t\tFunction : kernel\n\
        \x20       /*0000*/                   IADD3 R1, R2, R3, RZ ;     /* 0x0000000302017210 */\n\
        \x20                                                              /* 0x000fca0007ffe0ff */\n\
        \x20       /*0010*/                   IMAD R4, R1, R1, RZ ;      /* 0x0000000101047224 */\n\
        \x20                                                              /* 0x000fe200078e02ff */\n\
        \x20       /*0020*/                   EXIT ;                     /* 0x000000000000794d */\n\
        \x20                                                              /* 0x000fea0003800000 */\n";

    #[test]
    fn a_distance_is_counted_once_for_each_register() {
        let mut distances = Distances::default();
        distances.add(LISTING);
        distances.add(LISTING);
        let [table] = &distances.tables()[..] else { panic!("{distances:?}") };
        assert_eq!((table.sm, table.kernels, table.instructions), (90, 2, 6));
        assert!(table.csv.contains("\nalu,last,R,imad,operand,5,4,vendor:"), "{}", table.csv);
        assert!(table.csv.contains("\nalu,,,,next,5,2,vendor:"), "{}", table.csv);
    }

    #[test]
    fn text_without_codes_counts_for_nothing() {
        let mut distances = Distances::default();
        distances.add("\tcode for sm_90\n\t\tFunction : kernel\n        /*0000*/ EXIT ;\n");
        distances.add("");
        assert!(distances.tables().is_empty());
    }
}
