//! The measured launch of a kernel of the open listing.

use super::tally::Tally;
use crate::engine::measured::places;
use crate::engine::measured::places::Places;
use crate::engine::names;
use crate::engine::profile_launch::all_samples;
use crate::engine::profiles::ChosenLaunch;
use crate::engine::sass_view::SassView;
use std::sync::Arc;

/// A kernel in a listing, with the measured launch that the editor shows.
pub(crate) struct MeasuredKernel<'a> {
    pub chosen: ChosenLaunch<'a>,
    places: Arc<Places>,
    /// Number of samples of the entire launch.
    pub samples: f64,
}

impl<'a> MeasuredKernel<'a> {
    /// Finds the shown launch of a kernel; `None` if no profile has a launch of the kernel.
    pub(crate) fn find(sass: &'a SassView, index: usize) -> Option<Self> {
        let chunk = sass.listing().chunks().get(index)?;
        Self::with(sass, index, sass.context.profiles.launch_of(names::kernel_name(chunk))?)
    }

    /// Like [`Self::find`], but with the given launch; `None` if the listing has no such chunk.
    pub(super) fn with(sass: &'a SassView, index: usize, chosen: ChosenLaunch<'a>) -> Option<Self> {
        let chunk = sass.listing().chunks().get(index)?;
        let find = || places(&sass.kernel(index), &chosen.launch.instructions);
        let places = sass.context.profiles.places(chunk.hash(), &chosen, find);
        Some(Self { chosen, places, samples: all_samples(chosen.launch) })
    }

    /// Counts of an instruction; `None` if the profile has no matching instruction.
    pub(crate) fn tally(&self, inst: usize) -> Option<Tally<'a>> {
        let at = (*self.places.of.get(inst)?)?;
        Some(Tally::new(self.chosen.launch, at))
    }

    /// Index in the listing of the instruction at an address in the profile; `None` if no instruction matches.
    pub(crate) fn inst_at(&self, address: u64) -> Option<usize> {
        let at = self.chosen.launch.instructions.offsets().binary_search(&address).ok()?;
        self.places.of.iter().position(|place| *place == Some(at))
    }

    /// True if the launch ran exactly this code. If false, only instructions that match the profiled
    /// code have counts.
    pub(crate) fn is_same_code(&self) -> bool {
        self.places.is_same
    }

    /// Returns a sentence that the code differs from the measured code; `None` if it does not differ.
    pub(crate) fn age(&self) -> Option<String> {
        let agree = self.places.of.iter().flatten().count();
        let all = self.places.of.len();
        (!self.places.is_same).then(|| {
            format!("The profile is for different code: only the {agree} of {all} instructions that match the profiled code have figures.")
        })
    }

    /// Name of the profile file and of the launch, for display.
    pub(crate) fn source(&self) -> String {
        self.chosen.source()
    }
}
