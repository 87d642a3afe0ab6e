//! Tests of macros that expand to lvalues.

use super::accesses;

fn found(macros: &str, body: &str) -> Vec<String> {
    let text = format!("{macros}\n__global__ void k(float *a, float *b) {{ int i = threadIdx.x; {body} }}");
    accesses(&text, [1, 1, 1], [32, 1, 1], &[])
}

#[test]
fn macros_stand_for_places() {
    let store = ["2 global store: 1 x 32 of 4"];
    assert_eq!(found("#define A(r, c) a[(r) * 64 + (c)]", "A(i, 1) = 0;"), store);
    // A macro with the name of the array.
    assert_eq!(found("#define a(r, c) a[(r) * 64 + (c)]", "a(i, 1) = 0;"), store);
    assert_eq!(found("#define OWN a[i * 64]", "OWN = 0;"), store);
    assert_eq!(found("#define OF(p, r) (p)[(r) * 64]", "OF(b, i) = 0;"), store);
    assert_eq!(
        found("#define A(r) a[(r) * 64]", "A(i) = A(i + 1);"),
        ["2 global store: 1 x 32 of 4", "2 global load: 1 x 32 of 4"]
    );
    // The result of a macro that stores is not loaded.
    assert_eq!(found("#define SET(r, v) a[(r) * 64] = (v)", "SET(i, 0);"), store);
}

#[test]
fn what_macros_change_is_forgotten() {
    let macros = "#define N(k) n[k]";
    let body = "int n[2] = {0, 0}; while (b[i] > 0) N(0) = 64 * i; a[n[0]] = 0;";
    assert_eq!(found(macros, body), ["2 global load: 1 x 4 of 4 ?", "2 global store: ?"]);
}

#[test]
fn lanes_that_may_have_left_a_loop_are_active_after_it() {
    let store = "2 global store: 1 x 32 of 4";
    for body in [
        "for (int j = 0; j < 9; ++j) { if (b[j * i] > 0) break; } a[64 * i] = 0;",
        "for (int j = 0; j < 9; ++j) { if (b[j * i] > 0) continue; } a[64 * i] = 0;",
        "switch ((int)b[i * i]) { case 0: break; default: break; } a[64 * i] = 0;",
    ] {
        let found = found("", body);
        assert!(found.iter().any(|line| line == store), "{body}: {found:?}");
    }
    let left = found("", "if (b[i * i] > 0) return; a[64 * i] = 0;");
    assert!(left.contains(&"2 global store: ?".to_owned()), "{left:?}");
    let within = found("", "for (int j = 0; j < 9; ++j) { if (b[i * i] > 0) break; a[64 * i] = 0; }");
    assert!(within.contains(&"2 global store: ?".to_owned()), "{within:?}");
}
