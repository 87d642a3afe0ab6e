//! The problems that tuned kernels are judged by: Tables 4 and 5 of the paper.

use serde::Deserialize;
use tuner::features::ELEMENT_BYTES;
use tuner::{Conv, Element, Gemm, Problem};

const TASKS: &str = include_str!("../../data/tune-tasks.toml");

/// The sizes of a convolution in the order of the file, by the names of columns.
const CONV_SIZES: [&str; 9] = ["n", "c", "h", "w", "k", "r", "s", "padding", "stride"];

/// A problem and the field that it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Task<P> {
    pub name: String,
    pub problem: P,
}

#[derive(Deserialize)]
struct Tasks {
    gemm: Vec<Group>,
    conv: Vec<Group>,
}

/// Problems of one field.
#[derive(Deserialize)]
struct Group {
    name: String,
    elements: Vec<String>,
    #[serde(default)]
    layouts: Vec<String>,
    sizes: Vec<Vec<u32>>,
}

impl Task<Gemm> {
    /// Table 4.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for Group { name, elements, layouts, sizes } in read().gemm {
            for element in elements.iter().filter_map(|element| element.parse().ok()) {
                for sizes in &sizes {
                    for layout in &layouts {
                        let &[m, n, k] = &sizes[..] else { continue };
                        let (a_transposed, b_transposed) = (layout.starts_with('t'), layout.ends_with('t'));
                        let problem = Gemm { m, n, k, element, a_transposed, b_transposed };
                        all.push(Self { name: name.clone(), problem });
                    }
                }
            }
        }
        all
    }
}

impl Task<Conv> {
    /// Table 5.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for Group { name, elements, sizes, .. } in read().conv {
            for element in elements.iter().filter_map(|element| element.parse::<Element>().ok()) {
                for sizes in &sizes {
                    let value = |column: &str| {
                        let at = CONV_SIZES.iter().position(|size| *size == column);
                        let size = at.and_then(|at| sizes.get(at)).copied();
                        size.or_else(|| (column == ELEMENT_BYTES).then(|| element.bytes())).map(f64::from)
                    };
                    let Some(problem) = Conv::from_values(&value) else { continue };
                    all.push(Self { name: name.clone(), problem });
                }
            }
        }
        all
    }
}

fn read() -> Tasks {
    toml::from_str(TASKS).expect("the tests read the same file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_those_of_the_paper() {
        let gemm = Task::<Gemm>::all();
        assert_eq!(gemm.iter().filter(|task| task.problem.element == Element::F32).count(), 17);
        assert_eq!(gemm.len(), 17 + 11 + 6);
        // N P Q and C R S of Table 5.
        let implicit = [
            (431_024, 100),
            (100_928, 1600),
            (92_160, 144),
            (23_040, 288),
            (23_328, 576),
            (5832, 1152),
            (3136, 12_800),
            (784, 20_800),
            (100_352, 576),
            (25_088, 1152),
            (79_872, 1600),
            (77_824, 3200),
            (784, 4608),
            (784, 1024),
        ];
        let conv = Task::<Conv>::all();
        let found: Vec<_> = conv
            .iter()
            .filter(|task| task.problem.element == Element::F32)
            .map(|Task { problem, .. }| (problem.n * problem.p() * problem.q(), problem.steps()))
            .collect();
        assert_eq!(found, implicit);
        assert_eq!(conv.len(), 28);
    }
}
