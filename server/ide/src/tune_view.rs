//! Questions on the kernels of a document that its `warplens.toml` tunes.

use crate::cuda::view::CudaView;
use crate::engine::cancel::Answer;
use crate::engine::document::Text;
use crate::engine::target::Target;
use crate::tune::lens::invitation;
use crate::tune::outcome::{VariantPrediction, predicted};
use crate::tune::plan::{PlannedVariant, TuningPlan, plan, tuned};
use crate::tune::triton;
use crate::{Analysis, Compiled, KeptConfigurations, Shape, TuningOutcome};
use model::Gpu;
use std::ops::Range;

/// The name of Python among the languages of other servers.
const PYTHON: &str = "python";

/// A kernel and a shape that it is to be tuned for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedKernel {
    pub kernel: String,
    /// Bytes of the kernel's name.
    pub range: Range<usize>,
    pub shape: Shape,
    /// One line, before anything is known: ``Tune `sgemm` for M=2560 N=16 K=2560``. Where the parameters cannot be written, why.
    pub title: String,
    pub detail: String,
    /// Nothing can be tuned.
    pub is_refused: bool,
    /// Bytes of the text in which the action that writes a variant is offered: the kernel's name, and the values of its parameters.
    pub places: Vec<Range<usize>>,
}

impl Analysis {
    /// The kernels that `warplens.toml` tunes, each with each of its shapes, in the order of the text. Nothing is compiled or
    /// simulated.
    pub fn tuned_kernels(&self) -> Answer<Vec<TunedKernel>> {
        if let Some(text) = self.python() {
            return self.cancel.ending(|| self.tuned_in_python(text));
        }
        self.with_cuda(|view| {
            if !view.context.config.code_lens || !view.context.config.tune.lens {
                return Ok(Vec::new());
            }
            let most = view.context.config.tune.variants as usize;
            let mut all = Vec::new();
            for own in tuned(view) {
                view.cancel.check()?;
                let range = own.name_range();
                let places = own.places(view);
                let combinations = usize::try_from(own.tuning.combinations()).unwrap_or(usize::MAX);
                for shape in &own.tuning.shapes {
                    let words = shape.to_string();
                    let (title, detail) = match &places {
                        Ok(_) => invitation(&own.kernel.name, &words, combinations.min(most)),
                        Err(why) => {
                            let title = format!("`{}` cannot be tuned: {why}", own.kernel.name);
                            (title.clone(), title)
                        }
                    };
                    let numbers = places.iter().flatten().flat_map(|place| place.numbers.iter().cloned());
                    all.push(TunedKernel {
                        kernel: own.kernel.name.clone(),
                        range: range.clone(),
                        shape: shape.clone(),
                        title,
                        detail,
                        is_refused: places.is_err(),
                        places: std::iter::once(range.clone()).chain(numbers).collect(),
                    });
                    if places.is_err() {
                        // Once is enough.
                        break;
                    }
                }
            }
            Ok(all)
        })
        .unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Plans the tuning of a kernel for one of its shapes, with at most `most` variants to compile. `Err`, in one line,
    /// if there is nothing to compile.
    pub fn plan_tuning(
        &self,
        kernel: &str,
        shape: &Shape,
        most: usize,
    ) -> Answer<Result<TuningPlan, String>> {
        let planned = self.with_cuda(|view| {
            let own = tuned(view).into_iter().find(|own| own.kernel.name == kernel);
            match own {
                Some(own) => plan(view, &own, shape, most),
                None => Ok(Err(format!("no `[tune.{kernel}]` for a kernel of this file"))),
            }
        });
        planned.unwrap_or_else(|| Ok(Err("only CUDA is tuned by its code".to_owned())))
    }

    /// Predicts the launch of a variant by the code that was compiled of its text.
    pub fn predict_variant(
        &self,
        kernel: &str,
        variant: &PlannedVariant,
        compiled: &Compiled,
    ) -> Answer<VariantPrediction> {
        self.cancel.ending(|| predicted(compiled, &self.context, &self.cancel, kernel, variant))
    }

    /// Ranks the configurations of a Triton kernel for a shape by the static model, whose work is done in milliseconds. `None` where the text
    /// is no Python; `Err`, in one line, where there is nothing to rank.
    pub fn rank_configurations(
        &self,
        kernel: &str,
        shape: &Shape,
    ) -> Option<Answer<Result<TuningOutcome, String>>> {
        let text = self.python()?;
        Some(self.cancel.ending(|| {
            let own = triton::tuned(text, self.context.launches.as_ref());
            match own.iter().find(|own| own.kernel.name == kernel) {
                Some(own) => triton::ranked(own, shape, &self.triton_gpu(), &self.cancel),
                None => Ok(Err(format!("no `[tune.{kernel}]` for a kernel of this file"))),
            }
        }))
    }

    /// The edits of a Triton kernel's list of configurations that are worth offering.
    pub fn kept_configurations(&self, kernel: &str) -> Answer<Vec<KeptConfigurations>> {
        let Some(text) = self.python() else { return Ok(Vec::new()) };
        self.cancel.ending(|| {
            let own = triton::tuned(text, self.context.launches.as_ref());
            match own.iter().find(|own| own.kernel.name == kernel) {
                Some(own) => triton::kept(own, text, &self.triton_gpu(), &self.cancel),
                None => Ok(Vec::new()),
            }
        })
    }

    fn tuned_in_python(&self, text: &str) -> Answer<Vec<TunedKernel>> {
        let config = &self.context.config;
        if !config.code_lens || !config.tune.lens {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for own in triton::tuned(text, self.context.launches.as_ref()) {
            self.cancel.check()?;
            let kernel = &own.kernel;
            let gpu = self.triton_gpu();
            let candidates = own.candidates();
            for shape in &own.tuning.shapes {
                let (title, detail) = match &candidates {
                    Ok(found) => {
                        triton::invitation(&kernel.name, &shape.to_string(), found.len(), &gpu.part.name)
                    }
                    Err(why) => {
                        let title = format!("`{}` cannot be ranked: {why}", kernel.name);
                        (title.clone(), title)
                    }
                };
                all.push(TunedKernel {
                    kernel: kernel.name.clone(),
                    range: kernel.name_range.clone(),
                    shape: shape.clone(),
                    title,
                    detail,
                    is_refused: candidates.is_err(),
                    places: std::iter::once(kernel.range.start..kernel.name_range.end).collect(),
                });
                if candidates.is_err() {
                    // Once is enough.
                    break;
                }
            }
        }
        Ok(all)
    }

    fn triton_gpu(&self) -> Gpu {
        Target::for_module(&self.context.machine, &self.context.wish, None).gpu
    }

    /// Whether the document is Python, which may contain Triton kernels, and is not left alone.
    pub fn is_python(&self) -> bool {
        self.python().is_some()
    }

    /// The text of a document in Python; `None` for any other, and for one that is left alone.
    fn python(&self) -> Option<&str> {
        match &self.document.text {
            Text::Source(text, PYTHON) if !self.is_left_alone() => Some(text),
            _ => None,
        }
    }

    /// Asks of a text of CUDA; `None` for any other.
    fn with_cuda<T>(&self, ask: impl FnOnce(&CudaView<'_>) -> Answer<T>) -> Option<Answer<T>> {
        if self.is_left_alone() {
            return None;
        }
        self.cuda(|view| self.cancel.ending(|| ask(view)))
    }
}
