//! PTX versions and targets of modules, and ranges of targets.

use std::fmt;
use std::str::FromStr;

/// A PTX ISA version: `8.6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub major: u8,
    pub minor: u8,
}

/// A `.target`: `sm_90`, `sm_90a`, `sm_100f`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// 90 in `sm_90a`.
    pub sm: u16,
    pub feature: Feature,
}

/// Features of a target in addition to the features that all later chips keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// No additional features: `sm_90`.
    Base,
    /// Features that the chip's family keeps: `sm_100f`.
    Family,
    /// Features of only this chip: `sm_90a`.
    Architecture,
}

/// A range of targets on which a form or a word is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetRange {
    /// `80`: this chip and every later chip.
    From(u16),
    /// `30..62`: both ends and all chips between them.
    Between(u16, u16),
    /// `100f`: this chip and later chips of its family (the same number without the last digit), with the
    /// features of the family or of the chip.
    Family(u16),
    /// `90a`: this chip only, with its own features.
    Architecture(u16),
}

impl TargetRange {
    /// True if the target, with its features, is in the range.
    pub fn holds(self, target: Target) -> bool {
        let sm = target.sm;
        match self {
            Self::From(first) => sm >= first,
            Self::Between(first, last) => (first..=last).contains(&sm),
            Self::Family(first) => sm >= first && sm / 10 == first / 10 && target.feature >= Feature::Family,
            Self::Architecture(only) => sm == only && target.feature == Feature::Architecture,
        }
    }
}

impl FromStr for Version {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (major, minor) = text.split_once('.').ok_or(())?;
        Ok(Self { major: major.parse().map_err(drop)?, minor: minor.parse().map_err(drop)? })
    }
}

impl FromStr for Target {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text.strip_prefix("sm_").ok_or(())?;
        let (digits, feature) = match digits.as_bytes().last() {
            Some(b'a') => (&digits[..digits.len() - 1], Feature::Architecture),
            Some(b'f') => (&digits[..digits.len() - 1], Feature::Family),
            _ => (digits, Feature::Base),
        };
        Ok(Self { sm: digits.parse().map_err(drop)?, feature })
    }
}

impl FromStr for TargetRange {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if let Some((first, last)) = text.split_once("..") {
            return Ok(Self::Between(first.parse().map_err(drop)?, last.parse().map_err(drop)?));
        }
        let number = |digits: &str| digits.parse().map_err(drop);
        if let Some(digits) = text.strip_suffix('a') {
            number(digits).map(Self::Architecture)
        } else if let Some(digits) = text.strip_suffix('f') {
            number(digits).map(Self::Family)
        } else {
            number(text).map(Self::From)
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let feature = match self.feature {
            Feature::Base => "",
            Feature::Family => "f",
            Feature::Architecture => "a",
        };
        write!(f, "sm_{}{feature}", self.sm)
    }
}

impl fmt::Display for TargetRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(first) => write!(f, "sm_{first} or later"),
            Self::Between(first, last) => write!(f, "sm_{first} to sm_{last}"),
            Self::Family(first) => write!(f, "sm_{first}f or a later target in its family"),
            Self::Architecture(only) => write!(f, "sm_{only}a"),
        }
    }
}
