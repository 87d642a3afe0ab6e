//! Built-in networks, trained on the data files of `lab`.

use super::Network;
use crate::ProblemKind;
use std::sync::LazyLock;

/// The network of a problem for a GPU, by the GPU's id in `machine`.
struct ShippedNetwork {
    gpu: &'static str,
    problem: ProblemKind,
    network: LazyLock<Option<Network>>,
}

macro_rules! shipped {
    ($gpu:literal, $problem:ident, $file:literal) => {
        ShippedNetwork {
            gpu: $gpu,
            problem: ProblemKind::$problem,
            network: LazyLock::new(|| {
                Network::read(include_bytes!(concat!("../../data/", $gpu, "/", $file))).ok()
            }),
        }
    };
}

static SHIPPED: [ShippedNetwork; 2] =
    [shipped!("h100-sxm", Gemm, "gemm.safetensors"), shipped!("h100-sxm", Conv, "conv.safetensors")];

impl Network {
    /// The built-in network for a kind of problem on a GPU, by the GPU's id in `machine`: `h100-sxm`. `None`
    /// if there is no such network.
    pub fn shipped(problem: ProblemKind, gpu: &str) -> Option<&'static Self> {
        let found = SHIPPED.iter().find(|shipped| shipped.problem == problem && shipped.gpu == gpu)?;
        found.network.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Machine;

    #[test]
    fn each_network_matches_its_problem_and_gpu() {
        for shipped in &SHIPPED {
            let about = shipped.network.as_ref().unwrap().about();
            assert_eq!(about.problem, shipped.problem);
            assert_eq!(Machine::builtin().gpu(&about.gpu).unwrap().part.id, shipped.gpu);
            assert!(!about.errors.is_empty(), "its accuracy was measured");
        }
        assert!(Network::shipped(ProblemKind::Gemm, "v100").is_none());
    }
}
