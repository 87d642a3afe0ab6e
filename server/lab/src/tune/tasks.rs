//! The benchmark problems for tuned kernels: Tables 4 and 5 of the paper.

use serde::Deserialize;
use tuner::features::{A_TRANSPOSED, B_TRANSPOSED, ELEMENT_BYTES, element_value};
use tuner::{Element, Problem, ProblemKind};

const TASKS: &str = include_str!("../../data/tune-tasks.toml");

/// A problem and its field of application.
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

/// Problems of one field of application.
#[derive(Deserialize)]
struct Group {
    name: String,
    elements: Vec<String>,
    /// Layouts of the matrices; a convolution has only one.
    #[serde(default = "only_layout")]
    layouts: Vec<String>,
    sizes: Vec<Vec<u32>>,
}

fn only_layout() -> Vec<String> {
    vec![String::new()]
}

/// Names of the columns with a problem's sizes, in the order of the file.
const fn size_names(kind: ProblemKind) -> &'static [&'static str] {
    match kind {
        ProblemKind::Gemm => &["m", "n", "k"],
        ProblemKind::Conv => &["n", "c", "h", "w", "k", "r", "s", "padding", "stride"],
    }
}

impl<P: Problem> Task<P> {
    /// All problems of Table 4 or Table 5.
    pub fn all() -> Vec<Self> {
        let Tasks { gemm, conv } = read();
        let groups = match P::KIND {
            ProblemKind::Gemm => gemm,
            ProblemKind::Conv => conv,
        };
        groups.iter().flat_map(Group::tasks).collect()
    }
}

impl Group {
    fn tasks<P: Problem>(&self) -> Vec<Task<P>> {
        let elements = self.elements.iter().filter_map(|element| element.parse().ok());
        let mut all = Vec::new();
        for (element, sizes) in
            elements.flat_map(|element| self.sizes.iter().map(move |sizes| (element, sizes)))
        {
            for layout in &self.layouts {
                let problem = P::from_values(&|column| value(column, element, layout, sizes, P::KIND));
                all.extend(problem.map(|problem| Task { name: self.name.clone(), problem }));
            }
        }
        all
    }
}

/// The value of a column for a problem; `None` for other columns.
fn value(column: &str, element: Element, layout: &str, sizes: &[u32], kind: ProblemKind) -> Option<f64> {
    let is = |holds: bool| Some(f64::from(u8::from(holds)));
    match column {
        ELEMENT_BYTES => Some(element_value(element)),
        A_TRANSPOSED => is(layout.starts_with('t')),
        B_TRANSPOSED => is(layout.ends_with('t')),
        size => {
            let at = size_names(kind).iter().position(|name| *name == size)?;
            sizes.get(at).copied().map(f64::from)
        }
    }
}

fn read() -> Tasks {
    toml::from_str(TASKS).expect("the tests read the same file")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner::{Conv, Gemm};

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
