//! Assembles the kernels of many tilings with ptxas, on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use toolchain::{Assembler, Assembly, Consent, Limits, WorkingFolder};

/// Limits on a ptxas run. Most kernels take a tenth of a second. The largest kernels take ten seconds.
const ASSEMBLING: Limits =
    Limits { time: Duration::from_mins(1), output_bytes: 64 << 20, memory_bytes: None };

/// A kernel to be assembled.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// File name of the kernel's cubin.
    pub(super) file: String,
    pub(super) ptx: String,
}

/// Assembles all sources into the build folder, for an architecture number such as 90. Returns true for each source
/// that succeeded.
pub(super) fn assemble(
    consent: Consent,
    assembler: &Assembler,
    place: &WorkingFolder,
    sm: u16,
    sources: &[Source],
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<bool> {
    let architecture = format!("sm_{sm}");
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![false; sources.len()]));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(at) else { return };
            let assembly =
                Assembly { text: &source.ptx, architecture: Some(&architecture), ..Assembly::default() };
            let assembled = assembler.assemble(consent, assembly, ASSEMBLING, &|| cancelled());
            let cubin = assembled.ok().and_then(|assembled| assembled.cubin);
            let is_there = cubin.is_some_and(|cubin| place.write(&source.file, &cubin).is_ok());
            // A poisoned lock would mean that a thread has panicked. The panic ends the scope anyway.
            if let Ok(mut done) = done.lock() {
                done[at] = is_there;
            }
        }
    };
    // One core is left for the program that measures the previous batch.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores.saturating_sub(1).max(1) {
            scope.spawn(work);
        }
    });
    done.into_inner().unwrap_or_default()
}
