//! Compact listings for the views of sources and cubins: one line per instruction.

use std::fmt::Write;

/// Directives that do not affect the code's cost.
const NOISE: &[&str] =
    &[".align", ".elftype", ".global", ".other", ".section", ".sectionflags", ".size", ".type", ".weak"];
/// Number of leading blank columns to remove: the vendor's tools print them before an address.
const INDENT: usize = 8; // Source: output of nvdisasm and cuobjdump
const LESS_BEFORE: usize = 6; // limit: layout of the listing, in columns
/// Number of blank columns to remove between an address and its instruction. The remaining blanks fit the
/// longest guard, `@!UP0`.
const LESS_AFTER: usize = 12; // limit: layout of the listing: the longest guard fits
/// First architecture whose instructions are encoded in two 64-bit words. Disassemblers print the second word on a
/// separate line.
const FIRST_OF_TWO_WORDS: u32 = 70; // Source: NVIDIA CUDA binary utilities: Volta, 128-bit instructions

/// A listing with one line per instruction, and the map from lines of the original listing to lines of this
/// listing.
///
/// The encodings are at the end of their instruction's line, where an editor can hide them. The source lines
/// follow the encodings, unless the listing is shown next to its source. Directives that only a linker reads,
/// blank columns, and the NOPs that fill the last cache line of a function are removed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DenseListing {
    pub(crate) text: String,
    /// For each line of the original, counted from 0, the corresponding line in `text`. A removed line maps
    /// to the next line that was kept.
    lines: Vec<u32>,
}

impl DenseListing {
    pub(crate) fn new(listing: &str) -> Self {
        Self::written(listing, true)
    }

    /// Compacts a listing and omits its source lines, for a client that maps listing lines to source lines with a line
    /// map.
    pub(crate) fn without_places(listing: &str) -> Self {
        Self::written(listing, false)
    }

    fn written(listing: &str, has_places: bool) -> Self {
        let mut writer = Writer { has_two_words: has_two_words(listing), has_places, ..Writer::default() };
        for line in listing.lines() {
            writer.take(line);
        }
        writer.end_function();
        Self { text: writer.text, lines: writer.lines }
    }

    /// Converts a line of the original to a line of `text`; both count from 0. The original's end becomes the text's
    /// end.
    pub(crate) fn line(&self, original: u32) -> u32 {
        let end = || self.text.lines().count() as u32;
        self.lines.get(original as usize).copied().unwrap_or_else(end)
    }
}

#[derive(Debug, Default)]
struct Writer<'a> {
    text: String,
    lines: Vec<u32>,
    /// Number of lines written to `text` so far.
    count: u32,
    has_two_words: bool,
    /// True if source lines are written.
    has_places: bool,
    /// Name of the function whose code follows.
    function: &'a str,
    /// Source locations of the next instruction.
    places: Vec<&'a str>,
    /// An instruction whose second word may follow, and its source locations.
    open: Option<(String, Vec<&'a str>)>,
    /// Pending NOPs and labels, written only if an instruction follows. The flag is true for a NOP.
    held: Vec<(String, bool)>,
}

impl<'a> Writer<'a> {
    fn take(&mut self, line: &'a str) {
        let text = line.trim();
        if self.has_two_words
            && is_word(text)
            && let Some((open, _)) = &mut self.open
        {
            open.push(' ');
            open.push_str(text);
            self.lines.push(self.count + self.held.len() as u32);
            return;
        }
        self.close();
        self.lines.push(self.count + self.held.len() as u32);
        if text.starts_with("//## File \"") {
            self.places.extend(self.has_places.then_some(text));
        } else if let Some(instruction) = instruction(text) {
            self.open = Some((narrowed(line, instruction), std::mem::take(&mut self.places)));
        } else if let Some(function) = header(text) {
            self.end_function();
            self.function = function;
            self.write(line);
        } else if !self.is_noise(text) {
            self.write(line);
        }
    }

    /// Writes the instruction in `open`.
    fn close(&mut self) {
        let Some((mut line, places)) = self.open.take() else { return };
        for place in places {
            // Writing to a string does not fail.
            let _ = write!(line, " {place}");
        }
        let is_nop = instruction(line.trim()).is_some_and(|rest| opcode(rest) == "NOP");
        if is_nop {
            self.held.push((line, true));
        } else {
            for (held, _) in std::mem::take(&mut self.held) {
                self.push(&held);
            }
            self.push(&line);
        }
    }

    /// Writes a line that is not an instruction.
    fn write(&mut self, line: &str) {
        if self.held.is_empty() {
            self.push(line);
        } else {
            self.held.push((line.to_owned(), false));
        }
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
        self.count += 1;
    }

    /// Ends the code of a function and drops NOPs that no instruction follows.
    fn end_function(&mut self) {
        self.close();
        let first = self.count;
        // Line numbers in `text` that the held lines map to.
        let mut now = Vec::with_capacity(self.held.len());
        for (line, is_nop) in std::mem::take(&mut self.held) {
            now.push(self.count);
            if !is_nop {
                self.push(&line);
            }
        }
        let (end, held) = (self.count, now.len() as u32);
        for line in self.lines.iter_mut().rev().take_while(|line| **line >= first) {
            let at = *line - first;
            *line = if at < held { now[at as usize] } else { end + (at - held) };
        }
    }

    /// True if the compact listing omits the line.
    fn is_noise(&self, text: &str) -> bool {
        let word = text.split_ascii_whitespace().next().unwrap_or_default();
        text.is_empty()
            || text.bytes().all(|byte| byte == b'.')
            || NOISE.contains(&word)
            || text.strip_suffix(':').is_some_and(|label| label == self.function)
    }
}

/// True if the listing names an architecture that encodes an instruction in two words; false if it names no
/// architecture.
fn has_two_words(listing: &str) -> bool {
    let named = listing.match_indices("sm_").map(|(at, mark)| &listing[at + mark.len()..]);
    let number = |text: &str| -> Option<u32> {
        let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        text[..digits].parse().ok()
    };
    let mut heads = listing.lines().filter(|line| line.contains(".target") || line.contains("code for sm_"));
    let head = heads.find_map(|line| number(line.split_once("sm_")?.1));
    head.or_else(|| named.take(1).find_map(number)).is_some_and(|sm| sm >= FIRST_OF_TWO_WORDS)
}

/// The text after the address, as in `/*00f0*/ FADD R0, R1, R2 ;`; `None` if there is no address.
fn instruction(text: &str) -> Option<&str> {
    let (address, rest) = text.strip_prefix("/*")?.split_once("*/")?;
    let is_address = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_address && !rest.trim().is_empty()).then_some(rest)
}

/// True if a text is one encoded word: `/* 0x000fe20000000800 */`.
fn is_word(text: &str) -> bool {
    let inner = text.strip_prefix("/*").and_then(|text| text.strip_suffix("*/")).map(str::trim);
    inner
        .and_then(|word| word.strip_prefix("0x"))
        .is_some_and(|word| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The function whose code starts at a line: `//------- .text.name -------`, `Function : name`. `None` for
/// any other line.
fn header(text: &str) -> Option<&str> {
    if let Some(name) = text.strip_prefix("Function : ") {
        return Some(name);
    }
    let rest = text.strip_prefix("//")?;
    let name = rest.strip_prefix("----------").map(|rest| rest.trim_start_matches('-').trim_start())?;
    name.split_ascii_whitespace().next()?.strip_prefix(".text.").or(Some(""))
}

/// The opcode of an instruction's text, without its modifiers.
fn opcode(text: &str) -> &str {
    let mut words = text.split([' ', ';', '{']).filter(|word| !word.is_empty() && !word.starts_with('@'));
    words.next().unwrap_or_default().split('.').next().unwrap_or_default()
}

/// An instruction's line with fewer blanks before and after the address and before the encoding.
fn narrowed(line: &str, rest: &str) -> String {
    let blanks = |text: &str| text.len() - text.trim_start_matches(' ').len();
    let indent = blanks(line);
    let address = line.trim_start().find("*/").map_or("", |end| &line.trim_start()[..end + 2]);
    let (before, after) =
        if indent == INDENT && blanks(rest) > LESS_AFTER { (LESS_BEFORE, LESS_AFTER) } else { (0, 0) };
    let (code, word) = rest.split_once("/* 0x").map_or((rest, None), |(code, word)| (code, Some(word)));
    let mut narrowed = format!("{}{address}{}", &line[before..indent], code[after..].trim_end());
    if let Some(word) = word {
        let _ = write!(narrowed, "  /* 0x{}", word.trim_end());
    }
    narrowed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removes the indentation up to and including the `|` at the start of each line, and trailing blanks.
    fn lines(marked: &str) -> String {
        let all = marked.split('|').skip(1);
        all.flat_map(|line| [line.trim_end_matches([' ', '\n']), "\n"]).collect()
    }

    fn listing() -> String {
        lines(
            "|\t.target\tsm_90
            |
            |\t.elftype\t@\"ET_EXEC\"
            |
            |//--------------------- .text.k             --------------------------
            |\t.section\t.text.k,\"ax\",@progbits
            |        .global         k
            |k:
            |.text.k:
            |\t//## File \"a.h\", line 3 inlined at \"k.cu\", line 7
            |\t//## File \"k.cu\", line 7
            |        /*0000*/              @!P0 LDC R1, c[0x0][0x28] ;          /* 0x00000a00ff017b82 */
            |                                                                   /* 0x000fe20000000800 */
            |        /*0010*/                   NOP ;                           /* 0x0000000000007918 */
            |                                                                   /* 0x000fc00000000000 */
            |.L_x_0:
            |        /*0020*/                   BRA `(.L_x_0);                  /* 0xfffffffc00fc7947 */
            |                                                                   /* 0x000fc0000383ffff */
            |        /*0030*/                   NOP;                            /* 0x0000000000007918 */
            |                                                                   /* 0x000fc00000000000 */
            |.L_x_1:
            |
            |//--------------------- .text.l             --------------------------
            |        /*0000*/                   EXIT ;
            ",
        )
    }

    fn dense() -> String {
        lines(
            "|\t.target\tsm_90
            |//--------------------- .text.k             --------------------------
            |.text.k:
            |  /*0000*/  @!P0 LDC R1, c[0x0][0x28] ;  /* 0x00000a00ff017b82 */ /* 0x000fe20000000800 */ \
//## File \"a.h\", line 3 inlined at \"k.cu\", line 7 //## File \"k.cu\", line 7
            |  /*0010*/       NOP ;  /* 0x0000000000007918 */ /* 0x000fc00000000000 */
            |.L_x_0:
            |  /*0020*/       BRA `(.L_x_0);  /* 0xfffffffc00fc7947 */ /* 0x000fc0000383ffff */
            |.L_x_1:
            |//--------------------- .text.l             --------------------------
            |  /*0000*/       EXIT ;
            ",
        )
    }

    #[test]
    fn an_instruction_has_one_line_with_all_that_belongs_to_it() {
        assert_eq!(DenseListing::new(&listing()).text, dense());
        assert_eq!(DenseListing::new("").text, "");
    }

    #[test]
    fn a_listing_next_to_its_source_does_not_repeat_source_lines() {
        let (all, without) = (DenseListing::new(&listing()), DenseListing::without_places(&listing()));
        assert!(!without.text.contains("//##"), "{}", without.text);
        assert!(without.text.contains("/* 0x000fe20000000800 */\n"), "{}", without.text);
        assert_eq!(without.lines, all.lines);
    }

    #[test]
    fn each_line_leads_to_what_it_became() {
        let listing = listing();
        let dense = DenseListing::new(&listing);
        let new: Vec<&str> = dense.text.lines().collect();
        for (at, old) in listing.lines().enumerate() {
            let now = new.get(dense.line(at as u32) as usize).copied().unwrap_or_default();
            let address = old.trim_start().split_once("*/").map(|(address, _)| address);
            match address.filter(|address| !address.contains(' ')) {
                Some("/*0030") => assert_eq!(now, ".L_x_1:", "the NOP at the end is left out"),
                Some(address) => assert!(now.trim_start().starts_with(address), "line {at}: {now}"),
                None if old.starts_with(".L_x") => assert_eq!(now, old),
                None => {}
            }
        }
        assert_eq!(dense.line(1_000), new.len() as u32);
    }

    #[test]
    fn control_words_of_groups_keep_their_lines() {
        let listing = "\t.target\tsm_52\n        /*0008*/                   MOV R1, c[0x0][0x20] ;  /* 0x4c98078000870001 */\n\
                       \x20                       /* 0x001ffc00fe2007f1 */\n";
        let text = DenseListing::new(listing).text;
        assert_eq!(text.lines().count(), 3, "{text}");
    }
}
