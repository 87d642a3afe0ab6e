//! The GPU in this computer and the measured cycles, parsed from the runner's output.

use crate::measured::Error;
use std::collections::HashMap;

/// A GPU in this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// NVIDIA's name of the GPU: `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// The compute capability times ten: 90 for 9.0.
    pub sm: u16,
}

impl Device {
    /// Reads `device,90,NVIDIA H100 80GB HBM3`, or `none,WHY`, which is an error.
    pub(crate) fn parse(output: &str) -> Result<Self, Error> {
        let line = output.lines().next().unwrap_or_default();
        let noise = || Error::NoDevice(format!("the runner printed `{line}`"));
        match line.split_once(',') {
            Some(("device", rest)) => {
                let (sm, name) = rest.split_once(',').unwrap_or((rest, ""));
                let sm = sm.parse().map_err(|_| noise())?;
                Ok(Self { name: name.to_owned(), sm })
            }
            Some(("none", why)) => Err(Error::NoDevice(why.to_owned())),
            _ => Err(noise()),
        }
    }

    /// The name as written in the source of a figure: `h100-80gb-hbm3`.
    pub fn id(&self) -> String {
        let words = self.name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_ascii_lowercase).filter(|word| word != "nvidia").collect();
        if words.is_empty() { format!("sm-{}", self.sm) } else { words.join("-") }
    }
}

/// The results of one run of the runner.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Results {
    /// Smallest number of cycles over all launches, by program.
    pub(crate) cycles: HashMap<String, u64>,
    /// The program at which the run stopped, and the reason.
    pub(crate) failed: Option<(String, String)>,
}

impl Results {
    /// Reads lines `NAME,CYCLES` and `failed,NAME,WHY`. Ignores all other lines.
    pub(crate) fn parse(output: &str) -> Self {
        let mut results = Self::default();
        for line in output.lines() {
            let Some((name, rest)) = line.split_once(',') else { continue };
            if name == "failed" {
                let (name, why) = rest.split_once(',').unwrap_or((rest, ""));
                results.failed = Some((name.to_owned(), why.to_owned()));
            } else if let Ok(cycles) = rest.parse() {
                results.cycles.insert(name.to_owned(), cycles);
            }
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_and_its_name_in_a_source() {
        let device = Device::parse("device,90,NVIDIA H100 80GB HBM3\n").unwrap();
        assert_eq!((device.sm, device.id().as_str()), (90, "h100-80gb-hbm3"));
        assert_eq!(Device::parse("device,75,\n").unwrap().id(), "sm-75");
        for (output, why) in [
            ("none,no CUDA-capable device\n", "no CUDA-capable device"),
            ("", "the runner printed ``"),
            ("device,ninety,x", "the runner printed `device,ninety,x`"),
        ] {
            assert!(matches!(Device::parse(output), Err(Error::NoDevice(found)) if found == why), "{output}");
        }
    }

    #[test]
    fn results_up_to_the_program_that_failed() {
        let results = Results::parse("alu_1,2\nalu_17,34\nnoise\nfailed,lds_1,illegal address, or so\n");
        assert_eq!(results.cycles.len(), 2);
        assert_eq!(results.cycles["alu_17"], 34);
        assert_eq!(results.failed, Some(("lds_1".into(), "illegal address, or so".into())));
    }
}
