//! Number of sectors and cache lines that runs of bytes touch.

use machine::units::{LINE_BYTES, SECTOR_BYTES};

/// Size in bytes of a unit of the caches: a line or a sector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span(u64);

impl Span {
    pub(crate) const LINE: Self = Self(LINE_BYTES as u64);
    pub(crate) const SECTOR: Self = Self(SECTOR_BYTES as u64);

    /// Mean number of units that a run of `run` bytes touches, if runs begin at multiples of `step` bytes.
    pub(crate) fn under(self, run: f64, step: u64) -> f64 {
        // The multiples of the step, modulo the unit, are the multiples of this power of two.
        let aligned = 1_u64 << (step | self.0).trailing_zeros();
        (1.0 + (run - aligned as f64) / self.0 as f64).max(1.0)
    }

    /// Mean number of units that `count` runs touch. Each run begins `step` bytes after the previous run.
    /// Short runs share units.
    pub(crate) fn under_runs(self, count: f64, run: f64, step: u64) -> f64 {
        let apart = count * self.under(run, step);
        let together = self.under((count - 1.0) * step as f64 + run, step);
        apart.min(together)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_under_runs_are_those_of_all_places() {
        for (run, step) in [(32, 32), (32, 4), (4, 4), (64, 24), (256, 316), (12, 6), (8, 512), (100, 2)] {
            let places = (0..1024_u64).map(|row| row * step % 128);
            let under = |unit: u64| {
                let mean = places.clone().map(|at| (at + run - 1) / unit - at / unit + 1).sum::<u64>() as f64
                    / 1024.0;
                let found = Span(unit).under(run as f64, step);
                assert!((mean - found).abs() < 0.13 * mean, "{unit} {run} {step}: {mean} {found}");
            };
            under(32);
            under(128);
        }
    }

    #[test]
    fn short_runs_share_units_and_long_ones_do_not() {
        // The mean over all positions, multiples of the step, at which the first run may begin.
        for (unit, count, run, step, mean) in [
            (Span::LINE, 8.0, 4.0, 16, 1.875),
            (Span::LINE, 8.0, 4.0, 256, 8.0),
            (Span::SECTOR, 4.0, 32.0, 32, 4.0),
        ] {
            let found = unit.under_runs(count, run, step);
            assert!((mean - found).abs() < 0.13 * mean, "{unit:?} {count} {run} {step}: {mean} {found}");
        }
    }
}
