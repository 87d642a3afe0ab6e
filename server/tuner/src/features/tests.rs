use super::*;

const COLUMNS: &[&str] = &[
    ELEMENT_BYTES,
    A_TRANSPOSED,
    B_TRANSPOSED,
    "m",
    "n",
    "k",
    "thread_m",
    "thread_n",
    "block_m",
    "block_n",
    "depth",
    "thread_k",
    "block_k",
    "grid_k",
    "vector_a",
    "vector_b",
    "stages",
];
const ROW: &[f64] =
    &[4.0, 0.0, 1.0, 100.0, 64.0, 256.0, 8.0, 4.0, 64.0, 64.0, 8.0, 1.0, 1.0, 4.0, 4.0, 4.0, 2.0];

fn values(names: &[&str]) -> Vec<f32> {
    let features = Features::new(ProblemKind::Gemm, COLUMNS, names).unwrap();
    let mut values = vec![0.0; names.len()];
    features.evaluate(ROW, &mut values);
    values
}

#[test]
fn quantities_follow_from_the_columns() {
    let names = ["operations", "threads", "blocks", "steps", "filled", "products", "shared_bytes"];
    let expected = [2.0 * 100.0 * 64.0 * 256.0, 128.0, 8.0, 8.0, 0.781_25, 2048.0, 8192.0];
    assert_eq!(values(&names), expected);
    assert_eq!(values(&["ln(m)", "a_transposed", "is_f16"]), [100f32.ln(), 0.0, 0.0]);
    assert_eq!(values(&["ln(a_transposed)"]), [0.5f32.ln()], "zero has a logarithm too");
}

#[test]
fn features_of_the_problem_stand_first_and_are_computed_alone() {
    let choice = Choice { logarithms: true, derived: true };
    let features = Features::usual(ProblemKind::Gemm, COLUMNS, choice).unwrap();
    let mut all = vec![0.0; features.len()];
    features.evaluate(ROW, &mut all);
    let (problem, kernel) = all.split_at(features.of_problem());
    let mut own = vec![0.0; problem.len()];
    features.evaluate_problem(ROW, &mut own);
    assert_eq!(own, problem);
    let mut own = vec![0.0; kernel.len()];
    features.evaluate_kernel(ROW, &mut own);
    assert_eq!(own, kernel);
    assert!(all.iter().all(|value| value.is_finite()));
    assert!(features.names()[..features.of_problem()].contains(&"ln(operations_per_byte)".to_owned()));
    assert!(features.names().contains(&"ln(block_m)".to_owned()));
    assert!(!features.names().contains(&"ln(waves)".to_owned()), "no column has the resident blocks");
    let plain = Choice { logarithms: false, derived: false };
    let features = Features::usual(ProblemKind::Gemm, COLUMNS, plain).unwrap();
    assert!(features.names().iter().all(|name| !name.contains('(')));
    assert_eq!(features.len(), COLUMNS.len() + 3);
}

#[test]
fn a_further_column_brings_its_features() {
    let columns: Vec<&str> = COLUMNS.iter().copied().chain(["resident_blocks", "occupancy"]).collect();
    let features = Features::new(ProblemKind::Gemm, &columns, &["ln(occupancy)", "wave_efficiency"]).unwrap();
    let row: Vec<f64> = ROW.iter().copied().chain([6.0, 0.25]).collect();
    let mut values = vec![0.0; 2];
    features.evaluate(&row, &mut values);
    assert_eq!(values, [0.25f32.ln(), (8.0f32 / 6.0) / 2.0]);
}

#[test]
fn what_cannot_be_computed_is_named() {
    let missing = Features::new(ProblemKind::Gemm, &["m"], &["ln(blocks)"]).unwrap_err();
    assert_eq!(missing, FeatureError::Missing("ln(blocks)".to_owned()));
    let order = Features::new(ProblemKind::Gemm, COLUMNS, &["depth", "m"]).unwrap_err();
    assert_eq!(order, FeatureError::Order("m".to_owned()));
}
