//! Tests of preprocessor conditions.

use super::{Conditions, Pass, State};
use proptest::prelude::*;

const H100: Pass = Pass::Device { sm: Some(90) };
const ANY: Pass = Pass::Device { sm: None };

/// The states of the parts of a text: `+` taken, `-` left out, `?` unknown.
fn states(text: &str, pass: Pass) -> String {
    let letter = |state| match state {
        State::Taken => '+',
        State::LeftOut => '-',
        State::Unknown => '?',
    };
    Conditions::read(text, pass, None).states.iter().map(|(_, state)| letter(*state)).collect()
}

#[test]
fn a_condition_has_the_value_that_the_preprocessor_gives_it() {
    let before = "#define N 8\n#define M (N * 2 - 1)\n#define F(x) x\n#define E\n#undef U\n";
    for (condition, on_h100, on_any, on_host) in [
        ("__CUDA_ARCH__ >= 800", '+', '?', '-'),
        ("__CUDA_ARCH__ < 700", '-', '?', '+'),
        ("(__CUDA_ARCH__ == 900)", '+', '?', '-'),
        ("defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750 // Turing", '+', '?', '-'),
        ("!defined __CUDA_ARCH__ || (__CUDA_ARCH__ >= 1000)", '-', '?', '+'),
        ("__CUDA_ARCH__ / 100 == 9 && N > 4", '+', '?', '-'),
        ("0 && X", '-', '-', '-'),
        ("X || 1", '+', '+', '+'),
        ("X || 0", '?', '?', '?'),
        ("defined(X)", '?', '?', '?'),
        ("defined(N) /* it is */ && !defined(U)", '+', '+', '+'),
        ("M == 15 and N << 1 == 0x10", '+', '+', '+'),
        ("U", '-', '-', '-'),
        ("F(1) || __has_include(<mma.h>)", '?', '?', '?'),
        ("F(1) ? 0 : 0", '-', '-', '-'),
        ("N / 0", '?', '?', '?'),
        ("E", '?', '?', '?'),
        ("N ==", '?', '?', '?'),
        ("1 \\\n  && 0", '-', '-', '-'),
        ("-N + 8 || ~0 == -1", '+', '+', '+'),
        ("'a' == 97", '?', '?', '?'),
        ("__CUDACC_VER_MAJOR__ >= 12", '?', '?', '?'),
        ("", '?', '?', '?'),
    ] {
        let text = format!("{before}#if {condition}\n#endif\n");
        let found = [H100, ANY, Pass::Host].map(|pass| states(&text, pass));
        assert_eq!(found, [on_h100, on_any, on_host].map(String::from), "{condition}");
    }
}

#[test]
fn one_part_of_a_condition_is_taken() {
    for (text, expected) in [
        ("#if 0\n#elif 1\n#elif 1\n#else\n#endif", "-+--"),
        ("#if X\n#elif 1\n#elif Y\n#else\n#endif", "??--"),
        ("#if X\n#elif 0\n#else\n#endif", "?-?"),
        ("#ifdef __CUDACC__\n#else\n#if 1\n#else\n#endif\n#endif", "+---"),
        ("#ifndef __CUDA_ARCH__ // host\n#else\n#endif", "-+"),
        ("#ifdef X/* */\n#elifndef __NVCC__\n#else\n#endif", "?-?"),
        ("/*\n#if 0\n*/ x\n#if 1\n#endif", "+"),
        ("s = \"/*\";\n # if 1\n#endif // /*\n#if 0", "+-"),
        ("#endif\n#else\n#elif 1\n#if 1", "+"),
    ] {
        assert_eq!(states(text, H100), expected, "{text}");
    }
}

#[test]
fn macros_mean_what_the_text_says_up_to_there() {
    for (text, expected) in [
        ("#if N\n#endif\n#define N 1\n#if N\n#endif\n#define N 0\n#if N\n#endif", "?+-"),
        ("#define N 1\n#undef N\n#ifdef N\n#endif\n#if N\n#endif", "--"),
        ("#if 0\n#define N 1\n#else\n#define N 2\n#endif\n#if N == 2\n#endif", "-++"),
        // Macros that a part in state `Unknown` defines are known only within that part.
        ("#ifndef N\n#define N 4\n#if N == 4\n#endif\n#endif\n#if N == 4\n#endif", "?+?"),
        ("#define N 1\n#if X\n#undef N\n#else\n#if N\n#endif\n#endif\n#if N\n#endif", "??+?"),
        ("#define N 1\n#if X\n#if Y\n#define N 2\n#endif\n#endif\n#ifdef N\n#endif", "???"),
        ("#define A B\n#define B A\n#if A\n#endif", "?"),
        ("#define A 1 + 1\n#if A * 2 == 3\n#endif", "+"),
        ("#define __CUDA_ARCH__ 350\n#if __CUDA_ARCH__ >= 800\n#endif", "-"),
    ] {
        assert_eq!(states(text, H100), expected, "{text}");
    }
}

#[test]
fn places_are_left_out_or_in_doubt() {
    let text = "\na\n#if 0\nb\n # else // x\nc\n#endif\nd\n#ifdef X\n#if 1 // y\ne\n#else\nf\n#endif\n#endif\ng #if 0\nh\n#if 0\ni";
    let conditions = Conditions::read(text, ANY, None);
    let of = |letter: &str| {
        let at = text.find(&format!("\n{letter}\n")).map_or(text.len() - 1, |at| at + 1);
        (conditions.is_unknown(at), conditions.is_left_out(at))
    };
    let found = ["a", "b", "c", "d", "e", "f", "h", "i"].map(of);
    let (plain, left_out) = ((false, false), (false, true));
    assert_eq!(found, [plain, left_out, plain, plain, (true, false), (true, true), plain, left_out]);
}

proptest! {
    #[test]
    fn any_text_can_be_read(
        lines in proptest::collection::vec(
            "(#(if|elif|else|endif|define|ifdef|undef) )?[A-C0-9()&|!<=>?:*/+'\"\\\\é -]{0,12}", 0..16)
    ) {
        let text = lines.join("\n");
        let conditions = Conditions::read(&text, H100, None);
        for at in 0..text.len() {
            let _ = (conditions.is_left_out(at), conditions.is_unknown(at), conditions.state(at));
        }
    }
}

#[test]
fn long_lines_and_deep_conditions_take_time_by_their_length() {
    const MANY: usize = 300_000;
    let stars = format!("float {}x;\n#if 1\n#endif\n", "*".repeat(MANY));
    assert_eq!(Conditions::read(&stars, Pass::Host, None).states.len(), 1);
    let strings = format!("\"{}\n#if 1\n#endif\n", "/*".repeat(MANY));
    assert_eq!(Conditions::read(&strings, Pass::Host, None).states.len(), 1);
    let deep = ["#if X\n#define A 1\n".repeat(MANY), "#endif\n".repeat(MANY)].concat();
    assert_eq!(Conditions::read(&deep, Pass::Host, None).states.len(), MANY);
    // Each takes minutes if the scanner compares every byte with the other bytes of its line.
    assert!(Conditions::read("//* no comment\n#if 1\n#endif\n", Pass::Host, None).states.len() == 1);
}

#[test]
fn names_without_a_definition_may_be_assumed_to_be_undefined() {
    let text = "#ifdef A\n#elif B > 2\n#elif !defined(C) && __CUDA_ARCH__ >= 800\n#else\n#endif\n";
    let default = Conditions::by_default(text, H100, None);
    let states: Vec<State> = default.states.iter().map(|(_, state)| *state).collect();
    assert_eq!(states, [State::LeftOut, State::LeftOut, State::Taken, State::LeftOut]);
}
