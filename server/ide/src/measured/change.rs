//! Change of a kernel's time between the attached profiles and a new profile.

use crate::engine::context::Context;
use crate::engine::profile_launch::is_of;
use profile::{Launch, Profile};

/// The time of a kernel before and after a change. Each time is the mean over the launches that
/// [`Self::is_same_size`] describes.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredChange {
    /// Time in nanoseconds in the shown profile; `None` if that profile records no time for the kernel.
    pub before_ns: Option<f64>,
    /// Time in nanoseconds in the new profile; `None` if that profile records no time for the kernel.
    pub after_ns: Option<f64>,
    /// True if the new profile has a launch with the grid and block of the shown launch. The means then cover only
    /// launches of this size. If false, they cover all launches of the kernel.
    pub is_same_size: bool,
    /// Index of the new profile's launch that corresponds to the shown launch, among the new profile's
    /// launches of the kernel.
    pub number: usize,
}

/// Compares a kernel's time in the shown profile with its time in a new profile. `None` if the new
/// profile has no launch of the kernel.
pub(crate) fn change(context: &Context, kernel: &str, new: &Profile) -> Option<MeasuredChange> {
    let after: Vec<&Launch> = new.launches.iter().filter(|launch| is_of(launch, kernel)).collect();
    if after.is_empty() {
        return None;
    }
    let shown = context.profiles.launch_of(kernel);
    let of_file = shown.iter().flat_map(|shown| &shown.file.profile.launches);
    let before: Vec<&Launch> = of_file.filter(|launch| is_of(launch, kernel)).collect();
    let size = |launch: &Launch| launch.grid.zip(launch.block);
    // Some profiles record no launch sizes. Their launches all count as the same size.
    let wanted = shown.as_ref().and_then(|shown| size(shown.launch));
    let is_like = |launch: &&&Launch| wanted.is_none() || size(launch).is_none() || size(launch) == wanted;
    let number = after.iter().position(|launch| is_like(&launch));
    let mean = |launches: &[&Launch]| match number {
        Some(_) => mean_time(launches.iter().filter(is_like).copied()),
        None => mean_time(launches.iter().copied()),
    };
    Some(MeasuredChange {
        before_ns: mean(&before),
        after_ns: mean(&after),
        is_same_size: number.is_some(),
        number: number.unwrap_or_default(),
    })
}

/// Mean time of the launches, in nanoseconds. A record that averages several launches is weighted by their number.
/// `None` if no launch has a time.
fn mean_time<'a>(launches: impl Iterator<Item = &'a Launch>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for launch in launches {
        // `Duration` is the name that nvprof uses.
        let time = launch.metric("gpu__time_duration.sum").or_else(|| launch.metric("Duration"));
        if let Some(time) = time.filter(|time| *time > 0.0) {
            let weight = launch.averaged.unwrap_or(1) as f64;
            sum += time * weight;
            count += weight;
        }
    }
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttachedProfile, Host};
    use std::fmt::Write;
    use std::sync::Arc;

    /// A raw page of launches: name, grid, block, microseconds.
    fn page(launches: &[(&str, &str, &str, &str)]) -> Arc<Profile> {
        let mut text = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"us\"\n".to_owned();
        for (number, (name, grid, block, time)) in launches.iter().enumerate() {
            let _ = writeln!(text, "\"{number}\",\"{name}\",\"{block}\",\"{grid}\",\"{time}\"");
        }
        Arc::new(crate::profiles::read(text.as_bytes()).expect("the page can be parsed"))
    }

    const WIDE: &str = "(64, 64, 1)";
    const SMALL: &str = "(8, 8, 1)";
    const BLOCK: &str = "(32, 8, 1)";
    const OTHER: &str = "(64, 4, 1)";

    fn shown(profile: &Arc<Profile>) -> Host {
        let mut host = Host::default();
        let profile = Arc::clone(profile);
        host.attach_profiles(vec![AttachedProfile { name: "before.csv".to_owned(), profile }]);
        host
    }

    fn change_of(host: &Host, kernel: &str, new: &[(&str, &str, &str, &str)]) -> Option<MeasuredChange> {
        host.profiles().change(kernel, &page(new))
    }

    #[test]
    fn launches_of_the_shown_size_are_compared_by_their_means() {
        let before = page(&[
            ("transpose(float *)", WIDE, BLOCK, "300"),
            ("transpose(float *)", SMALL, BLOCK, "3"),
            ("transpose(float *)", WIDE, BLOCK, "368"),
            ("copy(float *)", WIDE, BLOCK, "9"),
        ]);
        let mut host = shown(&before);
        let after = [
            ("copy(float *)", WIDE, BLOCK, "8"),
            ("transpose(float*)", SMALL, BLOCK, "2"),
            ("transpose(float*)", WIDE, BLOCK, "158"),
            ("transpose(float*)", WIDE, BLOCK, "160"),
        ];
        let expected = |before, after, number| {
            Some(MeasuredChange {
                before_ns: Some(before),
                after_ns: Some(after),
                is_same_size: true,
                number,
            })
        };
        let kernel = "transpose(float *)";
        assert_eq!(change_of(&host, kernel, &after), expected(334e3, 159e3, 1));
        host.choose_launch(kernel, 1);
        assert_eq!(change_of(&host, kernel, &after), expected(3e3, 2e3, 0));
        assert_eq!(change_of(&host, "other(int)", &after), None);
    }

    #[test]
    fn of_another_size_all_launches_count() {
        let host = shown(&page(&[("f(int)", WIDE, BLOCK, "10"), ("f(int)", SMALL, BLOCK, "20")]));
        let change =
            change_of(&host, "f(int)", &[("f(int)", WIDE, OTHER, "5"), ("f(int)", SMALL, OTHER, "7")]);
        let expected =
            MeasuredChange { before_ns: Some(15e3), after_ns: Some(6e3), is_same_size: false, number: 0 };
        assert_eq!(change, Some(expected));
    }

    #[test]
    fn without_a_profile_before_there_is_the_new_time_alone() {
        let change =
            change_of(&Host::default(), "f(int)", &[("f(int)", WIDE, BLOCK, "5")]).expect("it is there");
        assert_eq!((change.before_ns, change.after_ns), (None, Some(5e3)));
    }
}
