//! Matrix multiplication as a kind of problem.

use super::kernel::Plan;
use super::{Gemm, SPACE, Tiling, kernel};
use crate::features::{A_TRANSPOSED, B_TRANSPOSED, ELEMENT_BYTES, element_value};
use crate::{Element, Estimate, Launch, Problem, ProblemKind, Space, Target};
use machine::{Gpu, SmResources};

impl Problem for Gemm {
    type Outline = ();
    type Tiling = Tiling;

    const KIND: ProblemKind = ProblemKind::Gemm;
    const SPACE: Space = SPACE;

    fn element(&self) -> Element {
        self.element
    }

    fn layout(&self) -> &'static str {
        Self::layout(self)
    }

    fn flops(&self) -> f64 {
        Self::flops(self)
    }

    fn bytes(&self) -> [u64; 3] {
        let [m, n, k] = [self.m, self.n, self.k].map(u64::from);
        [m * k, k * n, m * n].map(|elements| elements * u64::from(self.element.bytes()))
    }

    fn values(&self) -> Vec<f64> {
        let transposed = [self.a_transposed, self.b_transposed].map(|is| f64::from(u8::from(is)));
        let [m, n, k] = [self.m, self.n, self.k].map(f64::from);
        vec![m, n, k, element_value(self.element), transposed[0], transposed[1]]
    }

    fn from_values(value: &dyn Fn(&str) -> Option<f64>) -> Option<Self> {
        let size = |name| value(name).map(|value| value as u32);
        Some(Self {
            m: size("m")?,
            n: size("n")?,
            k: size("k")?,
            element: Element::of_bytes(size(ELEMENT_BYTES)?)?,
            a_transposed: size(A_TRANSPOSED)? == 1,
            b_transposed: size(B_TRANSPOSED)? == 1,
        })
    }

    fn tiling(point: &[u32]) -> Tiling {
        Tiling::from_values(point.try_into().expect("a point of the space has all values"))
    }

    fn point(tiling: &Tiling) -> Vec<u32> {
        tiling.values().map(|(_, value)| value).to_vec()
    }

    fn is_legal(&self, tiling: &Tiling, sm: &SmResources, target: Target) -> bool {
        tiling.legal_plan(self.into(), sm, target).is_some()
    }

    fn fits(&self, tiling: &Tiling) -> bool {
        tiling.fits(self)
    }

    fn outline(&self) {}

    fn each_legal(&self, (): &(), gpu: &Gpu, beginning: &[u32], found: &mut dyn FnMut(Tiling, Estimate)) {
        Tiling::each_legal(self, gpu, beginning, found);
    }

    fn launch(&self, tiling: &Tiling) -> Launch {
        tiling.launch(self, &Plan::new(self.into(), tiling))
    }

    fn estimate(&self, tiling: &Tiling, gpu: &Gpu) -> Option<Estimate> {
        tiling.estimate(self, &Plan::new(self.into(), tiling), gpu)
    }

    fn kernel(&self, tiling: &Tiling, target: Target, name: &str) -> String {
        kernel(self.into(), tiling, target, name)
    }
}
