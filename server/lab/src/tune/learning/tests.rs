use super::gradients::Variables;
use super::synthetic::{header, samples, text};
use super::{dataset, training};
use crate::tune::*;
use candle_core::{Device, Tensor};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::cell::Cell;
use std::io::Write;
use std::num::NonZeroUsize;
use tuner::network::Network;
use tuner::{Element, ProblemKind};

const EXPECTED: ExpectedHeader<'_> = ExpectedHeader { problem: ProblemKind::Gemm, gpu: None };
const GO_ON: &dyn Fn() -> bool = &|| false;

fn small(threads: usize) -> TrainOptions {
    let threads = NonZeroUsize::new(threads).unwrap();
    TrainOptions {
        hidden: vec![16, 16],
        epochs: 6,
        batch: 256,
        learning_rate: 1e-2,
        held_out: vec![HeldOut::Random],
        ..TrainOptions::new(threads, "2026-11-27")
    }
}

fn read(text: &str) -> Result<Samples, SamplesError> {
    Samples::read("h100/gemm.csv", text.as_bytes(), &EXPECTED)
}

#[test]
fn a_data_file_is_read_as_it_was_written() {
    let text = text(50, 5, 1);
    let plain = Samples::read("gemm.csv", &text, &EXPECTED).unwrap();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&text).unwrap();
    let gzip = Samples::read("gemm.csv.gz", &gzip.finish().unwrap(), &EXPECTED).unwrap();
    assert_eq!((plain.len(), plain.gpu(), plain.notice()), (50, "Imaginary 100", None));
    assert_eq!(plain.provenance()["clock"], "1500 MHz, locked");
    assert_eq!(plain.columns()[..5], ["element_bytes", "a_transposed", "b_transposed", "m", "n"]);
    for row in 0..50 {
        assert_eq!(plain.row(row), gzip.row(row));
        let [m, n, k] = [3, 4, 5].map(|column| plain.row(row)[column]);
        let throughput = 2.0 * m * n * k / (plain.microseconds(row) * 1e-6);
        assert!((plain.throughput(row) / throughput - 1.0).abs() < 1e-9);
    }
    let shapes = plain.shapes();
    assert!(shapes.len() <= 5 && shapes.iter().map(Vec::len).sum::<usize>() == 50);
}

#[test]
fn files_of_one_gpu_are_joined() {
    let [mut all, other] = [1, 2].map(|seed| samples(60, 5, seed));
    let shapes = all.shapes().len() + other.shapes().len();
    all.append(&other).unwrap();
    assert_eq!((all.len(), all.shapes().len()), (120, shapes));
    assert_eq!(all.row(119), other.row(59));
    assert_eq!(all.throughput(60).to_bits(), other.throughput(0).to_bits());
    let text = String::from_utf8(text(3, 3, 1)).unwrap();
    let elsewhere = read(&text.replace("Imaginary 100", "Imaginary 200")).unwrap();
    let refused = all.append(&elsewhere).unwrap_err().to_string();
    assert_eq!(refused, "samples of GPU `Imaginary 200`; expected `Imaginary 100`");
    let mut more = samples(3, 3, 1);
    more.add_column("occupancy", &[0.5; 3]);
    assert!(all.append(&more).unwrap_err().to_string().starts_with("the columns differ; expected `m,n,k,"));
    assert_eq!(all.len(), 120);
}

#[test]
fn a_convolution_has_the_columns_that_its_file_names() {
    let columns = Header::required_columns(ProblemKind::Conv);
    let sizes = "8,56,56,256,128,3,3,1,1,56,56";
    let text = format!(
        "# gpu = H100\n# problem = conv\nelement,layout,{},microseconds\nf16,nchw,{sizes}{},12.5\n",
        columns.join(","),
        ",1".repeat(columns.len() - 11),
    );
    let expected = ExpectedHeader { problem: ProblemKind::Conv, gpu: Some("H100") };
    let mut samples = Samples::read("conv.csv", text.as_bytes(), &expected).unwrap();
    let operations = 2.0 * 8.0 * 56.0 * 56.0 * 256.0 * 128.0 * 9.0;
    assert!((samples.throughput(0) / (operations / 12.5e-6) - 1.0).abs() < 1e-6);
    samples.add_column("occupancy", &[0.5]);
    assert_eq!(samples.columns().last().unwrap(), "occupancy");
    assert_eq!(samples.row(0).last(), Some(&0.5));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line() {
    let columns = "element,layout,m,n,k,thread_m,thread_n,block_m,block_n,depth,thread_k,block_k,grid_k,\
                   vector_a,vector_b,stages,microseconds\n";
    let top = format!("# gpu = H100\n# problem = gemm\n{columns}");
    let row = "f32,nt,64,64,64,8,8,64,64,8,1,1,1,4,4,2,12.5\n";
    assert_eq!(read(&format!("{top}{row}")).unwrap().len(), 1);
    let cases = [
        (String::new(), "1: expected a line with the names of columns"),
        (format!("# gpu = H100\n{columns}"), "2: `# problem = ...` is missing before the columns"),
        (top.replace("gemm", "conv"), "3: samples of problem `conv`; expected gemm"),
        (top.replace("depth,", ""), "3: column `depth` is missing"),
        (
            top.replace("depth", "m"),
            "3: column `m` is repeated, or its name has characters other than a-z, 0-9 and _",
        ),
        (format!("{top}{row}f32,nt\n"), "5: 2 fields; expected 17"),
        (
            format!("{top}{}", row.replace("12.5", "-1")),
            "4: column `microseconds` has `-1`; expected a time greater than 0",
        ),
        (
            format!("{top}{}", row.replace("12.5", "NaN")),
            "4: column `microseconds` has `NaN`; expected a time greater than 0",
        ),
        (
            format!("{top}{}", row.replace("f32", "f8")),
            "4: column `element` has `f8`; expected f16, f32 or f64",
        ),
        (
            format!("{top}{}", row.replace("nt", "xx")),
            "4: column `layout` has `xx`; expected nn, nt, tn or tt",
        ),
        (
            format!("{top}{}", row.replace("nt,64", "nt,6.4")),
            "4: column `m` has `6.4`; expected a whole number",
        ),
        (
            format!("{top}{}", row.replace("nt,64", "nt,0")),
            "4: column `m` has `0`; expected a whole number greater than 0",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(&text).unwrap_err().to_string(), format!("h100/gemm.csv:{expected}"), "{text}");
    }
    let other = ExpectedHeader { gpu: Some("A100"), ..EXPECTED };
    let error = Samples::read("x.csv", format!("{top}{row}").as_bytes(), &other).unwrap_err();
    assert_eq!(error.to_string(), "x.csv:3: samples of GPU `H100`; expected `A100`");
    assert!(Samples::read("x.csv", &[0x1f, 0x8b, 8, 0], &EXPECTED).is_err());
    assert!(Samples::read("x.csv", &[b'#', 0xff, b'\n'], &EXPECTED).is_err());
}

#[test]
fn a_recording_continues_after_the_last_complete_row() {
    let text = text(20, 3, 2);
    let whole = Samples::read("gemm.csv", &text, &EXPECTED).unwrap();
    for length in 0..text.len() {
        let resumed = Recording::resume("gemm.csv", &text[..length], &header()).unwrap();
        let keep = resumed.keep as usize;
        assert_eq!(resumed.notice.is_some(), keep < length, "{length}");
        assert!(keep == 0 || text[keep - 1] == b'\n');
        let Some(samples) = resumed.samples else { continue };
        let mut bytes = text[..keep].to_vec();
        let mut recording = Recording::proceed(&mut bytes, &header());
        let values: Vec<u32> =
            whole.row(samples.len().min(19))[3..].iter().map(|value| *value as u32).collect();
        recording.append(Element::F32, "nt", &values, 10.0).unwrap();
        assert!(recording.append(Element::F32, "nt", &values[1..], 10.0).is_err());
        assert_eq!(Samples::read("gemm.csv", &bytes, &EXPECTED).unwrap().len(), samples.len() + 1);
    }
    let other = Header { gpu: "another".to_owned(), ..header() };
    assert!(Recording::resume("gemm.csv", &text, &other).is_err());
    let mut other = header();
    other.columns.push("clusters".to_owned());
    let error = Recording::resume("gemm.csv", &text, &other).unwrap_err();
    assert!(matches!(error.problem, Defect::OtherColumns { .. }), "{error}");
}

#[test]
fn a_small_network_learns_and_its_file_predicts_the_same() {
    let samples = samples(3000, 60, 3);
    let mut epochs = Vec::new();
    let mut note = |progress: &Progress| epochs.push(progress.clone());
    let trained = train(&samples, &TrainOptions { epochs: 10, ..small(2) }, &mut note, GO_ON).unwrap();
    assert_eq!(epochs.len(), 10);
    assert!(epochs[9].validation_error < 0.5 * epochs[0].validation_error, "{epochs:#?}");
    let network = Network::read(&trained.weights).unwrap();
    assert_eq!(network.about().features, trained.report.features);
    let [error] = &network.about().errors[..] else { panic!("{:?}", network.about()) };
    assert_eq!((error.held_out.as_str(), error.samples), ("random", 300));
    assert!(error.value < 0.5, "{error:?}");
}

#[test]
fn the_result_depends_on_the_seed_and_not_on_the_threads() {
    let samples = samples(600, 20, 4);
    let weights = |options: &TrainOptions| train(&samples, options, &mut |_| {}, GO_ON).unwrap().weights;
    let options = TrainOptions { epochs: 2, ..small(1) };
    let one = weights(&options);
    assert_eq!(one, weights(&TrainOptions { threads: NonZeroUsize::new(3).unwrap(), ..options.clone() }));
    assert_ne!(one, weights(&TrainOptions { seed: 2, ..options }));
}

#[test]
fn shapes_are_held_out_as_a_whole() {
    let samples = samples(500, 25, 5);
    let split = dataset::Split::new(&samples, HeldOut::Shapes, 1);
    let problem =
        |row: &usize| samples.row(*row)[..6].iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let trained: Vec<_> = split.training.iter().map(problem).collect();
    assert!(split.test.len() >= 50 && split.validation.len() >= 50);
    assert!(split.test.iter().chain(&split.validation).all(|row| !trained.contains(&problem(row))));
    let mut all = [split.training, split.validation, split.test].concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..500));
}

#[test]
fn a_training_is_cancelled_between_steps() {
    let samples = samples(600, 20, 6);
    let steps = Cell::new(0);
    let cancelled = || {
        steps.set(steps.get() + 1);
        steps.get() > 3
    };
    let result = train(&samples, &small(2), &mut |_| {}, &cancelled);
    assert!(matches!(result, Err(TrainError::Cancelled)));
}

#[test]
fn too_little_to_train_on_is_said() {
    let error = train(&samples(20, 5, 7), &small(1), &mut |_| {}, GO_ON).unwrap_err();
    assert_eq!(error.to_string(), "20 samples; expected at least 100");
    let shapes = TrainOptions { held_out: vec![HeldOut::Shapes], ..small(1) };
    let error = train(&samples(200, 1, 7), &shapes, &mut |_| {}, GO_ON).unwrap_err();
    assert_eq!(error.to_string(), "samples of 1 problems; expected at least 3, to hold out whole problems");
    let options = TrainOptions { batch: 0, ..small(1) };
    let error = train(&samples(200, 5, 7), &options, &mut |_| {}, GO_ON).unwrap_err();
    assert_eq!(error.to_string(), "option `batch` is 0; expected at least 1");
}

#[test]
fn inference_equals_the_forward_pass_of_candle() {
    let samples = samples(400, 20, 8);
    let options = small(1);
    let data = dataset::Dataset::new(&samples, options.features).unwrap();
    let rows: Vec<usize> = (0..400).collect();
    let scaling = data.scaling(&rows);
    let variables = Variables::start(data.features.len(), &[32, 64, 32], 9).unwrap();
    let standardised = training::standardised(&data, &scaling, 25.0, 2.0);
    let inputs = Tensor::from_vec(standardised.inputs, (400, data.features.len()), &Device::Cpu).unwrap();
    let expected = variables.forward(&inputs).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
    let about = training::about(&samples, &data, &TrainOptions { hidden: vec![32, 64, 32], ..options }, 400);
    let network = training::network(&variables, about, scaling, (25.0, 2.0)).unwrap();
    let predicted = network.predict(&data.inputs, NonZeroUsize::MIN, GO_ON).unwrap();
    for (predicted, expected) in predicted.iter().zip(&expected) {
        let expected = 25.0 + 2.0 * expected;
        assert!((predicted - expected).abs() < 1e-4 * expected.abs(), "{predicted} {expected}");
    }
}

#[test]
fn tables_have_a_row_for_each_network_and_number_of_samples() {
    let samples = samples(400, 20, 10);
    let rows = TableOptions {
        hidden: vec![vec![4], vec![8, 4]],
        without_logarithms: 1,
        samples: vec![100, 200, 1_000],
    };
    let options = TrainOptions { epochs: 2, ..small(1) };
    let mut found = Vec::new();
    let held_out = tables(&samples, &options, &rows, &mut |row| found.push(row), &mut |_| {}, GO_ON).unwrap();
    assert_eq!(held_out, 40);
    // The GPU is unknown, so there are no figures for sampling and for the static model.
    let [TableRow::Network(narrow), TableRow::Network(deep), TableRow::Samples(few), TableRow::Samples(more)] =
        &found[..]
    else {
        panic!("{found:?}")
    };
    assert!(narrow.without_logarithms.is_some() && deep.without_logarithms.is_none());
    assert_eq!((few.samples, more.samples), (100, 200));
    assert_eq!(few.with_static_figures, None);
    let texts = found.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(texts[1].starts_with("| 8, 4 | ") && texts[1].ends_with(" (-) |\n"), "{texts:?}");
    assert!(texts[3].starts_with("| 200 | "), "{texts:?}");
}

proptest::proptest! {
    /// A data file with replaced bytes, cut anywhere, gives rows or one line with an error.
    #[test]
    fn a_broken_file_is_read_or_refused_in_a_line(
        edits in proptest::collection::vec((0..1500_usize, proptest::prelude::any::<u8>()), 0..6),
        cut in 0..1500_usize,
    ) {
        let mut bytes = text(20, 4, 3);
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(cut.max(1));
        let expected = ExpectedHeader { problem: ProblemKind::Gemm, gpu: None };
        match Samples::read("a.csv", &bytes, &expected) {
            Ok(samples) => {
                for row in 0..samples.len() {
                    assert!(samples.throughput(row) > 0.0 && samples.row(row).len() == samples.columns().len());
                }
            }
            Err(error) => {
                let line = error.to_string();
                assert!(line.starts_with("a.csv:") && !line.contains('\n'), "{line}");
            }
        }
    }
}

/// Prints the speed and the error of training and inference on as many samples as in the paper.
#[test]
#[ignore = "minutes: cargo test --release -p lab measure -- --ignored --nocapture"]
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "the test is of time, for people")]
fn measure_training_and_inference() {
    let number = |name: &str, usual: usize| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let threads = std::thread::available_parallelism().unwrap();
    let samples = samples(number("SAMPLES", 170_000), 3000, 1);
    for hidden in [&[32, 64, 32][..], &[64, 128, 192, 256, 192, 128, 64]] {
        let options = TrainOptions {
            hidden: hidden.to_vec(),
            epochs: number("EPOCHS", 32),
            batch: number("BATCH", 2048),
            learning_rate: number("RATE", 40) as f64 * 1e-4,
            held_out: [HeldOut::Random, HeldOut::Shapes][..number("CHECKS", 1)].to_vec(),
            ..TrainOptions::new(threads, "2026-11-27")
        };
        let start = std::time::Instant::now();
        let mut tell = |progress: &Progress| {
            let Progress { epoch, training_error, validation_error, .. } = progress;
            println!("{epoch} {training_error:.4} {validation_error:.4} {:.1?}", start.elapsed());
        };
        let trained = train(&samples, &options, &mut tell, GO_ON).unwrap();
        println!("{:?}: {:?} in {:.1?}", hidden, trained.report.errors, start.elapsed());
        let network = Network::read(&trained.weights).unwrap();
        let data = dataset::Dataset::new(&samples, options.features).unwrap();
        let shared = data.features.of_problem();
        let query = network.for_problem(&data.input(0)[..shared]).unwrap();
        let count = 1_000_000;
        let rows = samples.len();
        let copy = |row: usize, values: &mut [f32]| values.copy_from_slice(&data.input(row % rows)[shared..]);
        let compute = |row: usize, values: &mut [f32]| {
            data.features.evaluate_kernel(samples.row(row % rows), values);
        };
        for (what, fill) in [("given", &copy as &(dyn Fn(usize, &mut [f32]) + Sync)), ("computed", &compute)]
        {
            let start = std::time::Instant::now();
            query.predict(count, fill, threads, GO_ON).unwrap();
            let rate = count as f64 / start.elapsed().as_secs_f64();
            println!("{hidden:?}, features {what}: {rate:.0} rows/s on {threads} threads");
        }
    }
}

#[test]
fn the_static_model_adds_its_figures_to_each_row_of_a_known_gpu() {
    let columns = Header::required_columns(ProblemKind::Gemm).join(",");
    let text = format!(
        "# gpu = H100\n# problem = gemm\nelement,layout,{columns},microseconds\n\
         f32,nt,64,64,64,8,8,64,64,8,1,1,1,4,4,2,12.5\nf16,tn,96,64,900,4,2,32,32,16,1,2,4,2,2,2,9.5\n"
    );
    let mut known = read(&text).unwrap();
    let gpu = Machine::builtin().gpu("h100-sxm").unwrap();
    assert!(known.add_static_figures(&gpu));
    assert_eq!(known.columns()[known.columns().len() - 3..], Estimate::COLUMNS);
    assert!((0..2).all(|row| *known.row(row).last().unwrap() > 1000.0));
}
