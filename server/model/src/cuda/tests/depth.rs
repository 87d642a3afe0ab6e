//! Sources that nest far deeper than a stack allows. Every analysis must finish, without an overflow and in
//! reasonable time.

use super::*;
use std::fmt::Write;

const DEPTH: usize = 100_000;

/// Runs all analyses of a source on a thread with the stack size that they have in production.
fn ask(name: &str, text: &str) {
    syntax::with_stack(|| {
        let source = Source::parse(text);
        let environment = Environment::new(source.unit());
        let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
        let (grid, block) = ([8, 1, 1], [64, 1, 1]);
        let launch = Configuration { grid, block, arguments: Vec::new(), templates: Vec::new() };
        for (item, placed) in source.unit().items.iter().enumerate().take(64) {
            if let syntax::cuda::ItemKind::Function(function) = &placed.item.kind {
                let _ = launches(&environment, &arch, item as u32);
                if function.is_kernel() {
                    let _ = run(&environment, &arch, item as u32, &launch);
                    let _ = tiles(&environment, function, &launch);
                    let _ = free_loop(&environment, function, &launch);
                    let _ = guards_its_index(&environment, function);
                }
            }
        }
        // If a signal ends the test, the text at fault is the one that would be printed next.
        println!("{name}");
    });
}

fn kernel(body: &str) -> String {
    format!("__global__ void k(float *a, int n) {{ {body} }}\n")
}

#[test]
fn nested_constructs_overflow_no_stack() {
    const FORMS: [[&str; 5]; 36] = [
        ["calls", "a[0] = ", "f(", "1", ")"],
        ["sum", "", "a[0] + ", "1", ""],
        ["else if", "", "if (n == 0) a[0] = 1; else ", ";", ""],
        ["ifs", "", "if (n) {", "a[0] = 1;", "}"],
        ["subscripts", "", "a[", "0", "]"],
        ["methods", "n = ", "", "x", ".a()"],
        ["arrows", "n = ", "", "x", "->a"],
        ["blocks", "", "{", "a[0] = 1;", "}"],
        ["ors", "", "n || ", "n", ""],
        ["parentheses", "", "(", "1", ")"],
        ["nots", "", "!", "n", ""],
        ["minus", "", "- ", "n", ""],
        ["casts", "", "(int)", "n", ""],
        ["conditions", "", "n ? 1 : ", "n", ""],
        ["conditions within", "", "n ? ", "n", " : 1"],
        ["assignments", "", "n = ", "n", ""],
        ["commas", "", "n, ", "n", ""],
        ["shifts", "", "1 << ", "n", ""],
        ["sizes", "", "sizeof ", "n", ""],
        ["loads", "", "*", "a", ""],
        ["addresses", "", "& ", "n", ""],
        ["increments", "", "++ ", "n", ""],
        ["lists", "int b[] = ", "{", "1", "}"],
        ["for", "", "for (int i = 0; i < 2; i++) ", "a[0] = 1;", ""],
        ["while", "", "while (n) ", "a[0] = 1;", ""],
        ["do", "", "do ", "n = 1;", " while (n);"],
        ["switch", "", "switch (n) { case 1: ", "a[0] = 1;", "}"],
        ["lambdas", "", "[&]() { ", "n;", "}"],
        ["template arguments", "", "f<", "int", ">(1)"],
        ["types", "", "A<", "int", " > x"],
        ["scopes", "", "A::", "x", ""],
        ["pointers", "float ", "*", "x", ""],
        ["dimensions", "float ", "", "x", "[1]"],
        ["declarators", "float ", "(", "x", ")"],
        ["structures", "", "struct A {", "int x;", "};"],
        ["conditions of the preprocessor", "", "\n#if X\n", "a[0] = 1;", "\n#endif\n"],
    ];
    for [name, first, open, inner, close] in FORMS {
        let body = |depth| format!("{first}{}{inner}{};", open.repeat(depth), close.repeat(depth));
        ask(name, &kernel(&body(DEPTH)));
        // The parser takes minutes to recover from this number of open constructs. These texts are less deep: four times the
        // depth that is parsed.
        let depth = 4 * syntax::DEEPEST_TREE as usize;
        let host = format!("void h(int n) {{ {} }}\n{}", body(depth), kernel("a[0] = 1;"));
        ask(&format!("{name} on the host"), &host);
        ask(&format!("{name}, open"), &kernel(&format!("{first}{}", open.repeat(depth))));
    }
}

#[test]
fn names_that_lead_to_names_overflow_no_stack() {
    let chain = |first: &str, each: &dyn Fn(usize) -> String, last: &str| {
        let mut text = first.to_owned();
        for at in 1..DEPTH / 10 {
            let _ = write!(text, "{}", each(at));
        }
        text + last
    };
    let last = DEPTH / 10 - 1;
    let used = |what: &str| kernel(&format!("a[{what}] = 1;"));
    ask(
        "constants",
        &chain(
            "const int c0 = 1;\n",
            &|at| format!("const int c{at} = c{} + 1;\n", at - 1),
            &used(&format!("c{last}")),
        ),
    );
    ask(
        "macros",
        &chain(
            "#define m0 1\n",
            &|at| format!("#define m{at} (m{} + 1)\n", at - 1),
            &used(&format!("m{last}")),
        ),
    );
    ask(
        "types",
        &chain(
            "typedef float ****t0;\n",
            &|at| format!("typedef t{} ****t{at};\n", at - 1),
            &kernel(&format!("t{last} x; a[0] = 1;")),
        ),
    );
    ask(
        "structures",
        &chain(
            "struct s0 { int x; };\n",
            &|at| format!("struct s{at} {{ s{} x; }};\n", at - 1),
            &kernel(&format!("s{last} x; a[0] = 1;")),
        ),
    );
    let pointers = chain(
        "float *c0 = a;\n",
        &|at| format!("float *c{at} = c{} + 1;\n", at - 1),
        &format!("c{last}[0] = 1;"),
    );
    ask("pointers", &kernel(&pointers));
    let twice = chain(
        "int c0 = n;\n",
        &|at| format!("int c{at} = c{} + c{};\n", at - 1, at - 1),
        &format!("a[c{last}] = 1;"),
    );
    ask("sums of the same", &kernel(&twice));
    ask(
        "itself",
        &kernel("float *p = p + 1; p[0] = 1; auto q = q + q; q[0] = 1; const int z = z + z; a[z] = 1;"),
    );
    ask("sizes of itself", &format!("const int Z = sizeof(int[Z]) + sizeof(int[Z]);\n{}", used("Z")));
    ask("a circle of types", &format!("typedef B A;\ntypedef A B;\n{}", kernel("A x; x = 0; a[0] = 1;")));
    // Deep texts nested in deep texts.
    let deep =
        |name: &str, inner: &str| format!("{}{inner}{}", format!("{name}(").repeat(1300), ")".repeat(1300));
    let mut macros = String::new();
    for at in 0..60_usize {
        let inner = at.checked_sub(1).map_or("1".to_owned(), |at| format!("m{at}"));
        let _ = writeln!(macros, "#define m{at} {}", deep("f", &inner));
    }
    ask("macros in macros", &format!("{macros}{}", kernel("a[0] = m59;")));
    let mut functions = String::new();
    for at in 0..14_usize {
        let inner = at.checked_sub(1).map_or("1".to_owned(), |at| format!("g{at}(x)"));
        let _ = writeln!(functions, "__device__ float g{at}(float x) {{ return {}; }}", deep("h", &inner));
    }
    ask("functions in functions", &format!("{functions}{}", kernel("a[0] = g13(1);")));
}
