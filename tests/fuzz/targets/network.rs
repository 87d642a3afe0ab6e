//! Any bytes as a trained network: read, or refused in one line; a network that is read is written back with the same
//! numbers.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tuner::features::Features;
use tuner::network::Network;
use tuner::{Estimate, ProblemKind};

fuzz_target!(|bytes: &[u8]| {
    let network = match Network::read(bytes) {
        Ok(network) => network,
        Err(error) => {
            let line = error.to_string();
            assert!(!line.contains('\n') && line.len() < 5000, "{line}");
            return;
        }
    };
    assert!(4 * network.weights() <= bytes.len(), "numbers that the file does not have");
    assert_eq!(Network::read(&network.write()).expect("it was written"), network);
    let about = network.about();
    let columns = about.problem.problem_columns().iter().chain(&Estimate::COLUMNS);
    let _ = Features::new(about.problem, &columns.collect::<Vec<_>>(), &about.features);
    assert!(ProblemKind::ALL.contains(&about.problem));
});
