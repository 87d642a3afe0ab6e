//! Drawing of one request of a warp: the shared-memory bank or the global-memory sector that each lane
//! accesses.

use crate::words::numbers::counted;
use advisor::memory::{Memory, kind};
use machine::Arch;
use machine::units::LANES;
use model::MemorySpace;
use model::execution::{CostliestRequest, MemoryUse};
use model::requests::{
    BankPicture, Request, Sectors, SharedKind, banks, global, global_reduction, is_reduction,
};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lanes per row of the drawing.
const LANES_A_ROW: usize = 8; // limit: four rows, which fit the width of a hover

/// The most expensive simulated request, as data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// Subject of the drawing: `banks` or `sectors`.
    pub of: &'static str,
    /// First bank of each lane, or the lane's sector counted from the lowest sector. Null for inactive
    /// lanes.
    pub lanes: Vec<Option<u64>>,
    /// Number of banks that the bytes of one lane span.
    pub width: u32,
    /// Number of distinct words requested per bank, in the group of lanes with the most conflicts. Empty for sectors.
    pub words: Vec<u32>,
    /// The busiest bank; null for sectors.
    pub bank: Option<u32>,
    /// Indices of the lanes that access the busiest bank.
    pub sharing: Vec<usize>,
    /// Number of distinct sectors; 0 for banks. `lines` is the number of distinct cache lines.
    pub sectors: u32,
    pub lines: u32,
    /// Number of bytes that the lanes request. Bytes requested by several lanes count once.
    pub wanted: u32,
    /// Bytes per sector.
    pub sector_bytes: u32,
    pub warp: u32,
    pub block: [u32; 3],
}

impl Picture {
    /// Draws the most expensive request; `None` if no simulated request has known addresses. For a copy
    /// from global to shared memory, `of_destination` selects the shared-memory side.
    pub(crate) fn draw(
        memory: &Memory<'_>,
        inst: u32,
        asked: &MemoryUse,
        of_destination: bool,
    ) -> Option<Self> {
        let arch = &memory.program.arch;
        let worst = asked.worst.as_ref()?;
        let bytes = asked.bytes_per_lane;
        if asked.space == MemorySpace::Shared || of_destination {
            let request = if of_destination { worst.destination.as_ref()? } else { &worst.request };
            let kind = kind(memory.chunk, memory.program, inst);
            let drawn = banks(arch, kind, bytes, request)?;
            return Some(Self::draw_banks(arch, kind, bytes, request, &drawn, worst));
        }
        let mnemonic = memory.chunk.mnemonic(&memory.chunk.instructions()[inst as usize]);
        let sectors = if is_reduction(mnemonic) { global_reduction } else { global };
        Self::draw_sectors(arch, bytes, sectors(arch, bytes, &worst.request)?, worst)
    }

    fn draw_banks(
        arch: &Arch,
        kind: SharedKind,
        bytes: u32,
        request: &Request,
        drawn: &BankPicture,
        worst: &CostliestRequest,
    ) -> Self {
        let count = arch.resources.shared_banks.value as usize;
        let width = usize::from(drawn.banks_per_lane);
        let named = on(request.active).filter(|&lane| kind != SharedKind::Matrix || is_named(lane, bytes));
        let active: Vec<usize> = named.collect();
        let mut rows: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); count];
        for &lane in active.iter().filter(|lane| drawn.group >> **lane & 1 == 1) {
            let first = usize::from(drawn.first_bank[lane]);
            for bank in rows.iter_mut().skip(first).take(width) {
                bank.insert(drawn.row[lane]);
            }
        }
        let mut words: Vec<u32> = rows.iter().map(|rows| rows.len() as u32).collect();
        // If equal words are not merged, the busiest bank serves more requests than it has distinct
        // words.
        if let Some(busiest) = words.get_mut(usize::from(drawn.bank)) {
            *busiest = drawn.words.max(*busiest);
        }
        let mut lanes = vec![None; LANES];
        for lane in active {
            lanes[lane] = Some(u64::from(drawn.first_bank[lane]));
        }
        Self {
            of: "banks",
            lanes,
            width: width as u32,
            words,
            bank: Some(u32::from(drawn.bank)),
            sharing: on(drawn.lanes).collect(),
            sectors: 0,
            lines: 0,
            wanted: wanted(request, bytes),
            sector_bytes: arch.requests.sector_bytes.value,
            warp: worst.warp,
            block: worst.ctaid,
        }
    }

    fn draw_sectors(arch: &Arch, bytes: u32, found: Sectors, worst: &CostliestRequest) -> Option<Self> {
        let request = &worst.request;
        let sector = u64::from(arch.requests.sector_bytes.value);
        let lowest = on(request.active).map(|lane| request.addresses[lane] / sector).min()?;
        let place = |lane: usize| {
            (request.active >> lane & 1 == 1).then(|| request.addresses[lane] / sector - lowest)
        };
        Some(Self {
            of: "sectors",
            lanes: (0..LANES).map(place).collect(),
            width: 1,
            words: Vec::new(),
            bank: None,
            sharing: Vec::new(),
            sectors: found.taken,
            lines: found.lines,
            wanted: wanted(request, bytes),
            sector_bytes: arch.requests.sector_bytes.value,
            warp: worst.warp,
            block: worst.ctaid,
        })
    }

    /// Formats the drawing as text: eight lanes per line, at most twelve lines.
    pub(crate) fn drawn(&self) -> String {
        let largest = self.lanes.iter().flatten().max().copied().unwrap_or(0);
        let digits = largest.checked_ilog10().unwrap_or(0) as usize + 1;
        let mut text = match (self.bank, self.width) {
            (None, _) => {
                format!("lanes  sector of each lane ({} bytes), counted from the lowest\n", self.sector_bytes)
            }
            (Some(_), 1) => "lanes  bank of each lane\n".to_owned(),
            (Some(_), width) => format!("lanes  first of the {width} banks of each lane\n"),
        };
        for first in (0..LANES).step_by(LANES_A_ROW) {
            let _ = write!(text, "{first:>2}-{:<2} ", first + LANES_A_ROW - 1);
            for lane in first..first + LANES_A_ROW {
                let place = self.lanes[lane].map_or_else(|| "-".to_owned(), |place| place.to_string());
                let mark = if self.conflicts() && self.sharing.contains(&lane) { '*' } else { ' ' };
                let _ = write!(text, " {place:>digits$}{mark}");
            }
            let kept = text.trim_end().len();
            text.truncate(kept);
            text.push('\n');
        }
        self.legend(&mut text);
        text
    }

    fn conflicts(&self) -> bool {
        self.words.iter().any(|words| *words > 1)
    }

    fn legend(&self, text: &mut String) {
        let Some(bank) = self.bank else {
            let moved = self.sectors * self.sector_bytes;
            let sectors = counted(self.sectors as usize, "sector");
            let lines = counted(self.lines as usize, "cache line");
            let _ = writeln!(text, "{} of {moved} bytes used: {sectors} in {lines}", self.wanted);
            return;
        };
        let cell = |words: &u32| match words {
            0 => '.',
            1..=9 => char::from_digit(*words, 10).unwrap_or('#'),
            _ => '#',
        };
        if !self.conflicts() {
            text.push_str("no bank conflicts\n");
            return;
        }
        let mut scale = String::new();
        for bank in (0..self.words.len()).step_by(LANES_A_ROW) {
            let _ = write!(scale, "{bank:<8}");
        }
        let _ = writeln!(text, "bank   {}", scale.trim_end());
        let _ = writeln!(text, "words  {}", self.words.iter().map(cell).collect::<String>());
        let most = self.words.iter().max().copied().unwrap_or(0);
        let more = if most > 9 { "; # is 10 or more" } else { "" };
        let _ = writeln!(text, "* share bank {bank}: {most} words, serialized{more}");
    }
}

fn on(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// True if a lane supplies the address of a matrix row. Eight lanes do so per matrix. Each lane
/// receives 4 bytes of each matrix. Source: PTX ISA, `ldmatrix`.
const fn is_named(lane: usize, bytes: u32) -> bool {
    lane < (bytes / 4 * 8) as usize
}

/// Number of distinct bytes that the lanes request. Lanes are assumed to overlap completely or not at
/// all.
fn wanted(request: &Request, bytes: u32) -> u32 {
    let starts: BTreeSet<u64> = on(request.active).map(|lane| request.addresses[lane]).collect();
    starts.len() as u32 * bytes
}
