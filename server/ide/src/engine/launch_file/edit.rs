//! Edits of a launches file that add a launch of a kernel or the trip count of a loop.

use super::LaunchFile;
use super::tensor::written;
use crate::TextEdit;
use crate::engine::names::is_launched_as;
use model::StatedTensor;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A loop whose trip count is to be stated in a `warplens.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedTrips {
    /// Name of the kernel in its listing.
    pub function: String,
    /// Grid of the launch to add if the file has no launch of the function.
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Address of the loop's back branch, such as `0x2a0`, or label of the loop header.
    pub key: String,
    pub trips: u64,
}

impl StatedTrips {
    /// Returns the edits that state the loop's trip count in every launch of the function that lacks it. If the file
    /// has no launch of the function, adds a launch at the end.
    ///
    /// `None` if `text` is not a valid launches file, if the form of its launches cannot be edited, or if no edit is
    /// needed.
    pub fn edits(&self, text: &str) -> Option<Vec<TextEdit>> {
        LaunchFile::parse("", text).ok()?;
        let document = DeTable::parse(text).ok()?;
        let launches = document.get_ref().get("launch").and_then(|launches| launches.get_ref().as_array());
        let of_function = |launch: &&Spanned<DeValue<'_>>| {
            let name = launch.get_ref().as_table().and_then(|table| table.get("function"));
            name.and_then(|name| name.get_ref().as_str())
                .is_some_and(|name| is_launched_as(&self.function, name))
        };
        let launches: Vec<_> = launches.into_iter().flatten().filter(of_function).collect();
        if launches.is_empty() {
            return Some(vec![self.new_launch(text)]);
        }
        let edits: Option<Vec<Vec<TextEdit>>> =
            launches.iter().map(|launch| self.within(text, launch.get_ref().as_table()?)).collect();
        let edits: Vec<TextEdit> = edits?.into_iter().flatten().collect();
        // Check the edited file in any case: it must parse, and every launch must state the trip count.
        let mut after = text.to_owned();
        for edit in edits.iter().rev() {
            after.replace_range(edit.range.clone(), &edit.text);
        }
        let file = LaunchFile::parse("", &after).ok()?;
        let is_stated = file.launches_of(&self.function).all(|launch| launch.trips.contains_key(&self.key));
        (is_stated && !edits.is_empty()).then_some(edits)
    }

    fn entry(&self) -> String {
        format!("\"{}\" = {}", self.key, self.trips)
    }

    /// Returns the edits in one launch. Empty if the launch already states the trip count. `None` if the form
    /// of the launch cannot be edited.
    fn within(&self, text: &str, launch: &DeTable<'_>) -> Option<Vec<TextEdit>> {
        let insert = |at: usize, text: String| Some(vec![TextEdit { range: at..at, text }]);
        let Some(trips) = launch.get("trips") else {
            // On a new line after `block`, which every launch has.
            let block = launch.get("block")?.span();
            let end = text[block.end..].find('\n').map_or(text.len(), |length| block.end + length);
            let end = end - usize::from(text[..end].ends_with('\r'));
            return insert(end, format!("{}trips = {{ {} }}", line_ending(text), self.entry()));
        };
        let table = trips.get_ref().as_table()?;
        let value = |(key, _): &(&Spanned<_>, _)| *key.get_ref() == self.key;
        if table.iter().any(|member| value(&member)) {
            return Some(Vec::new());
        }
        // In `{ ... }`: after the last member.
        let span = trips.span();
        let inner = text.get(span)?.strip_prefix('{')?.strip_suffix('}')?;
        let start = trips.span().start + 1;
        let last = inner.trim_end().len();
        let before = if inner.trim().is_empty() { " " } else { ", " };
        let after = if last == inner.len() { " " } else { "" };
        insert(start + last, format!("{before}{}{after}", self.entry()))
    }

    fn new_launch(&self, text: &str) -> TextEdit {
        let trips = format!("trips = {{ {} }}", self.entry());
        new_launch(text, &self.function, self.grid, self.block, [trips])
    }
}

/// A launch to be added to a `warplens.toml`, with values for the user to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedLaunch {
    /// Name of the kernel in its listing or source.
    pub function: String,
    /// Assumed grid and block. They apply until the user states the launch.
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub parameters: Vec<StatedParameter>,
    /// Byte offsets in constant bank 0 of the words to state. Used if the kernel's parameters are unknown.
    pub constants: Vec<u32>,
}

/// Parameter of a launch to be stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedParameter {
    /// Name and type, if the source states them: `width: .u32`.
    pub title: String,
    pub is_pointer: bool,
    /// The tensor map, if host code encodes it from constants.
    pub tensor: Option<StatedTensor>,
}

impl StatedLaunch {
    /// Returns the edit that adds the launch at the end of a launches file. Values to fill in are `"?"`,
    /// because the server would treat a guess in the file as a fact. `None` if `text` is not a valid launches
    /// file, or already has an unfilled launch of the function.
    pub fn edits(&self, text: &str) -> Option<Vec<TextEdit>> {
        let is_there = |text: &str| {
            let file = LaunchFile::parse("", text).ok()?;
            Some(file.unfilled.iter().any(|function| is_launched_as(&self.function, function)))
        };
        let sizes = [("grid", self.grid, "blocks"), ("block", self.block, "threads")];
        let sizes = sizes
            .map(|(key, size, of)| format!("{:<12} # {of}, now assumed: {size:?}", format!("{key} = \"?\"")));
        let rest = self.parameter_lines().into_iter().chain(self.constant_line());
        let edit = written_launch(text, &self.function, sizes.into_iter().chain(rest));
        // Check the edited file in any case: it must parse, and it must contain the launch.
        let after = TextEdit::apply(std::slice::from_ref(&edit), text);
        (!is_there(text)? && is_there(&after)?).then(|| vec![edit])
    }

    fn parameter_lines(&self) -> Vec<String> {
        if self.parameters.is_empty() {
            return Vec::new();
        }
        let one = |parameter: &StatedParameter| {
            let value = match &parameter.tensor {
                Some(tensor) => written(tensor),
                None if parameter.is_pointer => "\"ptr\"".to_owned(),
                None => "\"?\"".to_owned(),
            };
            let value = format!("{value},");
            // A line break ends a TOML comment, so line breaks in the title become blanks.
            format!("  {value:<6} # {}", parameter.title.replace(['\n', '\r'], " "))
        };
        let lines = self.parameters.iter().map(one);
        std::iter::once("params = [".to_owned()).chain(lines).chain(std::iter::once("]".to_owned())).collect()
    }

    fn constant_line(&self) -> Option<String> {
        let words: Vec<String> =
            self.constants.iter().map(|offset| format!("\"{offset:#x}\" = \"?\"")).collect();
        (!words.is_empty()).then(|| format!("const = {{ {} }}", words.join(", ")))
    }
}

/// Returns the edit that adds a launch with grid, block and additional lines at the end of a file.
fn new_launch(
    text: &str,
    function: &str,
    grid: [u32; 3],
    block: [u32; 3],
    more: impl IntoIterator<Item = String>,
) -> TextEdit {
    let sizes = [format!("grid = {grid:?}"), format!("block = {block:?}")];
    written_launch(text, function, sizes.into_iter().chain(more))
}

/// Returns the edit that adds a launch with these lines at the end of a file.
fn written_launch(text: &str, function: &str, more: impl IntoIterator<Item = String>) -> TextEdit {
    let line = line_ending(text);
    let gap = if text.is_empty() {
        ""
    } else if text.ends_with('\n') {
        line
    } else {
        &line.repeat(2)
    };
    let function = toml::Value::from(function);
    let mut added = gap.to_owned();
    let head = ["[[launch]]".to_owned(), format!("function = {function}")];
    for own in head.into_iter().chain(more) {
        added.push_str(&own);
        added.push_str(line);
    }
    TextEdit { range: text.len()..text.len(), text: added }
}

fn line_ending(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Option<String> {
        let stated = StatedTrips {
            function: "_Z1kPf".into(),
            grid: [2, 3, 1],
            block: [32, 1, 1],
            key: "0x2a0".to_owned(),
            trips: 8,
        };
        let mut after = text.to_owned();
        for edit in stated.edits(text)?.iter().rev() {
            after.replace_range(edit.range.clone(), &edit.text);
        }
        Some(after)
    }

    const LAUNCH: &str = "[[launch]]\nfunction = \"k(float *)\"\ngrid = [1]\nblock = [1] # one";

    #[test]
    fn a_launch_of_the_function_says_it() {
        for (rest, expected) in [
            ("", "\ntrips = { \"0x2a0\" = 8 }"),
            ("\n", "\ntrips = { \"0x2a0\" = 8 }\n"),
            ("\ntrips = {}\n", "\ntrips = { \"0x2a0\" = 8 }\n"),
            ("\ntrips = { a = 1 } # more\n", "\ntrips = { a = 1, \"0x2a0\" = 8 } # more\n"),
            ("\ntrips = {a = 1}\n", "\ntrips = {a = 1, \"0x2a0\" = 8 }\n"),
        ] {
            let before = format!("gpu = \"t4\"\n{LAUNCH}{rest}");
            assert_eq!(written(&before), Some(format!("gpu = \"t4\"\n{LAUNCH}{expected}")), "{rest}");
        }
        let twice = format!("{LAUNCH}\n\n{LAUNCH}\n");
        let line = "\ntrips = { \"0x2a0\" = 8 }\n";
        assert_eq!(written(&twice), Some(format!("{LAUNCH}{line}\n{LAUNCH}{line}")));
        // A name without parameters also matches the function.
        let bare = LAUNCH.replace("k(float *)", "k");
        assert_eq!(written(&format!("{bare}\n")), Some(format!("{bare}{line}")));
        let windows = LAUNCH.replace('\n', "\r\n") + "\r\n";
        assert_eq!(written(&windows), Some(windows.clone() + "trips = { \"0x2a0\" = 8 }\r\n"));
    }

    #[test]
    fn another_launch_is_written_where_there_is_none() {
        let made = "[[launch]]\nfunction = \"_Z1kPf\"\ngrid = [2, 3, 1]\nblock = [32, 1, 1]\ntrips = { \"0x2a0\" = 8 }\n";
        assert_eq!(written("").as_deref(), Some(made));
        assert_eq!(written("gpu = \"t4\"\n"), Some(format!("gpu = \"t4\"\n\n{made}")));
        assert_eq!(written("gpu = \"t4\""), Some(format!("gpu = \"t4\"\n\n{made}")));
    }

    #[test]
    fn a_launch_to_fill_in_names_its_parameters() {
        let parameter =
            |title: &str, is_pointer| StatedParameter { title: title.to_owned(), is_pointer, tensor: None };
        let stated = StatedLaunch {
            function: "_Z1kPfi".into(),
            grid: [2, 3, 1],
            block: [32, 1, 1],
            parameters: vec![parameter("float*", true), parameter("int", false)],
            constants: Vec::new(),
        };
        let edits = stated.edits("gpu = \"t4\"\n").expect("the file can be read");
        let head = "[[launch]]\nfunction = \"_Z1kPfi\"\ngrid = \"?\"   # blocks, now assumed: [2, 3, 1]\n\
            block = \"?\"  # threads, now assumed: [32, 1, 1]\n";
        let params = "params = [\n  \"ptr\", # float*\n  \"?\",   # int\n]\n";
        assert_eq!(edits[0].text, format!("\n{head}{params}"));
        assert_eq!(stated.edits("gpu = \n"), None);
        // A launch with unfilled values states no launch, and is not added twice.
        let file = LaunchFile::parse("", &edits[0].text).expect("it is right");
        assert_eq!((file.launches.len(), &*file.unfilled), (0, &["_Z1kPfi".to_owned()][..]));
        let problems = LaunchFile::read(&edits[0].text).1;
        assert!(problems.iter().all(|problem| problem.severity == crate::Severity::Info), "{problems:?}");
        assert!(problems[0].message.starts_with("`grid` is not filled in"), "{problems:?}");
        assert_eq!(stated.edits(&edits[0].text), None);
        let filled =
            edits[0].text.replace("grid = \"?\"", "grid = [8]").replace("block = \"?\"", "block = [64]");
        assert_eq!(LaunchFile::parse("", &filled).expect("it is right").launches[0].block, [64, 1, 1]);
    }

    #[test]
    fn a_launch_to_fill_in_names_the_words_of_unknown_parameters() {
        let stated = StatedLaunch {
            function: "k".into(),
            grid: [2, 3, 1],
            block: [32, 1, 1],
            parameters: Vec::new(),
            constants: vec![0x210, 0x228],
        };
        let edits = stated.edits("").expect("an empty file can be read");
        assert!(
            edits[0].text.ends_with("\nconst = { \"0x210\" = \"?\", \"0x228\" = \"?\" }\n"),
            "{}",
            edits[0].text
        );
        let filled = edits[0].text.replacen("\"?\"", "[8]", 1).replacen("\"?\"", "[64]", 1);
        let problems = LaunchFile::read(&filled).1;
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for text in [
            "gpu = \n".to_owned(),
            "gpu = 3\n".to_owned(),
            format!("{LAUNCH}\ntrips = {{ \"0x2a0\" = 1 }}\n"),
            format!("{LAUNCH}\n[launch.trips]\na = 1\n"),
            "launch = [{ function = \"_Z1kPf\", grid = [1], block = [1] }]\n".to_owned(),
        ] {
            assert_eq!(written(&text), None, "{text}");
        }
    }
}
