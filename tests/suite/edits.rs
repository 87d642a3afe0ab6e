//! Edits of every kind in every language: the answers equal the answers for the same text newly opened.
//!
//! `WARPLENS_EDITS=20000 cargo test -p tests --test suite edits` makes 20,000 edits of each text; the default
//! is some hundred edits.

use crate::properties::answers;
use crate::session::{DOCUMENT, host, snapshot};
use ide::{Host, TextEdit};
use std::ops::Range;

/// Number of edits of each text, unless `WARPLENS_EDITS` states the number.
const FEW: usize = 150;
/// Number of edits from one comparison to the next.
const BETWEEN: usize = 7;
/// Number of edits after which the initial text is restored.
const UNTIL_RESTORED: usize = 400;

const LISTINGS: [(&str, &str); 13] = [
    ("sm_35", include_str!("hints/sm_35.cuobjdump.nvsass")),
    ("KeplerAs", include_str!("hints/kepleras.nvsass")),
    ("sm_61", include_str!("hints/sm_61.cuobjdump-braces.nvsass")),
    ("sm_61 without braces", include_str!("hints/sm_61.cuobjdump-without-braces.nvsass")),
    ("maxas", include_str!("hints/control_code.maxas.nvsass")),
    ("TuringAs", include_str!("hints/turingas.nvsass")),
    ("CuAssembler", include_str!("hints/control_code.cuasm.nvsass")),
    ("DeepSeek's", include_str!("hints/dsass.nvsass")),
    ("sm_90 of cuobjdump", include_str!("hints/control_code.sm_90.cuobjdump.nvsass")),
    ("sm_90 of nvdisasm", include_str!("hints/sm_90.nvdisasm-c.nvsass")),
    ("with lines and live ranges", include_str!("hints/nvdisasm-g-plr.nvsass")),
    ("annotated", include_str!("hints/sm_120.annotated.nvsass")),
    ("PTX", include_str!("hints/ptx.ptx")),
];

const CUDA: &str = include_str!("../corpus/ptx/features.cu");

const KERNELS: &str = "\
#define TILE 32
namespace n {
struct P {
  float x, m;
};
/// Stores a whole column.
__global__ void column(float *y, int n) {
  __shared__ float tile[TILE][TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  tile[threadIdx.x][0] = 1;
  __syncthreads();
  if (i < n) {
    y[i * 2] = tile[threadIdx.x][threadIdx.y] * 0.5;
  }
}
}
extern \"C\" {
template <int N>
__device__ float sum(const float *x)
{
  float s = 0;
  for (int i = 0; i < N; i++) s += x[i];
  return s;
}
__global__ void points(n::P *p) {
  int i = threadIdx.x;
  p[i].x += p[i].m;
#if __CUDA_ARCH__ >= 900
  asm volatile(\"add.f32 %0, %0, %1;\" : \"+f\"(p[i].x) : \"f\"(p[i].m));
#else
  p[i].x += 1;
#endif
}
}
void host(float *y, n::P *p) {
  n::column<<<dim3(8, 8), dim3(32, 32)>>>(y, 256);
  points<<<1, 1024>>>(p);
}
";

/// Texts that are inserted at random positions.
const PIECES: [&str; 30] = [
    "\n",
    "\r\n",
    " ",
    "\t",
    ";",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "é",
    "🚀",
    "#if X\n",
    "#endif\n",
    "R7",
    "0x10",
    ", ",
    "MOV R1, R2 ;\n",
    "        /*0040*/                   EXIT ;\n",
    "add.f32 %f1, %f2, %f3;\n",
    ".reg .b32 %r<9>;\n",
    "__global__ void f(int *p) {\n",
    "namespace q {\n",
    "x[i * 32] = 0.5;\n",
    "template <int N>\n",
    "--:-:1:-:4  ",
];

/// Lines that are typed letter by letter.
const TYPED: [&str; 8] = [
    "  for (int q = 0; q < 4; q++) { y[q * 33] = 1; }\n",
    "__global__ void typed(float *y) {\n  y[threadIdx.x * 2] = 1;\n}\n",
    "struct Q { int a[3]; };\n",
    "        FFMA R4, R5, R6, R4 ;\n",
    "        /*0030*/                   LDG.E R2, [R4.64] ;\n",
    "        ld.global.f32 %f1, [%rd1+4];\n",
    ".visible .entry typed(.param .u64 a)\n{\n  ret;\n}\n",
    "01:-:2:-:1      LDS.U.32 R3, [R2];\n",
];

/// A pseudo-random generator, the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

struct Edited<'t> {
    first: &'t str,
    text: String,
    host: Host,
    version: i32,
    name: &'t str,
}

impl<'t> Edited<'t> {
    fn new(name: &'t str, first: &'t str) -> Self {
        let mut host = host();
        host.open(DOCUMENT, 1, first);
        Self { first, text: first.to_owned(), host, version: 1, name }
    }

    /// An offset between two characters.
    fn place(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        (0..=at).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }

    fn edit(&mut self, range: Range<usize>, new: &str) {
        self.version += 1;
        self.text.replace_range(range.clone(), new);
        let edit = TextEdit { range, text: new.to_owned() };
        assert!(self.host.edit(DOCUMENT, self.version, &[edit]));
        // Answers for this version are memoised for the next versions.
        if self.version % 3 == 0 {
            let _ = self.answers();
        }
    }

    fn answers(&self) -> String {
        answers(&snapshot(&self.host), self.text.len())
    }

    fn check(&self, after: &str) {
        let mut fresh = host();
        fresh.open_as(DOCUMENT, 1, snapshot(&self.host).language(), &self.text);
        // The result of a simulation depends on the previous requests: a smaller part is simulated while the user
        // waits.
        let known = |text: String| {
            let lines = text
                .lines()
                .filter(|line| !["cycles", "limited by", "is_quick"].iter().any(|word| line.contains(word)));
            lines.map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
        };
        let (edited, fresh) = (known(self.answers()), known(answers(&snapshot(&fresh), self.text.len())));
        if let Some((edited, fresh)) =
            edited.lines().zip(fresh.lines()).find(|(edited, fresh)| edited != fresh)
        {
            panic!(
                "{}, {after}, version {}:\nedited {edited}\nfresh  {fresh}\n{}",
                self.name, self.version, self.text
            );
        }
        assert_eq!(edited.len(), fresh.len(), "{}, {after}", self.name);
    }

    /// Restores the initial text with a single edit of the differing range.
    fn restore(&mut self) {
        let (old, new) = (self.text.as_bytes(), self.first.as_bytes());
        let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let start = self.place(start);
        let most = old.len().min(new.len()) - start;
        let same =
            old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
        let mut end = old.len() - same;
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let new_end = self.first.len() - (self.text.len() - end);
        let new = self.first[start..new_end].to_owned();
        self.edit(start..end, &new);
        assert_eq!(self.text, self.first);
    }

    fn lines(&self, dice: &mut Dice) -> Range<usize> {
        let starts: Vec<usize> = self
            .text
            .split_inclusive('\n')
            .scan(0, |at, line| {
                *at += line.len();
                Some(*at - line.len())
            })
            .collect();
        let first = dice.roll(starts.len());
        let start = starts.get(first).copied().unwrap_or(0);
        let end = starts.get(first + 1 + dice.roll(20)).copied().unwrap_or(self.text.len());
        start..end
    }

    fn one(&mut self, dice: &mut Dice) {
        match dice.roll(8) {
            0..3 => {
                let start = self.place(dice.roll(self.text.len() + 1));
                let end = self.place(start + dice.roll(8)).max(start);
                let new: String = (0..dice.roll(3)).map(|_| PIECES[dice.roll(PIECES.len())]).collect();
                self.edit(start..end, &new);
            }
            3..6 => {
                let range = self.lines(dice);
                let cut = self.text[range.clone()].to_owned();
                self.edit(range.clone(), "");
                if dice.roll(4) > 0 {
                    self.check("a cut");
                    self.edit(range.start..range.start, &cut);
                    self.check("its undoing");
                }
            }
            _ => {
                let line = self.lines(dice).start;
                let typed = TYPED[dice.roll(TYPED.len())];
                let keys = dice.roll(typed.len()) + 1;
                for (at, key) in typed.bytes().enumerate().take(keys) {
                    self.edit(line + at..line + at, &char::from(key).to_string());
                }
                self.check("typing");
                if dice.roll(2) == 0 {
                    self.edit(line..line + keys, "");
                    self.check("undoing what was typed");
                }
            }
        }
    }
}

fn edits() -> usize {
    std::env::var("WARPLENS_EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(FEW)
}

fn check(name: &str, text: &str) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ text.len() as u64);
    let mut edited = Edited::new(name, text);
    let (mut restored, mut checked) = (0, 0);
    while edited.version < edits() as i32 {
        edited.one(&mut dice);
        if edited.version as usize / BETWEEN > checked {
            checked = edited.version as usize / BETWEEN;
            edited.check("an edit");
        }
        if edited.version as usize / UNTIL_RESTORED > restored {
            restored = edited.version as usize / UNTIL_RESTORED;
            edited.restore();
            edited.check("all of them undone");
        }
    }
    edited.restore();
    edited.check("all of them undone");
    println!("{name}: {} edits", edited.version);
}

#[test]
fn edited_listings_and_ptx_answer_as_if_freshly_opened() {
    for (name, text) in LISTINGS {
        check(name, text);
    }
}

#[test]
fn edited_cuda_answers_as_if_freshly_opened() {
    check("features.cu", CUDA);
    check("kernels", KERNELS);
}

#[test]
fn twenty_lines_that_are_cut_and_put_back_leave_no_trace() {
    let mut edited = Edited::new("kernels", KERNELS);
    let starts: Vec<usize> = KERNELS.match_indices('\n').map(|(at, _)| at + 1).collect();
    for pair in starts.windows(20) {
        let (start, end) = (pair[0], pair[19]);
        edited.edit(start..end, "");
        edited.check("the cut");
        edited.edit(start..start, &KERNELS[start..end]);
        edited.check("its undoing");
    }
}
