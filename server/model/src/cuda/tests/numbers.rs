//! Expressions of kernels as affine forms.

use super::*;
use crate::cuda::affine::numbers::LaunchContext;
use crate::cuda::affine::quantity::{Form, Quantity};
use crate::cuda::affine::scope::trips;
use std::fmt;
use std::rc::Rc;
use syntax::cuda::StmtKind;

impl fmt::Display for Quantity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |axis: &u8| ["x", "y", "z"][usize::from(*axis)];
        match self {
            Quantity::Thread(of) => write!(f, "thread.{}", axis(of)),
            Quantity::Block(of) => write!(f, "block.{}", axis(of)),
            Quantity::Counter(depth) => write!(f, "counter{depth}"),
            Quantity::Pass => write!(f, "pass"),
            Quantity::BlockSize(of) => write!(f, "blockDim.{}", axis(of)),
            Quantity::GridSize(of) => write!(f, "gridDim.{}", axis(of)),
            Quantity::Named(name) => write!(f, "{name}"),
            Quantity::Term(..) => write!(f, "term"),
        }
    }
}

/// Calls `ask` for a kernel with `n` = 100 and `[4, 2, 1]` blocks of `[32, 8, 1]` threads, or with unknown sizes.
pub(super) fn reading<T>(body: &str, is_known: bool, ask: impl FnOnce(&LaunchContext<'_>) -> T) -> T {
    let text = format!(
        "#define ROWS (n + 1)
         #define TWICE(x) (2 * (x))
         enum Kind {{ FIRST, SECOND = 4, THIRD }};
         constexpr int FIXED = 3; const int BASE = FIXED + 1; int loose = 5;
         typedef unsigned word; typedef float real;
         __device__ int table[64]; __constant__ float weights[64];
         __device__ void set(int &a); __device__ float at(const float *p, int i) {{ return p[i]; }}
         __device__ void put(float *p) {{ p[0] = 1; }}
         template <int STEP> __global__ void k(float *y, const float *x, int n, int m) {{ {body} }}"
    );
    let source = Source::parse(&text);
    let environment = Environment::new(source.unit());
    let (_, kernel) = environment.function("k").unwrap();
    let sizes = if is_known { [Some([4, 2, 1]), Some([32, 8, 1])] } else { [None; 2] };
    let arguments: Rc<[Option<Form<'_>>]> = Rc::new([None, None, Some(Form::from_constant(100))]);
    ask(&LaunchContext::with_arguments(&environment, kernel, sizes, arguments, &[TemplateValue::Number(7)])
        .unwrap())
}

/// The form of the initial value of a variable `v` of the body.
fn form(body: &str, is_known: bool) -> Option<String> {
    reading(body, is_known, |at| at.form(at.variable("v")?.value.as_ref()?).map(|form| form.to_string()))
}

#[test]
fn expressions_have_forms() {
    let cases = [
        ("blockIdx.x * blockDim.x + threadIdx.x", Some("thread.x + 32 * block.x")),
        ("(threadIdx.x + 1) * n - n", Some("100 * thread.x")),
        ("-(2 - (int)threadIdx.y)", Some("thread.y - 2")),
        ("threadIdx.x * threadIdx.y + 1", Some("thread.x * thread.y + 1")),
        ("n ? threadIdx.x : x[0]", Some("thread.x")),
        ("(n + 3) / 4 % 8", Some("1")),
        ("threadIdx.x / 2 * 4", Some("4 * term")),
        ("threadIdx.x ? 1 : 2", Some("term")),
        ("gridDim.y << 3", Some("16")),
        ("(idx_t)n + (word)1", Some("101")),
        // Forms do not wrap: an unsigned difference may be negative, and a number that exceeds 64 bits has no form.
        ("1u - 2u", Some("-1")),
        ("9223372036854775807 + 1", None),
        ("n * 9223372036854775807 * threadIdx.x", None),
        // Values from memory, calls and floating-point numbers have no form.
        ("x[n]", None),
        ("1.5f", None),
        ("(float)n", None),
        ("(bool)n", None),
        ("(real)n", None),
        ("m", None),
        ("at(x, 1)", None),
        ("TWICE(n)", None),
        ("n / 0", None),
        ("threadIdx->x", None),
    ];
    for (text, expected) in cases {
        assert_eq!(form(&format!("int v = {text};"), true).as_deref(), expected, "{text}");
    }
    let index = "int v = blockIdx.x * blockDim.x + threadIdx.x + blockDim.x * gridDim.x;";
    assert_eq!(
        form(index, false).as_deref(),
        Some("thread.x + block.x * blockDim.x + blockDim.x * gridDim.x")
    );
}

#[test]
fn names_mean_what_they_mean_where_they_are() {
    let cases = [
        ("int v = ROWS + FIRST + THIRD;", Some("106")),
        ("int v = FIXED * BASE + STEP;", Some("19")),
        ("int v = loose;", None),
        ("int v = table[0];", None),
        ("word a = n; int v = a;", Some("100")),
        ("real a = n; int v = a;", None),
        // A variable that changes, that may be changed, that is declared twice, or that is static.
        ("int a = 1; a++; int v = a;", None),
        ("int a = 1; set(a); int v = a;", None),
        ("int a = 1; int *p = &a; int v = a;", None),
        ("int a = 1; asm(\"\" : \"=r\"(a)); int v = a;", None),
        ("{ int a = 1; } { int a = 2; int v = a; }", None),
        ("static int a = 1; int v = a;", None),
        ("n = 3; int v = n;", None),
        // Names that hide others.
        ("int FIXED = 8; int v = FIXED;", Some("8")),
        ("int3 threadIdx; int v = threadIdx.x;", None),
        ("int THIRD = threadIdx.x; int v = THIRD;", Some("thread.x")),
        // A name that refers to itself.
        ("int v = v + v;", None),
    ];
    for (body, expected) in cases {
        assert_eq!(form(body, true).as_deref(), expected, "{body}");
    }
}

#[test]
fn loops_that_count_up_have_a_count() {
    let cases = [
        ("for (int i = 0; i < n; i++)", Some((0, 1, 100))),
        ("for (int i = 4; n >= i; i += FIXED)", Some((4, 3, 33))),
        ("for (int i = 0 - 2; i <= 2; ++i)", Some((-2, 1, 5))),
        ("for (int i = 0; i < n; i -= 0 - 50)", Some((0, 50, 2))),
        ("for (int i = 0; i < n; i--)", None),
        ("for (int i = n; i > 0; i--)", None),
        ("for (int i = 0; i < m; i++)", None),
        ("for (int i = 0; i < 0; i++)", None),
        ("for (int i = threadIdx.x; i < n; i++)", None),
        ("for (int i = 0; i != n; i++)", None),
        ("for (int i = 0; i < n; i *= 2)", None),
        ("for (int i = 0, j = 0; i < n; i++)", None),
        ("while (n)", None),
    ];
    for (head, expected) in cases {
        let found = reading(&format!("{head} y[0] = 1;"), true, |at| {
            let mut found = None;
            at.body.walk(&mut |stmt| {
                if let StmtKind::Loop(of) = &stmt.kind {
                    found = trips(at, of).map(|trips| (trips.first, trips.step, trips.count));
                }
            });
            found
        });
        assert_eq!(found, expected, "{head}");
    }
}
