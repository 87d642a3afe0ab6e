//! The L1 cache compared with a simple implementation, and the shares of sectors from DRAM and from L2.

use super::super::cache::Cache;
use super::super::lines::Lines;
use super::super::memory::{ArrayShare, Memory, MemoryRequest};
use machine::{Machine, Pipeline};
use proptest::prelude::*;
use smallvec::smallvec;
use std::sync::Arc;

/// A cache of one set: lines in the order of their last use, each with its sector mask and arrival cycle.
#[derive(Default)]
struct Plain {
    lines: Vec<(u64, u8, u64)>,
    ways: usize,
}

impl Plain {
    fn look_up(&mut self, line: u64, sectors: u8, now: u64) -> (u8, Option<u64>) {
        let Some(at) = self.lines.iter().position(|known| known.0 == line) else { return (sectors, None) };
        let known = self.lines.remove(at);
        self.lines.push(known);
        (sectors & !known.1, (known.1 & sectors != 0 && known.2 > now).then_some(known.2))
    }

    fn fill(&mut self, line: u64, sectors: u8, ready: u64) {
        let old = self.lines.iter().position(|known| known.0 == line).map(|at| self.lines.remove(at));
        let (_, known, when) = old.unwrap_or((line, 0, 0));
        if self.lines.len() == self.ways {
            self.lines.remove(0);
        }
        self.lines.push((line, known | sectors, when.max(ready)));
    }
}

fn figures() -> Arc<Pipeline> {
    Machine::builtin().gpu_for_sm(90).arch.pipeline.clone().expect("sm_90 is calibrated")
}

fn lines() -> Lines {
    Lines::from_arch(&Machine::builtin().gpu_for_sm(90).arch)
}

/// The SM's share of the chip.
const SHARE: f64 = 0.01;

fn memory(shares: ArrayShare, l1_hits: Option<f64>) -> Memory {
    Memory::new(&figures(), lines(), 0, SHARE, vec![shares], l1_hits, 1.0)
}

/// Loads `count` different lines completely, each once.
fn load(memory: &mut Memory, count: u64) {
    for line in 0..count {
        let access =
            MemoryRequest { requests: 1, lines: smallvec![(line, 0b1111)], ..MemoryRequest::default() };
        memory.ask(line * 100, line * 100, &access);
    }
}

proptest! {
    #[test]
    fn a_set_forgets_what_was_used_longest_ago(
        ways in 1..6_u32,
        asked in prop::collection::vec((0..9_u64, 1..16_u8, 0..50_u64, any::<bool>()), 0..200),
    ) {
        let mut cache = Cache::new(ways * 128, 128, ways);
        let mut plain = Plain { ways: ways as usize, ..Plain::default() };
        for (line, sectors, time, fills) in asked {
            if fills {
                cache.fill(line, sectors, time);
                plain.fill(line, sectors, time);
            } else {
                prop_assert_eq!(cache.look_up(line, sectors, time), plain.look_up(line, sectors, time));
            }
        }
    }

    /// In a cache of many sets, a line that was just filled is found again, whatever its set.
    #[test]
    fn a_line_is_found_right_after_it_was_filled(lines in prop::collection::vec(any::<u64>(), 1..300)) {
        let mut cache = Cache::new(64 * 128, 128, 4);
        for line in lines {
            cache.fill(line, 0b0110, 0);
            prop_assert_eq!(cache.look_up(line, 0b1111, 1), (0b1001, None));
        }
    }

    #[test]
    fn dram_brings_its_share(from_dram in 0.0..=1.0_f64, on_the_way in 0.0..0.5_f64) {
        const COUNT: u64 = 2000;
        let mut memory = memory(ArrayShare { from_dram, on_the_way, ..ArrayShare::default() }, None);
        load(&mut memory, COUNT);
        let expected = from_dram * COUNT as f64 * 128.0;
        // The shares hold except for the remainder at the end.
        prop_assert!((memory.traffic.dram_bytes - expected).abs() <= 2.0 * 128.0, "{:?}", memory.traffic);
        prop_assert_eq!((memory.traffic.sectors, memory.traffic.l2_sectors, memory.traffic.l1_hits), (4 * COUNT, 4 * COUNT, 0));
    }

    #[test]
    fn a_stated_share_hits_the_l1_cache(hits in 0.0..=1.0_f64) {
        const COUNT: u64 = 2000;
        let mut memory = memory(ArrayShare::default(), Some(hits));
        load(&mut memory, COUNT);
        let expected = hits * COUNT as f64 * 4.0;
        prop_assert!((memory.traffic.l1_hits as f64 - expected).abs() <= 8.0, "{:?}", memory.traffic);
        prop_assert_eq!(memory.traffic.l2_sectors + memory.traffic.l1_hits, 4 * COUNT);
    }

    /// With a larger share of the chip, no request ends later.
    #[test]
    fn more_bandwidth_is_never_slower(
        asked in prop::collection::vec((0..4000_u64, 1..16_u8, 0..40_u64, any::<bool>()), 1..120),
        from_dram in 0.0..=1.0_f64,
    ) {
        let run = |share: f64| {
            let shares = ArrayShare { from_dram, to_dram: 0.5, ..ArrayShare::default() };
            let mut memory = Memory::new(&figures(), lines(), 1 << 14, share, vec![shares], None, 1.0);
            let mut now = 0;
            for &(line, sectors, later, is_store) in &asked {
                now += later;
                let access = MemoryRequest { requests: 1, lines: smallvec![(line, sectors)], is_store, ..MemoryRequest::default() };
                memory.ask(now, now, &access);
            }
            memory.end()
        };
        prop_assert!(run(0.02) <= run(0.01));
    }
}

#[test]
fn what_is_on_its_way_takes_as_long_as_what_dram_brings_but_moves_nothing() {
    let time = |from_dram, on_the_way| {
        let mut memory = memory(ArrayShare { from_dram, on_the_way, ..ArrayShare::default() }, None);
        let access = MemoryRequest { requests: 1, lines: smallvec![(7, 0b0001)], ..MemoryRequest::default() };
        (memory.ask(0, 0, &access).unwrap(), memory.traffic.dram_bytes)
    };
    let (here, on_the_way, dram) = (time(0.0, 0.0), time(0.0, 1.0), time(1.0, 0.0));
    assert!(here.0 < on_the_way.0 && on_the_way.0 <= dram.0, "{here:?} {on_the_way:?} {dram:?}");
    assert_eq!((here.1 > 0.0, on_the_way.1 > 0.0, dram.1 > 0.0), (false, false, true));
}

#[test]
fn sectors_by_chance_come_from_dram_while_they_are_new() {
    // The number that the whole chip requests while this SM requests a thousand.
    let shares = ArrayShare { by_chance: Some(1000.0 / SHARE), ..ArrayShare::default() };
    let mut memory = memory(shares, None);
    let mut brought = |lines: std::ops::Range<u64>| {
        let before = memory.traffic.dram_bytes;
        for line in lines {
            let access = MemoryRequest { lines: smallvec![(line, 1)], ..MemoryRequest::default() };
            memory.ask(line, line, &access);
        }
        memory.traffic.dram_bytes - before
    };
    let (early, late) = (brought(0..1000), brought(5000..6000));
    assert!(late < early / 2.0, "{early} {late}");
}

/// Returns the mean cycles per round of an SM with the share `share` of L2. In each round, the SM loads `bytes`, waits for
/// them and pauses for `pause` cycles. The first rounds are not counted.
fn round(share: f64, bytes: u64, pause: u64) -> f64 {
    const ROUNDS: u64 = 20;
    let figures = Machine::builtin().gpu("h200").expect("a known GPU").arch.pipeline.clone();
    let figures = figures.expect("sm_90 is calibrated");
    let mut memory = Memory::new(&figures, lines(), 0, share, vec![ArrayShare::default()], None, 1.0);
    let access = MemoryRequest { bypasses: true, ..MemoryRequest::default() };
    let (mut now, mut start) = (0, 0);
    for number in 0..2 * ROUNDS {
        if number == ROUNDS {
            start = now;
        }
        let begun = now;
        for line in 0..bytes / 128 {
            now = now.max(memory.transfer(begun, (line, 0b1111), &access));
        }
        now += pause;
    }
    (now - start) as f64 / ROUNDS as f64
}

/// Mean cycles per round over rounds 17 to 32, measured on an H200 (`async/phases`): bytes and pause of a round, cycles if
/// one SM runs, cycles if all SMs run.
const MEASURED: [(u64, u64, f64, f64); 8] = [
    (32_768, 1000, 2039.0, 2076.0),
    (65_536, 0, 1389.0, 2287.0),
    (65_536, 2000, 3382.0, 3424.0),
    (98_304, 500, 2230.0, 3672.0),
    (131_072, 0, 2071.0, 4109.0),
    (131_072, 1000, 3067.0, 4775.0),
    (131_072, 2000, 4067.0, 5657.0),
    (131_072, 4000, 6067.0, 6554.0),
];

#[test]
fn sms_that_pause_fall_out_of_step() {
    for (bytes, pause, one, all) in MEASURED {
        let slower = round(1.0 / 132.0, bytes, pause) - round(1.0, bytes, pause);
        assert!(((one + slower) / all - 1.0).abs() < 0.12, "{bytes} {pause}: {slower} for {}", all - one);
    }
}
