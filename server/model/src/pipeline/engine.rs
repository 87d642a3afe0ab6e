//! The Tensor Memory Accelerator (TMA) of an SM: bulk and tensor copies between global and shared memory.

use super::code::cycles;
use super::memory::MemoryRequest;
use super::shared::Shared;
use crate::execution::Direction;
use machine::Pipeline;

/// A transfer that the TMA unit performs.
#[derive(Debug, Clone)]
pub(super) struct TransferRequest {
    pub direction: Direction,
    /// Shared memory address of the barrier object (`mbarrier`) that counts the bytes; `None` if none does.
    pub barrier: Option<u32>,
    /// Number of bytes that the block receives or sends.
    pub bytes: u32,
    /// Number of rows of the tile; 1 for a contiguous run of bytes.
    pub rows: u32,
    pub is_tile: bool,
    /// Number of blocks that receive the bytes.
    pub receivers: u32,
    /// Address of the tensor's descriptor.
    pub descriptor: u64,
}

/// State of the TMA unit.
#[derive(Debug, Default)]
pub(super) struct Engine {
    /// Cycle in which the engine can start the next transfer.
    free: f64,
    /// Addresses of the descriptors that the engine has already read.
    descriptors: Vec<u64>,
}

impl Shared {
    /// Carries out a transfer that issues in `cycle`. Returns the cycle in which its bytes have arrived.
    pub(super) fn transfer(&mut self, figures: &Pipeline, cycle: u64, request: &MemoryRequest) -> u64 {
        let Some(transfer) = &request.transfer else { return cycle };
        let known = &figures.engine;
        let thousandths = |figure: &machine::Known<u32>| f64::from(figure.value) / 1000.0;
        let extra = cycles(if transfer.is_tile { &known.tile } else { &known.run });
        let mut start = self.engine.free.max(cycle as f64);
        if transfer.is_tile && !self.engine.descriptors.contains(&transfer.descriptor) {
            self.engine.descriptors.push(transfer.descriptor);
            start += cycles(&known.descriptor) as f64;
        }
        let lines = request.lines.len() as f64 / f64::from(transfer.receivers.max(1));
        let row = thousandths(&known.row_milli) * f64::from(transfer.rows);
        let busy = row.max(thousandths(&known.line_milli) * lines);
        self.engine.free = start + busy;
        let apart = busy / lines.max(1.0);
        let mut end = (start + busy) as u64;
        let is_load = transfer.direction == Direction::Load;
        for (number, &line) in request.lines.iter().enumerate() {
            let at = (start + apart * number as f64) as u64;
            let moved = self.memory.as_mut().map_or(at, |memory| memory.transfer(at, line, request));
            if is_load {
                // Lines that the unit writes to shared memory delay no reads (measured: an H200, 2026-11-30, `async/beside`).
                end = end.max(moved);
            } else if transfer.direction != Direction::Prefetch {
                // The line was read before it was sent.
                let wavefront = self.wavefronts.next_free(at);
                self.wavefronts.insert(wavefront);
                self.wavefront_cycles += 1;
                end = end.max(moved.max(wavefront));
            }
        }
        end + extra
    }
}
