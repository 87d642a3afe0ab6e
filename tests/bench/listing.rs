//! Long listings whose kernels all differ, generated from one of this project, and edits in the middle of the
//! listings.

use std::fmt::Write;

/// Output of `cuobjdump -sass` for this project's SGEMM on sm_90.
const SAMPLE: &str = include_str!("../corpus/sm_90/sgemm.cuobjdump-sass.txt");

/// A text, with the offsets of its lines.
pub(crate) struct Listing {
    /// The language as an editor states it.
    pub language: &'static str,
    pub text: String,
    /// Byte offsets of the lines in the text.
    starts: Vec<usize>,
}

/// An edit within one line.
pub(crate) struct Edit {
    /// 0-based line number.
    pub line: usize,
    pub start: usize,
    pub end: usize,
    pub new: String,
}

/// Returns the text before the sample's kernel, and the text after its name.
pub(crate) fn parts() -> (&'static str, &'static str) {
    SAMPLE.split_once("\t\tFunction : sgemm16\n").expect("the sample has the kernel")
}

/// A listing of this number of lines, made of kernels of about a thousand lines each.
pub(crate) fn of_lines(lines: usize) -> Listing {
    let (head, body) = parts();
    let body: Vec<&str> = body.lines().collect();
    let mut text = String::from(head);
    let mut count = head.lines().count();
    let mut kernel = 0_usize;
    'kernels: loop {
        let _ = writeln!(text, "\t\tFunction : sgemm16_{kernel:05}");
        count += 1;
        let is_own = |&index: &usize| body[index].contains(" ;");
        let own = (60 + kernel % 200..body.len()).find(is_own);
        for (index, line) in body.iter().enumerate() {
            if count >= lines {
                break 'kernels;
            }
            // One immediate is different in each kernel, so no two kernels have the same text. The encoding
            // is unchanged, so the kernel keeps all its control codes.
            if let Some((_, encoding)) = line.split_once(" ;").filter(|_| own == Some(index)) {
                let address = &line[..line.find("*/").map_or(0, |end| end + 2)];
                let _ = writeln!(text, "{address}                   MOV R14, 0x{kernel:05x} ;{encoding}");
            } else {
                text.push_str(line);
                text.push('\n');
            }
            count += 1;
        }
        kernel += 1;
    }
    Listing::new("nvsass", text)
}

/// A listing of one kernel with this number of instructions. They repeat the sample's instructions without
/// branches.
pub(crate) fn of_one_kernel(count: usize) -> Listing {
    let (head, body) = parts();
    let lines: Vec<&str> = body.lines().collect();
    let leads_on = |line: &str| {
        ["BRA", "EXIT", "BSSY", "BSYNC", "RET", "CALL", "BAR", "NOP"].iter().all(|word| !line.contains(word))
    };
    let pairs: Vec<(&str, &str)> = lines
        .windows(2)
        .filter(|pair| pair[0].contains("*/ ") && pair[0].contains(" ;") && leads_on(pair[0]))
        .map(|pair| (pair[0], pair[1]))
        .collect();
    let mut text = format!("{head}\t\tFunction : sgemm16\n");
    for (at, (line, word)) in pairs.iter().cycle().take(count).enumerate() {
        let (_, rest) = line.split_once("*/").expect("an address is a comment");
        let _ = write!(text, "        /*{:04x}*/{rest}\n{word}\n", at * 16);
    }
    // The encoding is included: without its control code nothing would be simulated.
    let exit = lines.windows(2).find(|pair| pair[0].contains(" EXIT ;")).expect("the sample ends");
    let (_, rest) = exit[0].split_once("*/").expect("an address is a comment");
    let _ = writeln!(text, "        /*{:04x}*/{rest}\n{}", count * 16, exit[1]);
    Listing::new("nvsass", text)
}

/// Replaces the last register of an instruction near `line` with a new immediate, also in the text.
pub(crate) fn edit(listing: &mut Listing, line: usize, number: usize) -> Edit {
    let is_instruction = |line: &usize| listing.line(*line).contains(" ;");
    let line = (line..listing.starts.len()).find(is_instruction).expect("the listing goes on");
    let text = listing.line(line);
    let end = text.find(" ;").expect("an instruction ends");
    let start = text[..end].rfind([' ', ',']).expect("operands follow a blank") + 1;
    let old_length = end - start;
    listing.replace(line, start, end, format!("0x{number:0>width$x}", width = old_length.max(5) - 2))
}

/// Returns the line of a wait for the first scoreboard whose removal is a hazard: the high word of an instruction that
/// multiplies a loaded value, in the kernel around `line`.
pub(crate) fn waiting(listing: &Listing, line: usize) -> usize {
    let multiplies = |line: usize| listing.line(line).contains(" FFMA ");
    let begins = (0..=line).rev().find(|&line| listing.line(line).contains("Function :"));
    let mut lines = begins.map_or(line, |begins| begins + OWN_ABOVE)..listing.starts.len();
    let found =
        lines.find(|&line| listing.line(line).trim_start().starts_with(WAITS) && multiplies(line - 1));
    found.expect("the sample multiplies what it loads")
}

/// Number of lines above. They contain a kernel's modified instruction, and may lack a load.
const OWN_ABOVE: usize = 300;

/// Start of a line with only a high word whose wait mask contains just the first scoreboard.
const WAITS: &str = "/* 0x001";

/// Removes the wait from the high word in `line`, or restores it, and makes the word different from all
/// previous words.
pub(crate) fn wait_edit(listing: &mut Listing, line: usize, waits: bool, number: usize) -> Edit {
    let text = listing.line(line);
    let start = text.find("0x00").expect("the line has a word") + "0x00".len();
    let end = text.find(" */").expect("a word is a comment");
    let kept = &text[start + 1..end - 5];
    let new = format!("{}{kept}{number:05x}", u8::from(waits));
    listing.replace(line, start, end, new)
}

impl Listing {
    pub(crate) fn new(language: &'static str, text: String) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { language, text, starts }
    }

    pub(crate) fn lines(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn line(&self, line: usize) -> &str {
        self.text[self.starts[line]..].lines().next().unwrap_or("")
    }

    /// Replaces bytes of a line, also in the text.
    pub(crate) fn replace(&mut self, line: usize, start: usize, end: usize, new: String) -> Edit {
        let at = self.starts[line];
        self.text.replace_range(at + start..at + end, &new);
        let grown = new.len() as isize - (end - start) as isize;
        for start in &mut self.starts[line + 1..] {
            *start = start.checked_add_signed(grown).expect("offsets stay positive");
        }
        Edit { line, start, end, new }
    }
}
