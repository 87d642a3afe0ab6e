//! The pipes that instructions contend for, by utilisation (DrGPU, Figure 5).

use super::figures::fact;
use super::node::{Node, siblings};
use profile::Launch;

const START: &str = "sm__inst_executed_pipe_";
const END: &str = ".avg.pct_of_peak_sustained_active";

/// Pipes with their shares of the summed utilisation. The facts of each node include its utilisation. Empty if the
/// profile contains no pipe utilisation.
pub(super) fn pipes(launch: &Launch) -> Vec<Node> {
    let busy = |name: &str| {
        let pipe = name.strip_prefix(START)?.strip_suffix(END)?;
        // Instruction types within a pipe are already counted with the pipe.
        let is_part = pipe.contains("_type_") || pipe.contains("pred_on");
        (!is_part).then_some(pipe.to_owned())
    };
    let utilisations: Vec<(String, f64)> = launch
        .metrics
        .keys()
        .filter_map(|name| Some((busy(name)?, launch.metric(name)?)))
        .filter(|(_, percent)| *percent > 0.0)
        .collect();
    let parts = utilisations.iter().map(|(pipe, percent)| {
        (pipe.clone().into(), format!("{} pipe", pipe.to_uppercase()).into(), *percent)
    });
    let mut pipes = siblings(parts);
    for pipe in &mut pipes {
        let percent =
            utilisations.iter().find(|(own, _)| *own == pipe.name).map_or(0.0, |(_, percent)| *percent);
        let source = format!("{START}{}{END}", pipe.name);
        pipe.facts = vec![fact("utilisation", "utilisation", percent, "%", source)];
    }
    pipes
}
