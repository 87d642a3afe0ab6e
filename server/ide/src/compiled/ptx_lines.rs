//! Maps lines of a PTX file to source lines, using its `.loc` directives.

use crate::ptx::{LineMap, MappedFunction};
use std::borrow::Cow;
use std::collections::HashMap;
use syntax::source_path;

/// Maps lines of a PTX file to lines of the source file with this path in its `.file` directives. Lines are
/// 0-based.
pub fn ptx_line_map(ptx: &str, path: &str) -> LineMap {
    let mut map = LineMap::default();
    // The directive `.file 1 "path"` is at the end of the file.
    let files: HashMap<&str, Cow<'_, str>> = ptx.lines().filter_map(file).collect();
    let own = |number: &str| files.get(number).is_some_and(|named| *named == path);
    let mut source: Option<u32> = None;
    let mut function: Option<(String, u32)> = None;
    let mut lines: Vec<u32> = Vec::new();
    for (at, line) in (0_u32..).zip(ptx.lines()) {
        let text = line.trim();
        if let Some(name) = entry(text) {
            (function, source) = (Some((name.to_owned(), at)), None);
            lines.clear();
        } else if text == "}" {
            if let (Some((name, first)), Some(least), Some(most)) =
                (function.take(), lines.iter().min(), lines.iter().max())
            {
                map.functions.push(MappedFunction { name, listing: first..at + 1, source: *least..most + 1 });
            }
            source = None;
        } else if let Some(place) = text.strip_prefix(".loc") {
            source = located(place, own);
        } else if let Some(source) = source
            && text.ends_with(';')
            && !text.starts_with('.')
        {
            map.pairs.push((at, source));
            lines.push(source);
        }
    }
    map
}

/// Parses `.file 1 "path"` and ignores the tokens after the path. `None` for other lines.
fn file(line: &str) -> Option<(&str, Cow<'_, str>)> {
    let rest = line.trim().strip_prefix(".file")?.trim_start();
    let (number, rest) = rest.split_once(char::is_whitespace)?;
    let path = rest.trim_start().strip_prefix('"')?.split('"').next()?;
    Some((number, source_path(path)))
}

/// Returns the name of the function that starts on a line. `None` for other lines.
fn entry(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(".entry ").or_else(|| text.split_once(".func "))?;
    let name = rest.trim_start().split(|c: char| c == '(' || c.is_whitespace()).next()?;
    (!name.is_empty()).then_some(name)
}

/// Returns the 0-based source line of a `.loc` with the operands `1 7 5` or `2 3 1, function_name $L,
/// inlined_at 1 7 5`. For code inlined from another file, returns the line of the call in this file. `None`
/// for code of other files.
fn located(place: &str, own: impl Fn(&str) -> bool) -> Option<u32> {
    let numbers = |text: &str| {
        let mut words = text.split_whitespace();
        let (file, line) = (words.next()?.to_owned(), words.next()?.parse::<u32>().ok()?);
        own(&file).then(|| line.checked_sub(1)).flatten()
    };
    let (at, call) = place.split_once(',').unwrap_or((place, ""));
    let called = call.split_once("inlined_at").map(|(_, call)| call);
    numbers(at).or_else(|| called.and_then(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_lead_to_lines_of_the_source() {
        let ptx = ".version 8.8\n.target sm_90\n.visible .entry k(\n\t.param .u64 k_0\n)\n{\n\t.reg .b32 %r<2>;\n\t.loc 1 5 3\n\tmov.u32 \
                   %r1, 1;\n\t.loc\t2 9 1, function_name $L_0, inlined_at 1 7 2\n\tadd.u32 %r1, %r1, 1;\n\tret;\n}\n\t.file\t1 \
                   \"/p/k.cu\"\n\t.file\t2 \"/p/k.h\"\n";
        let map = ptx_line_map(ptx, "/p/k.cu");
        assert_eq!(map.pairs, [(8, 4), (10, 6), (11, 6)]);
        assert_eq!(map.functions.len(), 1);
        assert_eq!((&*map.functions[0].name, &map.functions[0].source), ("k", &(4..7)));
        assert_eq!(ptx_line_map("", "/p/k.cu"), LineMap::default());
    }
}
