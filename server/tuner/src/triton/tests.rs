//! Estimates of configurations whose order is known.

use super::*;
use crate::Element;
use machine::{Gpu, Machine};

fn gpu(name: &str) -> Gpu {
    Machine::builtin().gpu(name).expect("it is among the parts")
}

fn product(m: u32, n: u32, k: u32) -> Product {
    Product { m, n, k, element: Element::F16, floats: FloatProducts::Tf32 }
}

fn tile(block: [u32; 3], stages: u32, warps: u32) -> Tile {
    let [block_m, block_n, block_k] = block;
    Tile { block_m, block_n, block_k, split_k: 1, group_m: 8, warps, stages }
}

fn of(gpu_name: &str, product: Product, tile: Tile) -> Estimate {
    estimate(&product, &tile, &gpu(gpu_name)).expect("its rates are known").expect("it runs")
}

#[test]
fn needs_are_those_of_the_code_that_triton_makes() {
    // Shared memory as Triton 3.9.0 reports it for the same configurations.
    for (gpu, block, stages, warps, shared) in [
        ("a100", [128, 128, 64], 1, 4, 32768),
        ("a100", [128, 128, 64], 2, 4, 32768),
        ("a100", [128, 128, 64], 4, 4, 98304),
        ("a100", [128, 256, 64], 3, 8, 98304),
        ("a100", [16, 64, 64], 3, 4, 20480),
        ("h100-sxm", [128, 128, 64], 1, 4, 32768),
        ("h100-sxm", [128, 128, 64], 4, 4, 131_072),
        ("h100-sxm", [128, 256, 64], 3, 8, 147_456),
        ("h100-sxm", [32, 64, 32], 4, 4, 18432),
        ("h100-sxm", [128, 64, 32], 3, 2, 24576),
        ("rtx-5090", [64, 64, 32], 3, 4, 16384),
    ] {
        let own = of(gpu, product(4096, 4096, 4096), tile(block, stages, warps));
        assert_eq!(own.needs.shared, shared, "{gpu} {block:?} {stages} {warps}");
    }
    let own = of("h100-sxm", product(4096, 4096, 4096), tile([128, 128, 32], 4, 4));
    assert_eq!((own.unit, own.needs.sums), (Unit::GroupTensor, 128));
    assert_eq!(of("a100", product(64, 64, 64), tile([128, 128, 32], 4, 4)).unit, Unit::Tensor);
}

#[test]
fn what_cannot_run_says_why() {
    let of = |name: &str, tile: Tile| estimate(&product(1024, 1024, 1024), &tile, &gpu(name));
    let refused =
        |name: &str, tile: Tile| of(name, tile).expect("its rates are known").expect_err("it cannot run");
    assert_eq!(
        refused("h100-sxm", tile([256, 16, 128], 4, 4)).to_string(),
        "cannot run: the tiles need 278528 bytes of shared memory; the limit is 232448"
    );
    assert_eq!(
        refused("a100", tile([256, 128, 32], 3, 4)).to_string(),
        "spills: the accumulators alone need 256 registers per thread; the limit is 255"
    );
    assert_eq!(refused("a100", tile([64, 64, 32], 3, 64)), CannotRun::Threads { needed: 2048, most: 1024 });
    assert!(of("t4", tile([64, 64, 32], 3, 4)).expect_err("no tensor cores").to_string().contains("T4"));
    assert!(of("b200", tile([64, 64, 32], 3, 4)).is_err());
    let double = Product { element: Element::F64, ..product(64, 64, 64) };
    assert!(estimate(&double, &tile([64, 64, 32], 3, 4), &gpu("a100")).is_err());
    // Extreme numbers do not panic.
    let huge = Tile { split_k: 0, group_m: 0, ..tile([u32::MAX; 3], u32::MAX, u32::MAX) };
    assert!(estimate(&product(u32::MAX, u32::MAX, u32::MAX), &huge, &gpu("h100-sxm")).is_ok());
    let none = Tile { split_k: 0, group_m: 0, ..tile([0; 3], 0, 0) };
    let _ = estimate(&product(0, 0, 0), &none, &gpu("h100-sxm"));
}

#[test]
fn large_products_want_large_tiles_and_small_ones_many_blocks() {
    for name in ["h100-sxm", "a100"] {
        let cycles =
            |m, n, k, block, stages, warps| of(name, product(m, n, k), tile(block, stages, warps)).cycles;
        assert!(
            cycles(8192, 8192, 8192, [128, 256, 64], 3, 8) < cycles(8192, 8192, 8192, [32, 64, 32], 5, 2)
        );
        assert!(cycles(2560, 16, 2560, [32, 16, 64], 4, 4) < cycles(2560, 16, 2560, [256, 16, 64], 2, 4));
        // With one stage the block waits for each tile.
        assert!(cycles(512, 512, 4096, [64, 64, 32], 4, 4) < cycles(512, 512, 4096, [64, 64, 32], 1, 4));
    }
}

#[test]
fn floats_multiply_as_they_are_asked_to() {
    let cycles = |floats| {
        let product = Product { element: Element::F32, floats, ..product(4096, 4096, 4096) };
        of("a100", product, tile([64, 64, 32], 3, 4)).cycles
    };
    assert!(cycles(FloatProducts::Tf32) < cycles(FloatProducts::Tf32x3));
    assert!(cycles(FloatProducts::Tf32x3) < cycles(FloatProducts::Ieee));
}

#[test]
fn the_time_of_a_large_product_is_near_the_peak() {
    let own = of("h100-sxm", product(8192, 8192, 8192), tile([128, 256, 64], 3, 8));
    let seconds = own.cycles / 1.98e9;
    let rate = 2.0 * 8192_f64.powi(3) / seconds;
    assert!((5e14..1.07e15).contains(&rate), "{rate:e}");
    assert!(own.is_l2_known && (own.waves - 2048.0 / 132.0).abs() < 1e-9, "{}", own.waves);
    assert!(!of("rtx-4090", product(8192, 8192, 8192), tile([128, 128, 32], 3, 8)).is_l2_known);
}
