//! `warplens.toml` and `--launches`: a GPU, rule levels, launches and listings, read from their text.

use crate::config::{ConfigError, RuleLevel};
use crate::listings::ListingPattern;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// A `warplens.toml` or a `--launches` file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LaunchFile {
    pub gpu: Option<String>,
    pub rules: BTreeMap<String, RuleLevel>,
    #[serde(rename = "launch")]
    pub launches: Vec<LaunchEntry>,
    /// The listings whose kernels a search over the workspace finds, open or not.
    pub listings: Vec<ListingPattern>,
    /// Another way to name the GPU: `arch = "sm_90"`.
    arch: Option<String>,
}

/// One `[[launch]]` as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchEntry {
    #[serde(default)]
    pub name: Option<String>,
    /// Mangled or demangled.
    pub function: String,
    #[serde(deserialize_with = "dimensions")]
    pub grid: [u32; 3],
    #[serde(deserialize_with = "dimensions")]
    pub block: [u32; 3],
    /// Bytes.
    #[serde(default)]
    pub dynamic_shared: u32,
    /// Bytes.
    #[serde(default)]
    pub static_shared: Option<u32>,
    #[serde(default)]
    pub registers: Option<u32>,
    /// By the address of a loop's branch (`"0x2a0"`) or by label.
    #[serde(default)]
    pub trips: BTreeMap<String, u64>,
    // Part of the format; the `paper` model asks for none of them.
    #[serde(default)]
    params: Vec<IgnoredAny>,
    #[serde(default, rename = "const")]
    constants: BTreeMap<String, toml::Value>,
    #[serde(default)]
    hit_rate: BTreeMap<String, f64>,
}

/// One to three positive numbers; those left out are 1.
fn dimensions<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<[u32; 3], D::Error> {
    let given = Vec::<u32>::deserialize(deserializer)?;
    if given.is_empty() || given.len() > 3 || given.contains(&0) {
        return Err(serde::de::Error::custom("expected one to three positive numbers, such as [16, 16, 1]"));
    }
    let mut all = [1; 3];
    all[..given.len()].copy_from_slice(&given);
    Ok(all)
}

impl LaunchFile {
    /// Reads a launches file. `path` is only named in the message: `warplens.toml:3: …`.
    pub fn parse(path: &str, text: &str) -> Result<Self, ConfigError> {
        let mut file: Self = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..start].split(|&byte| byte == b'\n').count();
            ConfigError::new(&format!("{path}:{line}: {}", error.message()))
        })?;
        if let Some(unknown) = file.rules.keys().find(|code| advisor::rule(code).is_none()) {
            let known: Vec<&str> = advisor::RULES.iter().map(|rule| rule.code).collect();
            return Err(ConfigError::new(&format!(
                "{path}: unknown rule `{unknown}`; known: {}",
                known.join(", ")
            )));
        }
        for launch in &file.launches {
            if let Some((level, rate)) = launch.hit_rate.iter().find(|(_, rate)| !(0.0..=1.0).contains(*rate))
            {
                let message = format!("{path}: hit_rate.{level} is {rate}; expected 0.0 to 1.0");
                return Err(ConfigError::new(&message));
            }
        }
        file.gpu = file.gpu.or_else(|| file.arch.take());
        Ok(file)
    }

    /// The launches of a function, in the file's order.
    pub fn launches_of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a LaunchEntry> {
        self.launches.iter().filter(move |launch| crate::names::is_same_function(function, &launch.function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_form_is_read() {
        let text = r#"
gpu = "h100-sxm"
listings = ["build/**/*.sass", "kernels.sass"]
[rules]
unknown-opcode = "off"
[[launch]]
name = "gemm-2048"
function = "_Z8sgemm_nnPKfS0_Pfi"
grid = [16, 16, 1]
block = [256]
dynamic_shared = 0
params = ["ptr", "ptr", 2.5, 2048, "?"]
const = { "0x174" = 2048 }
trips = { "0x2a0" = 128 }
registers = 128
static_shared = 8192
hit_rate = { l1 = 0.0, l2 = 0.5 }
"#;
        let file = LaunchFile::parse("warplens.toml", text).expect("the file is right");
        assert_eq!(file.gpu.as_deref(), Some("h100-sxm"));
        let listings: Vec<&str> = file.listings.iter().map(ListingPattern::text).collect();
        assert_eq!(listings, ["build/**/*.sass", "kernels.sass"]);
        assert_eq!(file.rules["unknown-opcode"], RuleLevel::Off);
        let launch = file.launches_of("_Z8sgemm_nnPKfS0_Pfi").next().expect("a launch");
        assert_eq!((launch.grid, launch.block, launch.registers), ([16, 16, 1], [256, 1, 1], Some(128)));
        assert_eq!(launch.trips["0x2a0"], 128);
    }

    #[test]
    fn a_wrong_file_gets_one_line_that_says_where_and_what() {
        let message = |text| LaunchFile::parse("w.toml", text).unwrap_err().to_string();
        let of_grid = message("gpu = \"t4\"\n[[launch]]\nfunction = \"f\"\ngrid = [0]\nblock = [1]\n");
        assert!(of_grid.starts_with("w.toml:4: ") && of_grid.contains("positive"), "{of_grid}");
        assert!(message("gpu = 3\n").starts_with("w.toml:1: "));
        assert!(message("[rules]\nno-such-rule = \"off\"\n").contains("known: syntax-error"));
        assert!(
            message("[[launch]]\nfunction = \"f\"\ngrid = [1]\nblock = [1]\nhit_rate = { l2 = 2.0 }\n")
                .contains("0.0 to 1.0")
        );
        let of_pattern = message("gpu = \"t4\"\nlistings = [\n  \"good.sass\",\n  \"[bad\",\n]\n");
        assert!(of_pattern.starts_with("w.toml:2: ") && of_pattern.contains("[bad"), "{of_pattern}");
        assert!(message("listings = \"a.sass\"\n").starts_with("w.toml:1: "));
        for text in ["grid = ", "[[launch]]\n", "wrong = 1\n", "\u{1f680}", "[rules]\n\"a\\nb\" = \"off\"\n"]
        {
            assert!(!message(text).contains('\n'), "{text}");
        }
    }
}
