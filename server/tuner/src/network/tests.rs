use super::*;
use std::cell::Cell;

const ONE: NonZeroUsize = NonZeroUsize::MIN;
const GO_ON: &dyn Fn() -> bool = &|| false;

/// Numbers between -1 and 1 that look random.
fn noise(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) as f32 / (1u32 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn network(features: usize, hidden: &[usize]) -> Network {
    let mut inputs = features;
    let sizes = hidden.iter().copied().chain([1]);
    let layers = sizes.map(|outputs| {
        let weights = Array2::from_shape_vec((inputs, outputs), noise(inputs * outputs, outputs as u32));
        inputs = outputs;
        Layer { weights: weights.unwrap(), bias: noise(outputs, 7).into() }
    });
    let about = NetworkMetadata {
        problem: ProblemKind::Gemm,
        gpu: "a GPU".to_owned(),
        features: (0..features).map(|index| format!("ln(f{index})")).collect(),
        hidden: hidden.to_vec(),
        samples: 1000,
        date: "2026-11-27".to_owned(),
        errors: vec![MeanSquareError { held_out: "random".to_owned(), samples: 100, value: 0.0625 }],
    };
    let scaling = Scaling {
        mean: noise(features, 3),
        scale: noise(features, 4).iter().map(|x| x.abs() + 0.5).collect(),
    };
    Network::new(about, scaling, layers.collect()).unwrap()
}

/// Algorithm 1, step by step.
fn forward(network: &Network, features: &[f32]) -> f64 {
    let Scaling { mean, scale } = &network.scaling;
    let mut a: Vec<f64> = features
        .iter()
        .zip(mean.iter().zip(scale))
        .map(|(x, (mean, scale))| f64::from((x - mean) / scale))
        .collect();
    for (index, layer) in network.layers.iter().enumerate() {
        let z = layer.weights.columns().into_iter().zip(&layer.bias).map(|(weights, bias)| {
            weights.iter().zip(&a).map(|(w, a)| f64::from(*w) * a).sum::<f64>() + f64::from(*bias)
        });
        let is_last = index + 1 == network.layers.len();
        a = z.map(|z| if is_last { z } else { z.max(0.0) }).collect();
    }
    a[0]
}

#[test]
fn predictions_are_those_of_the_algorithm() {
    for hidden in [&[][..], &[5], &[8, 16, 4]] {
        let network = network(6, hidden);
        let rows = noise(6 * 300, 11);
        let predicted = network.predict(&rows, NonZeroUsize::new(3).unwrap(), GO_ON).unwrap();
        assert_eq!(predicted.len(), 300);
        for (row, predicted) in rows.chunks(6).zip(&predicted) {
            let expected = forward(&network, row);
            assert!((f64::from(*predicted) - expected).abs() < 1e-4, "{hidden:?}: {predicted} {expected}");
        }
    }
}

#[test]
fn shared_features_are_as_good_as_repeated_ones() {
    let network = network(7, &[16, 8]);
    let (shared, own) = (noise(3, 21), noise(4 * 200, 22));
    let query = network.for_problem(&shared).unwrap();
    assert_eq!(query.features(), 4);
    let fill = |row: usize, features: &mut [f32]| features.copy_from_slice(&own[4 * row..][..4]);
    let predicted = query.predict(200, &fill, ONE, GO_ON).unwrap();
    let whole: Vec<f32> = own.chunks(4).flat_map(|own| shared.iter().chain(own)).copied().collect();
    let expected = network.predict(&whole, ONE, GO_ON).unwrap();
    for (predicted, expected) in predicted.iter().zip(&expected) {
        assert!((predicted - expected).abs() < 1e-4);
    }
    assert!(network.for_problem(&noise(8, 1)).is_err());
}

#[test]
fn no_rows_have_no_predictions() {
    assert_eq!(network(3, &[4]).predict(&[], ONE, GO_ON), Some(Vec::new()));
}

#[test]
fn a_query_stops_between_batches() {
    let network = network(3, &[4]);
    let asked = Cell::new(0);
    let cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    assert_eq!(network.predict(&noise(3 * 1000, 1), ONE, &cancelled), None);
    assert_eq!(asked.get(), 3);
}

#[test]
fn a_file_holds_all_of_a_network() {
    let network = network(5, &[8, 4]);
    let bytes = network.write();
    assert_eq!(Network::read(&bytes).unwrap(), network);
    assert_eq!(Network::read(&bytes).unwrap().write(), bytes);
}

#[test]
fn a_torn_or_changed_file_is_an_error_and_no_panic() {
    let bytes = network(2, &[3]).write();
    for length in 0..bytes.len() {
        assert!(Network::read(&bytes[..length]).is_err(), "{length} bytes");
    }
    for index in 0..bytes.len() {
        for value in [0, 0xff, b'9', b'"', b','] {
            let mut changed = bytes.clone();
            changed[index] = value;
            if let Ok(network) = Network::read(&changed) {
                let rows = vec![0.5; 2 * network.about().features.len()];
                assert_eq!(network.predict(&rows, ONE, GO_ON).unwrap().len(), 2);
            }
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let good = network(4, &[3, 2]);
    let mut about = good.about.clone();
    about.hidden = vec![3, 5];
    let error = Network::new(about, good.scaling.clone(), good.layers.clone()).unwrap_err();
    assert_eq!(error.to_string(), "tensor `weights.1` has shape [3, 2]; expected shape [3, 5]");
    let mut layers = good.layers.clone();
    layers[0].bias[0] = f32::NAN;
    assert!(Network::new(good.about.clone(), good.scaling.clone(), layers).is_err());
    let mut scaling = good.scaling.clone();
    scaling.scale[0] = 0.0;
    assert!(Network::new(good.about.clone(), scaling, good.layers.clone()).is_err());
}
