//! What stands over a kernel's instructions: its name, its resources, its time and what bounds it.

use super::super::output::{counted, grouped, printable};
use super::super::palette::{DIM, STRONG, bottleneck};
use ide::names::demangle;
use ide::report::{BottleneckReport, KernelReport, OccupancyReport, Report, Resources};
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, report: &Report, kernel: &KernelReport) -> io::Result<()> {
    let name = printable(&kernel.name);
    match demangle(&kernel.name) {
        Some(demangled) => {
            writeln!(out, "{STRONG}{}{STRONG:#}  {DIM}{name}{DIM:#}", printable(&demangled))?;
        }
        None => writeln!(out, "{STRONG}{name}{STRONG:#}")?,
    }
    fact(
        out,
        "target",
        &format!("{}, timed for {} by the {} model", kernel.arch, printable(&report.gpu), report.model),
    )?;
    fact(out, "launch", &launch(kernel))?;
    fact(out, "resources", &resources(&kernel.resources))?;
    fact(out, "occupancy", &occupancy(&kernel.occupancy))?;
    fact(out, "cycles", &cycles(kernel))?;
    bottlenecks(out, &kernel.bottlenecks)
}

fn fact(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "  {DIM}{label:<11}{DIM:#} {text}")
}

fn launch(kernel: &KernelReport) -> String {
    let Resources { grid, block, launch_assumed, .. } = &kernel.resources;
    let name = kernel.launch.as_deref().map(|name| format!("{}: ", printable(name))).unwrap_or_default();
    let assumed = if *launch_assumed { " (assumed)" } else { "" };
    format!("{name}grid {}, block {}{assumed}", extent(*grid), extent(*block))
}

fn extent([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}

fn resources(resources: &Resources) -> String {
    format!(
        "{} a thread ({}), {} bytes of shared memory a block ({})",
        counted(resources.registers as usize, "register"),
        resources.registers_source,
        grouped(u64::from(resources.shared)),
        resources.shared_source
    )
}

fn occupancy(occupancy: &OccupancyReport) -> String {
    format!(
        "{:.1} %: {} of {} warps an SM, {}; limited by {}",
        occupancy.fraction * 100.0,
        occupancy.active_warps,
        occupancy.max_warps,
        counted(occupancy.active_blocks as usize, "block"),
        printable(&occupancy.limiter)
    )
}

fn cycles(kernel: &KernelReport) -> String {
    let launch = if kernel.resources.launch_assumed { "the assumed launch" } else { "the launch" };
    let cycles = match kernel.cycles {
        Some(cycles) => format!("{} for {launch}", grouped(cycles.round().max(0.0) as u64)),
        None => "unknown".to_owned(),
    };
    let efficiency = kernel.sp_efficiency.map(|share| format!(", SP efficiency {:.1} %", share * 100.0));
    let ipc = kernel.ipc.map(|ipc| format!(", IPC {ipc:.2}"));
    cycles + &efficiency.unwrap_or_default() + &ipc.unwrap_or_default()
}

fn bottlenecks(out: &mut dyn Write, shares: &BottleneckReport) -> io::Result<()> {
    let rows = [
        ("ilp", shares.ilp, "parallelism within a warp left unused"),
        ("comp", shares.comp, "arithmetic units left idle"),
        ("mem", shares.mem, "memory width left unused"),
        ("pipe", shares.pipe, "latency not covered"),
    ];
    for (index, (name, share, meaning)) in rows.into_iter().enumerate() {
        let label = if index == 0 { "bottlenecks" } else { "" };
        write!(out, "  {DIM}{label:<11}{DIM:#} {name:<4} ")?;
        match share.filter(|share| share.is_finite()) {
            Some(share) => {
                let style = bottleneck(share);
                let (full, rest) = bar(share);
                write!(out, "{style}{full}{style:#}{DIM}{rest}{DIM:#} {share:.2}")?;
            }
            None => write!(out, "{DIM}{}{DIM:#}    ?", "·".repeat(BAR_CELLS))?,
        }
        writeln!(out, "  {DIM}{meaning}{DIM:#}")?;
    }
    Ok(())
}

const BAR_CELLS: usize = 10;

/// The filled part, in eighths of a cell, and the rest of a bar for a share from 0 to 1.
fn bar(share: f64) -> (String, String) {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (BAR_CELLS * 8) as f64).round() as usize;
    let full = "█".repeat(eighths / 8) + PARTS[eighths % 8];
    let used = eighths.div_ceil(8);
    (full, "·".repeat(BAR_CELLS - used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_equally_long() {
        for (share, expected) in
            [(0.0, ""), (0.5, "█████"), (0.31, "███▏"), (1.0, "██████████"), (7.0, "██████████")]
        {
            let (full, rest) = bar(share);
            assert_eq!(full, expected);
            assert_eq!(full.chars().count() + rest.chars().count(), BAR_CELLS);
        }
    }
}
