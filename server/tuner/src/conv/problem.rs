//! Convolution as a kind of problem.

use super::kernel::Plan;
use super::{Conv, Patches, SPACE, Tiling, kernel};
use crate::features::{ELEMENT_BYTES, element_value};
use crate::{Element, Estimate, Launch, Problem, ProblemKind, Space, Target};
use machine::{Gpu, SmResources};

impl Problem for Conv {
    type Outline = Patches;
    type Tiling = Tiling;

    const KIND: ProblemKind = ProblemKind::Conv;
    const SPACE: Space = SPACE;

    fn element(&self) -> Element {
        self.element
    }

    /// The layout of PyTorch's tensors.
    fn layout(&self) -> &'static str {
        "nchw"
    }

    fn flops(&self) -> f64 {
        Self::flops(self)
    }

    fn bytes(&self) -> [u64; 3] {
        let product = |sizes: [u32; 4]| sizes.into_iter().map(u64::from).product::<u64>();
        let Self { n, c, h, w, k, r, s, .. } = *self;
        [[n, c, h, w], [k, c, r, s], [n, k, self.p(), self.q()]]
            .map(|sizes| product(sizes) * u64::from(self.element.bytes()))
    }

    fn values(&self) -> Vec<f64> {
        let Self { n, c, h, w, k, r, s, pad, stride, element } = *self;
        let sizes = [n, self.p(), self.q(), k, c, r, s, stride, pad, h, w].map(f64::from);
        sizes.into_iter().chain([element_value(element)]).collect()
    }

    fn from_values(value: &dyn Fn(&str) -> Option<f64>) -> Option<Self> {
        let size = |name| value(name).map(|value| value as u32);
        let conv = Self {
            n: size("n")?,
            c: size("c")?,
            h: size("h")?,
            w: size("w")?,
            k: size("k")?,
            r: size("r")?,
            s: size("s")?,
            pad: size("padding")?,
            stride: size("stride")?,
            element: Element::of_bytes(size(ELEMENT_BYTES)?)?,
        };
        conv.checked().ok()
    }

    fn tiling(point: &[u32]) -> Tiling {
        Tiling::from_values(point.try_into().expect("a point of the space has all values"))
    }

    fn point(tiling: &Tiling) -> Vec<u32> {
        tiling.values().map(|(_, value)| value).to_vec()
    }

    fn is_legal(&self, tiling: &Tiling, sm: &SmResources, target: Target) -> bool {
        tiling.legal_plan(self.element, sm, target).is_some()
    }

    fn fits(&self, tiling: &Tiling) -> bool {
        tiling.fits(self)
    }

    fn outline(&self) -> Patches {
        Patches::new(self)
    }

    fn each_legal(
        &self,
        outline: &Patches,
        gpu: &Gpu,
        beginning: &[u32],
        found: &mut dyn FnMut(Tiling, Estimate),
    ) {
        Tiling::each_legal(self, outline, gpu, beginning, found);
    }

    fn launch(&self, tiling: &Tiling) -> Launch {
        tiling.launch(self, &Plan::new(self.element, tiling))
    }

    fn estimate(&self, tiling: &Tiling, gpu: &Gpu) -> Option<Estimate> {
        tiling.estimate(self, &Plan::new(self.element, tiling), gpu)
    }

    fn kernel(&self, tiling: &Tiling, target: Target, name: &str) -> String {
        kernel(self.element, tiling, target, name)
    }
}
