//! Roles of a Triton kernel's parameters: which parameter is which tile size.

use super::TunedTriton;
use super::candidates::Candidate;
use super::error::TritonError;
use syntax::triton::Setting;
use tuner::triton::Tile;

/// Common parameter names in lower case, by the role that the key `as` can give a parameter.
const COMMON: [(&str, &[&str]); 5] = [
    ("block_m", &["block_size_m", "block_m", "bm"]),
    ("block_n", &["block_size_n", "block_n", "bn"]),
    ("depth", &["block_size_k", "block_k", "bk"]),
    ("grid_k", &["split_k"]),
    (GROUP, &["group_size_m", "group_m"]),
];

/// Role of the number of tile rows per group in the launch order. The tuner's kernels have no such parameter.
const GROUP: &str = "group_m";

/// Names of the kernel parameters that determine the kernel's tile.
pub(super) struct Roles {
    block_m: String,
    block_n: String,
    depth: String,
    grid_k: Option<String>,
    group_m: Option<String>,
}

impl Roles {
    /// Finds the parameters. `Err` if a tile size has no parameter.
    pub(super) fn from_tuned(own: &TunedTriton<'_>) -> Result<Self, TritonError> {
        let find = |role: &str| {
            // Triton kernels usually call the depth `BLOCK_K`.
            let is_stated = |known: &str| known == role || role == "depth" && known == "block_k";
            let stated =
                own.tuning.parameters.iter().find(|own| own.known_as.as_deref().is_some_and(is_stated));
            let common = COMMON.iter().find(|(name, _)| *name == role).map_or(&[][..], |(_, names)| names);
            let constants = own.kernel.parameters.iter().filter(|parameter| parameter.is_constexpr);
            let is_common = |name: &str| common.contains(&name.to_ascii_lowercase().as_str());
            let mut named = constants.map(|parameter| &parameter.name).filter(|name| is_common(name));
            stated.map(|own| own.name.clone()).or_else(|| named.next().cloned())
        };
        let needed = |role: &'static str, meaning: &'static str| {
            find(role).ok_or_else(|| TritonError::NoParameter {
                meaning,
                kernel: own.kernel.name.clone(),
                role,
            })
        };
        Ok(Self {
            block_m: needed("block_m", "the number of rows of a tile")?,
            block_n: needed("block_n", "the number of columns of a tile")?,
            depth: needed("depth", "the depth of a tile along K")?,
            grid_k: find("grid_k"),
            group_m: find(GROUP),
        })
    }

    /// Returns the tile of a configuration. `Err` if a value is unknown.
    pub(super) fn tile(&self, own: &TunedTriton<'_>, candidate: &Candidate) -> Result<Tile, TritonError> {
        let of = |name: &str| -> Result<u32, TritonError> {
            let stated = candidate.values.iter().find(|(own, _)| own == name).map(|(_, value)| value);
            let parameter = own.kernel.parameters.iter().find(|parameter| parameter.name == name);
            let value = stated.or_else(|| parameter?.default.as_ref());
            number(name, value.ok_or_else(|| TritonError::NoValue { name: name.to_owned() })?)
        };
        let or_one = |name: &Option<String>| name.as_deref().map_or(Ok(1), of);
        Ok(Tile {
            block_m: of(&self.block_m)?,
            block_n: of(&self.block_n)?,
            block_k: of(&self.depth)?,
            split_k: or_one(&self.grid_k)?,
            group_m: or_one(&self.group_m)?,
            warps: number("num_warps", &candidate.warps)?,
            stages: number("num_stages", &candidate.stages)?,
        })
    }
}

/// Returns the value of a setting as a positive integer. `Err` if it is not a positive integer.
pub(super) fn number(name: &str, value: &Setting) -> Result<u32, TritonError> {
    let not_a_size = |value: String| TritonError::NotASize { name: name.to_owned(), value };
    match value {
        Setting::Number(number) => u32::try_from(*number)
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| not_a_size(number.to_string())),
        Setting::Other(text) => Err(not_a_size(text.clone())),
        Setting::Unknown(expression) => {
            Err(TritonError::UnknownValue { name: name.to_owned(), expression: expression.clone() })
        }
    }
}
