//! Accesses of which it is unknown which lanes take part.

use super::*;

/// Returns the accesses of a kernel with this body, each as `line kind: taken of ideal`, with a `*` if it is assumed that
/// all lanes take part, or `?` if it is unknown.
fn found(head: &str, body: &str) -> Vec<String> {
    let text = format!(
        "struct P {{ float *data; const int *index; int n; bool on; float scale; }};\n{head}\n\
         __global__ void k(float *x, const int *y, P p, float f) {{ int i = threadIdx.x;\n{body} }}"
    );
    let (run, source) = launched(&text, [8, 1, 1], [64, 1, 1], &[]);
    let shown = |(site, used): &(Site, SiteUse)| {
        let at = source.unit().items[site.place.item as usize].start + site.place.start;
        let code = &text[at as usize..at as usize + (site.place.end - site.place.start) as usize];
        let doubted = run.doubted(*site);
        let mark = if doubted.is_some() { "*" } else { "" };
        let used = doubted.unwrap_or(used);
        let kind = format!("{:?}", site.kind).to_lowercase();
        match used.requests {
            requests if requests > 0.0 => {
                format!("{code} {kind}: {} of {}{mark}", used.taken / requests, used.ideal / requests)
            }
            _ => format!("{code} {kind}: ?"),
        }
    };
    run.uses.iter().map(shown).collect()
}

#[test]
fn lanes_that_memory_decides_are_assumed_to_take_part() {
    let load = "y[i] load: 4 of 4";
    assert_eq!(found("", "if (y[i] > 0) x[8 * i] = 1;"), [load, "x[8 * i] store: 32 of 4*"]);
    assert_eq!(found("", "if (y[i] <= 0) return; x[i] = 1;"), [load, "x[i] store: 4 of 4*"]);
    assert_eq!(
        found("", "for (int j = 0; j < y[i]; j++) x[8 * i] += 1;"),
        [load, "x[8 * i] load: 32 of 4*", "x[8 * i] store: 32 of 4*"]
    );
    // Few lanes are expected, or the address depends on memory, too.
    assert_eq!(found("", "if (y[i] == 0) x[8 * i] = 1;"), [load, "x[8 * i] store: ?"]);
    assert_eq!(found("", "bool leads = y[i] > 0; if (leads) x[8 * i] = 1;"), [load, "x[8 * i] store: ?"]);
    assert_eq!(found("", "if (y[i] > 0) x[y[i]] = 1;"), [load, "x[y[i]] store: ?", "y[i] load: 4 of 4*"]);
}

#[test]
fn conditions_of_parameters_are_the_same_for_all_lanes() {
    for condition in ["p.on", "f > 0", "p.scale != 1.0f && p.on", "!p.on", "MODE", "sizeof(P) < LIMIT"] {
        let body = format!("if ({condition}) x[8 * i] = 1;");
        assert_eq!(found("", &body), ["x[8 * i] store: 32 of 4"], "{condition}");
    }
    let constant = "if constexpr (std::is_same_v<P, float>) x[8 * i] = 1;";
    assert_eq!(found("", constant), ["x[8 * i] store: 32 of 4"]);
    // The parameter differs between lanes after the assignment.
    assert_eq!(found("", "f = x[i]; if (f > 0) x[8 * i] = 1;")[1], "x[8 * i] store: 32 of 4*");
}

#[test]
fn pointers_in_structures_and_in_memory_lead_to_arrays() {
    assert_eq!(found("", "if (i < p.n) p.data[8 * i] = 1;"), ["p.data[8 * i] store: 32 of 4"]);
    let table = "__device__ float *rows[4];";
    assert_eq!(
        found(table, "rows[blockIdx.x][i] = 1;"),
        ["rows[blockIdx.x][i] load: 1 of 1", "rows[blockIdx.x][i] store: 4 of 4"]
    );
    assert_eq!(found(table, "rows[i][i] = 1;"), ["rows[i][i] load: 8 of 8", "rows[i][i] store: ?"]);
}

#[test]
fn local_arrays_are_no_memory() {
    let sum = "__device__ float sum(float *v) { return v[0] + v[1]; }";
    assert_eq!(found(sum, "float v[2] = {f, f}; x[i] = sum(v);"), ["x[i] store: 4 of 4"]);
    assert_eq!(
        found("", "float v[2]; float *w = &v[0]; w[1] = f; x[i] = (&v[1])[0];"),
        ["x[i] store: 4 of 4"]
    );
    // An unknown constructor takes the shared structure by reference.
    let body = "__shared__ typename Reduce::Storage storage; x[i] = Reduce(storage).Sum(f);";
    assert_eq!(found("", body), ["x[i] store: 4 of 4"]);
}
