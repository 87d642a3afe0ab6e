//! Samples of an imaginary GPU: an analytic model of matrix multiplication, with 3 % noise.

use crate::tune::{ExpectedHeader, Header, Recording, Samples};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rand_distr::StandardNormal;
use tuner::{Element, ProblemKind};

// Source: made up, like the GPU.
const SMS: f64 = 100.0;
// Source: made up.
const CLOCK_MHZ: f64 = 1500.0;
// Source: made up.
const BYTES_PER_MICROSECOND: f64 = 2e6;

pub(super) fn header() -> Header {
    Header {
        gpu: "Imaginary 100".to_owned(),
        problem: ProblemKind::Gemm,
        driver: "1.0".to_owned(),
        date: "2026-11-27".to_owned(),
        program: "a test".to_owned(),
        clock: "1500 MHz, locked".to_owned(),
        columns: Header::required_columns(ProblemKind::Gemm).iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// The text of a data file with `rows` rows for `shapes` problems.
pub(super) fn text(rows: usize, shapes: usize, seed: u64) -> Vec<u8> {
    let mut random = StdRng::seed_from_u64(seed);
    let shapes: Vec<_> = (0..shapes).map(|_| shape(&mut random)).collect();
    let mut bytes = Vec::new();
    let mut recording = Recording::start(&mut bytes, &header()).unwrap();
    for _ in 0..rows {
        let (element, layout, sizes) = shapes[random.random_range(0..shapes.len())];
        let tiling = tiling(&mut random);
        let time = microseconds(element, layout, sizes, tiling)
            * (1.0 + 0.03 * random.sample::<f64, _>(StandardNormal));
        recording.append(element, layout, &[&sizes[..], &tiling].concat(), time).unwrap();
    }
    bytes
}

pub(super) fn samples(rows: usize, shapes: usize, seed: u64) -> Samples {
    let expected = ExpectedHeader { problem: ProblemKind::Gemm, gpu: Some("Imaginary 100") };
    Samples::read("synthetic.csv", &text(rows, shapes, seed), &expected).unwrap()
}

fn shape(random: &mut StdRng) -> (Element, &'static str, [u32; 3]) {
    let mut size = |least: f64, most: f64| (least * (most / least).powf(random.random::<f64>())) as u32;
    let sizes = [size(16.0, 8192.0), size(16.0, 8192.0), size(16.0, 65536.0)];
    (Element::ALL[random.random_range(0..3)], ["nn", "nt", "tn", "tt"][random.random_range(0..4)], sizes)
}

/// A random tiling with 32 to 1024 threads.
fn tiling(random: &mut StdRng) -> [u32; 11] {
    loop {
        let mut power = |least: u32, most: u32| 1 << random.random_range(least..=most);
        let (thread_m, thread_n, block_m, block_n) = (power(0, 4), power(0, 4), power(4, 8), power(4, 8));
        let (depth, thread_k, block_k, grid_k) = (power(2, 5), power(0, 2), power(0, 3), power(0, 6));
        let (vector_a, vector_b, stages) = (power(0, 2), power(0, 2), random.random_range(1..=4));
        let threads = block_m / thread_m * (block_n / thread_n) * block_k;
        let shared = (block_m + block_n) * depth * stages * 8;
        if (32..=1024).contains(&threads) && shared <= 200 << 10 {
            return [
                thread_m, thread_n, block_m, block_n, depth, thread_k, block_k, grid_k, vector_a, vector_b,
                stages,
            ];
        }
    }
}

/// Execution time in microseconds by equations (2) and (3) of the paper, for blocks that run in waves on the
/// imaginary GPU.
fn microseconds(element: Element, layout: &str, sizes: [u32; 3], tiling: [u32; 11]) -> f64 {
    let [m, n, k] = sizes.map(f64::from);
    let [tm, tn, bm, bn, depth, tk, bk, gk, va, vb, stages] = tiling.map(f64::from);
    let bytes = f64::from(element.bytes());
    let threads = bm / tm * (bn / tn) * bk;
    let blocks = (m / bm).ceil() * (n / bn).ceil() * gk;
    let steps = ((k / gk).ceil() / depth).ceil();
    let registers = 24.0 + (tm * tn * tk + (tm + tn) * tk) * (bytes / 4.0).max(0.5);
    let shared = (bm + bn) * depth * stages * bytes;
    let resident =
        (228.0 * 1024.0 / shared).min(65536.0 / (registers.min(255.0) * threads)).min(2048.0 / threads);
    let resident = resident.floor().clamp(1.0, 32.0);
    let on_sm = resident.min((blocks / SMS).ceil());
    let warps = on_sm * threads / 32.0;
    let spill = if registers > 255.0 { 4.0 } else { 1.0 };
    let rate = match element {
        Element::F16 => 256.0,
        Element::F32 => 128.0,
        Element::F64 => 64.0,
    };
    // Cycles per depth step of the blocks on an SM.
    let products = bm * bn * depth * on_sm;
    let arithmetic =
        products / rate * (1.0 + 1.0 / tm + 1.0 / tn) * (1.0 + 8.0 / (warps * tk.sqrt())) * spill;
    let stride =
        if layout.starts_with('t') { 1.5 } else { 1.0 } * if layout.ends_with('t') { 0.8 } else { 1.1 };
    let requests = (bm / va + bn / vb) * depth * on_sm / 32.0 * stride;
    let moved = (bm + bn) * depth * bytes * on_sm;
    let memory = (moved / (BYTES_PER_MICROSECOND / CLOCK_MHZ / SMS)).max(4.0 * requests);
    let latency = 600.0 / stages;
    let step = arithmetic.max(memory) + latency / warps.sqrt();
    let waves = (blocks / (resident * SMS)).ceil();
    let sums = m * n * bytes * if gk > 1.0 { 2.0 * gk } else { 1.0 } / BYTES_PER_MICROSECOND;
    let reduction = if bk > 1.0 { 40.0 * bk.log2() } else { 0.0 };
    2.5 + waves * (steps * step + 800.0 + reduction) / CLOCK_MHZ + sums
}
