//! Kernel templates in the notations of hand-written sources.

use crate::engine::sass_view::SassView;
use crate::{Completion, CompletionKind};
use syntax::sass::Dialect;

/// Template of a kernel in the notation of an assembler. The kernel reads its thread index and exits.
struct Skeleton {
    assembler: &'static str,
    /// Dialect of a text that starts with this template.
    dialect: Dialect,
    meaning: &'static str,
    /// Snippet with tab stops.
    text: &'static str,
}

/// Builds a kernel template for maxas or KeplerAs from the architecture and the control codes of the
/// two instructions.
macro_rules! mapped {
    ($sm:literal, $reads:literal, $ends:literal) => {
        concat!(
            "\
# Kernel: ${1:kernel}
# Arch: sm_${2:",
            $sm,
            "}
# RegCnt: ${3:32}
# SharedSize: 0
# BarCnt: 0
# Params(1):
#\tord:addr:size:align
#\t0:0x140:8:0
#
# Instructions:

<CONSTANT_MAPPING>
    ${4:out}[0] : c[0x0][0x140]
    ${4}[1] : c[0x0][0x144]
</CONSTANT_MAPPING>

<REGISTER_MAPPING>
    0 : ${5:tid}
</REGISTER_MAPPING>

",
            $reads,
            "      S2R ${5}, SR_TID.X;\n$0\n",
            $ends,
            "      EXIT;\n",
        )
    };
}

const SKELETONS: [Skeleton; 4] = [
    Skeleton {
        assembler: "CuAssembler",
        dialect: Dialect::Cuasm,
        meaning: "A kernel for CuAssembler (Maxwell to Ampere): its header and its code.",
        text: r#"        .__elf_type             ET_EXEC
        .headerflags    @"EF_CUDA_SM${1:75} EF_CUDA_PTX_SM(EF_CUDA_SM${1})"

//--------------------- .text.${2:kernel}                          --------------------------
        .section        .text.${2},"ax",@progbits
        .sectioninfo    @"SHI_REGISTERS=${3:16}"
        .align          128
        .global         ${2}
        .type           ${2},@function
  .text.${2}:
      [B------:R-:W0:-:S02]         S2R R0, SR_TID.X ;
      $0
      [B------:R-:W-:Y:S05]         EXIT ;
"#,
    },
    Skeleton {
        assembler: "maxas",
        dialect: Dialect::Maxas,
        meaning: "A kernel for maxas (Maxwell and Pascal): its header, names for registers and constants, and its code.",
        text: mapped!("61", "--:-:1:-:1", "--:-:-:-:5"),
    },
    Skeleton {
        assembler: "TuringAs",
        dialect: Dialect::TuringAs,
        meaning: "A kernel for TuringAs (Volta to Ampere): its parameters, names for registers, and its code.",
        text: "\
<params>
${1:out}, 8
</params>

<regs>
0 : ${2:tid}
</regs>

--:-:0:-:2      S2R ${2}, SR_TID.X;
$0
--:-:-:-:5      EXIT;
",
    },
    Skeleton {
        assembler: "KeplerAs",
        dialect: Dialect::KeplerAs,
        meaning: "A kernel for KeplerAs (Kepler): its header, names for registers and constants, and its code.",
        text: mapped!("35", "-:-:-:-:00", "-:-:-:-:05"),
    },
];

/// Proposes kernel templates for a text without instructions: the template of the dialect, or all
/// templates if the dialect is unknown.
pub(super) fn kernels(sass: &SassView) -> Vec<Completion> {
    let listing = sass.listing();
    if listing.chunks().iter().any(|chunk| !chunk.instructions().is_empty()) {
        return Vec::new();
    }
    let fits = |skeleton: &&Skeleton| listing.dialect().is_none_or(|dialect| dialect == skeleton.dialect);
    let item = |skeleton: &Skeleton| Completion {
        snippet: Some(skeleton.text.to_owned()),
        ..Completion::explained(
            &format!("kernel ({})", skeleton.assembler),
            CompletionKind::Snippet,
            skeleton.meaning,
        )
    };
    SKELETONS.iter().filter(fits).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::sass::{LineKind, Listing};

    /// Text of a snippet with the default values of its tab stops.
    fn accepted(snippet: &str) -> String {
        let mut text = String::new();
        let mut values: Vec<(&str, &str)> = Vec::new();
        let mut pieces = snippet.split("${");
        text.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (stop, rest) = piece.split_once('}').expect("a stop is closed");
            let value = match stop.split_once(':') {
                Some((number, value)) => {
                    values.push((number, value));
                    value
                }
                None => {
                    values.iter().find(|(number, _)| *number == stop).expect("a stop precedes its copies").1
                }
            };
            text.push_str(value);
            text.push_str(rest);
        }
        text.replace("$0", "")
    }

    #[test]
    fn each_skeleton_is_a_kernel_of_its_notation() {
        for skeleton in SKELETONS {
            let text = accepted(skeleton.text);
            let listing = Listing::parse(&text);
            assert_eq!(listing.dialect(), Some(skeleton.dialect), "{text}");
            let instructions: usize = listing.chunks().iter().map(|chunk| chunk.instructions().len()).sum();
            assert_eq!(instructions, 2, "{text}");
            for chunk in listing.chunks() {
                assert!(chunk.errors().is_empty(), "{:?} in {text}", chunk.errors());
                for (number, line) in chunk.lines().iter().enumerate() {
                    if line.kind == LineKind::Instruction {
                        assert!(chunk.line_text(number).contains(':'), "a control code: {text}");
                    }
                }
            }
        }
    }
}
