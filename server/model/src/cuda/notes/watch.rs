//! Loops that are running, and what their passes loaded and stored.

use super::uses::Site;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::Place;
use rustc_hash::FxHashMap;
use std::ops::Range;
use syntax::cuda::Loop;

/// A load that each pass of its loop makes anew from the same addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvariantLoad {
    /// The load: the item, and bytes in it.
    pub place: (u32, Range<u32>),
    /// A store or a barrier in the loop that keeps the load there.
    pub kept_by: (u32, Range<u32>),
    pub is_kept_by_barrier: bool,
    /// The parameter of the kernel that points to what is loaded.
    pub parameter: Option<String>,
}

/// A loop that is running, and what its passes did so far.
pub(crate) struct Watch<'a> {
    /// `None` for a loop with an unknown trip count.
    pub of: Option<&'a Loop>,
    /// Functions that are running.
    pub depth: usize,
    pub trip: u32,
    pub lanes: u32,
    pub loads: Vec<Seen>,
    pub stores: Vec<Stored>,
    /// The first barrier of the block, and of a warp or a group of threads.
    pub block_barrier: Option<(u32, Range<u32>)>,
    pub group_barrier: Option<(u32, Range<u32>)>,
    /// It does something that may write anywhere.
    pub is_unclear: bool,
    /// It calls a function of which nothing is known, and passes it no pointer.
    pub calls_unknown: bool,
}

/// A load in a loop.
pub(crate) struct Seen {
    pub site: Site,
    pub array: Array,
    pub active: u32,
    pub offset: Lanes,
    pub trips: u32,
    pub last: u32,
    pub is_same: bool,
}

/// A store in a loop.
pub(crate) struct Stored {
    pub array: Array,
    pub place: (u32, Range<u32>),
}

/// A variable in memory, or what a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Array {
    At(Place),
    /// A shared variable by where it starts.
    Shared(u64),
    Unknown,
}

/// Loads that were found, and those that were seen to be none.
pub(crate) type Verdicts = FxHashMap<Site, Option<InvariantLoad>>;

impl<'a> Watch<'a> {
    pub(crate) fn new(of: Option<&'a Loop>, depth: usize) -> Self {
        Self {
            of,
            depth,
            trip: 0,
            lanes: 0,
            loads: Vec::new(),
            stores: Vec::new(),
            block_barrier: None,
            group_barrier: None,
            is_unclear: false,
            calls_unknown: false,
        }
    }
}
