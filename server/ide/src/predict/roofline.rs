//! A kernel's launches under the lines that the part cannot pass, for views that draw them.

use super::rates::ceilings;
use super::{Ceiling, EDITOR_EFFORT, LaunchPrediction, Question};
use crate::analysis::Analysis;
use crate::kernel::Answer;
use crate::launch::launches;
use crate::ptx::asked;
use crate::summary::kernel_at;
use serde::Serialize;

/// One kernel, at each of its launches.
#[derive(Debug, Clone, Serialize)]
pub struct Roofline {
    /// Memory first.
    pub ceilings: Vec<Ceiling>,
    /// The launches that can be predicted.
    pub launches: Vec<LaunchPrediction>,
}

impl Analysis {
    /// The launches of the kernel at this place, or of the nearest; `None` where there is no kernel.
    pub fn roofline(&self, offset: usize) -> Answer<Option<Roofline>> {
        if let Some(ptx) = self.ptx() {
            return asked(&ptx, offset).map_or(Ok(None), |asked| asked.analysis.roofline(asked.offset));
        }
        let Some((_, chunk)) = kernel_at(self, offset) else { return Ok(None) };
        self.cancel.check()?;
        let target = &self.target(chunk);
        let model = &*self.model(chunk, target);
        let mut predicted = Vec::new();
        for (number, (launch, times)) in launches(self, chunk, model, target).iter().enumerate() {
            let question = Question { analysis: self, chunk, model, target, launch, number, times };
            predicted.extend(question.predict(EDITOR_EFFORT)?);
        }
        Ok(Some(Roofline { ceilings: ceilings(&target.gpu), launches: predicted }))
    }
}
