//! Tests of the reader of CUDA text.

use super::*;
use std::fmt::Write;

const TEXT: &str = r#"#define BS 16
#define IDX(i, j) ((i) * N + (j))
constexpr int TILE = 32;
struct P { float x, y; int n[4]; };
using real = float;
extern "C" __global__ void __launch_bounds__(256, 2) k(const float *__restrict__ x, float *y, int n) {
  extern __shared__ float dynamic[];
  __shared__ __align__(16) float4 tile[BS][BS + 1];
  const auto i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; j += 2)
#pragma unroll 4
    for (int q = 0; q < 4; q++)
      y[i] += reinterpret_cast<const float4 *>(x)[j].x * 2.0;
  if (int z = n; z > 3) asm volatile("mov.u32 %0, %1;" : "=r"(n) : "r"(z));
}
namespace ns {
template <typename T, int N = 4> __device__ T twice(T a) { return a + N; }
}
void host() {
  dim3 grid(BS, 2), block(TILE);
  k<<<grid, block, 1024, s>>>(x, y, 100);
}
"#;

fn function<'a>(source: &'a Source, name: &str) -> &'a Function {
    source.unit().functions().find(|(_, function)| function.name == name).unwrap().1
}

#[test]
fn a_kernel_states_its_cluster() {
    let heads = [
        "__global__ void __cluster_dims__(2, 1, 1)",
        "__global__ __cluster_dims__(WIDE) void",
        "__global__ void",
    ];
    let sizes = heads.map(|head| {
        let source = Source::parse(&format!("template <int N> {head} k(int n) {{}}"));
        assert!(source.is_whole());
        function(&source, "k").cluster_dims.len()
    });
    assert_eq!(sizes, [3, 1, 0]);
}

#[test]
fn declarations_are_read_with_their_attributes() {
    let source = Source::parse(TEXT);
    assert!(source.is_whole());
    let k = function(&source, "k");
    assert!(k.is_kernel());
    assert_eq!(k.launch_bounds.len(), 2);
    let x = &k.parameters[0];
    assert_eq!((x.name.as_str(), x.of.pointers, x.of.is_restrict, x.of.is_const), ("x", 1, true, true));
    let twice = function(&source, "twice");
    assert!(twice.is_on_device() && !twice.is_kernel());
    let templates: Vec<(&str, bool)> = twice.templates.iter().map(|t| (t.name.as_str(), t.is_type)).collect();
    assert_eq!(templates, [("T", true), ("N", false)]);
    let kinds: String = source.unit().items.iter().fold(String::new(), |mut all, placed| {
        let name = match &placed.item.kind {
            ItemKind::Function(function) => format!("fn {}", function.name),
            ItemKind::Variables(all) => format!("var {}", all[0].name),
            ItemKind::Instantiation(of) => format!("instance {}", of.function),
            ItemKind::Record(record) => format!("record {} {}", record.name, record.fields.len()),
            ItemKind::Alias(alias) => format!("alias {}", alias.name),
            ItemKind::Macro(of) => format!("macro {}", of.name),
            ItemKind::Enumerators(_) | ItemKind::Other => "other".to_owned(),
        };
        write!(all, "{name}; ").unwrap();
        all
    });
    let expected = "macro BS; macro IDX; var TILE; record P 3; alias real; fn k; fn twice; fn host; ";
    assert_eq!(kinds, expected);
}

#[test]
fn statements_keep_their_shape() {
    let source = Source::parse(TEXT);
    let body = function(&source, "k").body.as_ref().unwrap();
    let StmtKind::Block(all) = &body.kind else { panic!("{body:?}") };
    let [dynamic, tile, _, outer, last] = all.as_slice() else { panic!("{all:?}") };
    let StmtKind::Declaration(variables) = &dynamic.kind else { panic!("{dynamic:?}") };
    assert!(variables[0].is_extern && variables[0].memory == Memory::Shared);
    let StmtKind::Declaration(variables) = &tile.kind else { panic!("{tile:?}") };
    assert_eq!((variables[0].of.name.as_str(), variables[0].of.dimensions.len()), ("float4", 2));
    let StmtKind::Loop(outer) = &outer.kind else { panic!("{outer:?}") };
    let StmtKind::Loop(inner) = &outer.body.kind else { panic!("{:?}", outer.body) };
    assert!(matches!(inner.unroll, Unroll::By(_)) && outer.unroll == Unroll::Unsaid);
    let StmtKind::If { init: Some(_), then, .. } = &last.kind else { panic!("{last:?}") };
    let StmtKind::Asm(asm) = &then.kind else { panic!("{then:?}") };
    assert_eq!((asm.outputs[0].constraint.as_str(), asm.inputs[0].constraint.as_str()), ("=r", "r"));
}

#[test]
fn launches_and_what_objects_are_made_from_are_read() {
    let source = Source::parse(TEXT);
    let mut launches = 0;
    let body = function(&source, "host").body.as_ref().unwrap();
    body.walk_expressions(&mut |expr| {
        if let ExprKind::Launch { configuration, arguments, .. } = &expr.kind {
            launches += 1;
            assert_eq!((configuration.len(), arguments.len()), (4, 3));
        }
    });
    assert_eq!(launches, 1);
    let StmtKind::Block(all) = &body.kind else { panic!("{body:?}") };
    let StmtKind::Declaration(variables) = &all[0].kind else { panic!("{all:?}") };
    let values = variables.iter().map(|variable| variable.value.as_ref().unwrap().children().len());
    assert_eq!(values.collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn an_edit_gives_what_reading_anew_gives_and_keeps_the_rest() {
    let mut text = TEXT.to_owned();
    let mut source = Source::parse(&text);
    for (find, new) in
        [("BS + 1", "BS + 2"), ("#pragma unroll 4", "#pragma unroll"), ("n) {", "n)"), ("n)\n", "n) {\n")]
    {
        let at = text.find(find).unwrap();
        let before = std::sync::Arc::clone(source.unit());
        source = source.edit(at..at + find.len(), new);
        text.replace_range(at..at + find.len(), new);
        assert_eq!(&**source.text(), text);
        let anew = Source::parse(&text);
        let items = |source: &Source| {
            source.unit().items.iter().map(|placed| placed.item.kind.clone()).collect::<Vec<_>>()
        };
        assert_eq!(items(&source), items(&anew), "{find}");
        assert_eq!(source.is_whole(), anew.is_whole(), "{find}");
        let kept = |name: &str, unit: &Unit| {
            let mut all = unit.functions();
            all.find(|(_, function)| function.name == name)
                .map(|(placed, _)| std::sync::Arc::as_ptr(&placed.item))
        };
        assert_eq!(kept("twice", &before), kept("twice", source.unit()), "{find}");
    }
}

#[test]
fn any_prefix_of_a_text_can_be_read() {
    for end in 0..TEXT.len() {
        let source = Source::parse(&TEXT[..end]);
        for placed in &source.unit().items {
            assert!(placed.range(&(0..placed.item.length)).end <= end);
        }
    }
}

#[test]
fn numbers_are_what_they_say() {
    for (text, value, is_long) in [
        ("0x1f", 31, false),
        ("1 << 24", 0, false),
        ("010", 8, false),
        ("16'384u", 16384, false),
        ("5ull", 5, true),
    ] {
        let expr = parse_expression(text).unwrap();
        if let ExprKind::Integer { value: found, is_long: long, .. } = expr.kind {
            assert_eq!((found, long), (value, is_long), "{text}");
        } else {
            assert_eq!(text, "1 << 24");
        }
    }
    for (text, expected, double) in [("1e-3f", 1e-3, false), ("0x1.8p3", 12.0, true), ("0xap-1f", 5.0, false)]
    {
        let ExprKind::Float { value, is_double } = parse_expression(text).unwrap().kind else {
            panic!("{text}")
        };
        assert_eq!((value, is_double), (expected, double), "{text}");
    }
}

#[test]
fn a_sign_before_a_number_is_an_operator() {
    let text = "__global__ void k(int* p) { int i = -2; i = p[-1] + +3; }";
    let source = Source::parse(text);
    let (placed, function) = source.unit().functions().next().unwrap();
    let mut signs = Vec::new();
    function.body.as_ref().unwrap().walk_expressions(&mut |expr| {
        assert!(!matches!(expr.kind, ExprKind::Unknown), "{expr:?}");
        if let ExprKind::Unary { of, .. } = &expr.kind {
            signs.push((&text[placed.range(&expr.range)], &text[placed.range(&of.range)]));
        }
    });
    assert_eq!(signs, [("-2", "2"), ("-1", "1"), ("+3", "3")]);
}

#[test]
fn the_part_of_a_condition_of_the_preprocessor_that_holds_is_read() {
    for (lines, expected) in [
        ("#if 0\na = 1;\n#else\na = 2;\n#endif", "a = 2"),
        ("#if 1\na = 1;\n#else\na = 2;\n#endif", "a = 1"),
        ("#ifndef __CUDA_ARCH__\na = 1;\n#else\na = 2;\n#endif", "a = 2"),
        ("#ifdef __CUDACC__\na = 1;\n#else\na = 2;\n#endif", "a = 1"),
        ("#if !defined(__CUDA_ARCH__) && X\na = 1;\n#elif 0\na = 2;\n#elif 1\na = 3;\n#endif", "a = 3"),
        // The condition is unknown: the first branch is taken.
        ("#if X\na = 1;\n#else\na = 2;\n#endif", "a = 1"),
        ("#ifdef X\na = 1;\n#else\na = 2;\n#endif", "a = 1"),
        ("#if 0\na = 1;\n#endif", ""),
    ] {
        let text = format!("__global__ void k(int a) {{\n{lines}\n}}");
        let source = Source::parse(&text);
        let (placed, function) = source.unit().functions().next().unwrap();
        let StmtKind::Block(all) = &function.body.as_ref().unwrap().kind else { panic!("a body is a block") };
        let shown: Vec<&str> = all
            .iter()
            .flat_map(|stmt| stmt.expressions())
            .map(|expr| &text[placed.range(&expr.range)])
            .collect();
        assert_eq!(shown.join("; "), expected, "{lines}");
    }
}

fn names(source: &Source) -> Vec<&str> {
    source.unit().functions().map(|(_, function)| function.name.as_str()).collect()
}

#[test]
fn what_is_half_typed_leaves_the_other_declarations_as_they_are() {
    let text = "#include <a.h>\nstruct P {\n  int a;\n};\nnamespace n {\n__global__ void f(int *p) {\n  p[0] = 1;\n}\n}\n\
        extern \"C\" {\ntemplate <int N>\n__global__ void g(int *p) {\n  if (p) {\n    p[1] = 2;\n  }\n}\n}\n\
        #define X {\nint t[] = {1, 2};\n__device__ int h(int a = 1) { return a; }\nvoid host()\n{\n  f<<<1, 2>>>(0);\n}\n";
    assert!(Source::parse(text).is_whole());
    for (at, typed, missing) in [
        ("  p[0]", "  for (int i = 0; i < 4; i++) {\n", ""),
        ("  p[0]", "  p[", ""),
        ("  p[0]", "  \"", ""),
        ("  p[0]", "  /* ", ""),
        ("  p[0]", "  }\n", "f"),
        ("    p[1]", "    if (p[0]", ""),
        ("    p[1]", "    {", ""),
        ("template", "__global__ void fresh(int *p", ""),
        ("template", "int x = ", ""),
        ("void host", "struct Q {\n", ""),
        ("  f<<<", "  f<<<1", ""),
    ] {
        let place = text.find(at).unwrap();
        let mut source = Source::parse(text);
        let is_own_line = text[..place].ends_with('\n') && !at.starts_with(' ');
        if is_own_line {
            source = source.edit(place..place, "\n");
        }
        for (count, key) in typed.char_indices() {
            source = source.edit(place + count..place + count, &typed[count..count + key.len_utf8()]);
            let found = names(&source);
            for name in ["f", "g", "h", "host"].into_iter().filter(|name| *name != missing) {
                let is_typed = name == "f" && at == "  p[0]"
                    || name == "g" && at == "    p[1]"
                    || name == "host" && at == "  f<<<";
                assert!(is_typed || found.contains(&name), "{name} of {found:?} in\n{}", source.text());
            }
        }
        assert_eq!(source.unit().items.len(), Source::parse(source.text()).unit().items.len());
        let back = source.edit(place..place + typed.len() + usize::from(is_own_line), "");
        assert!(back.is_whole());
        assert_eq!(names(&back), names(&Source::parse(text)));
    }
}

/// A text with a construct nested to this depth.
fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    let body = [&open.repeat(depth), inner, &close.repeat(depth)].concat();
    format!("__global__ void k(float *a, int n) {{ {body} }}")
}

#[test]
fn deep_trees_are_read_up_to_a_depth() {
    const FORMS: [(&str, &str, &str); 12] = [
        ("f(", "1", ");"),
        ("{", "a[0] = 1;", "}"),
        ("if (n) {", "a[0] = 1;", "}"),
        ("if (n) a[0] = 1; else ", ";", ""),
        ("a[", "0", "];"),
        ("(", "n", ");"),
        ("- ", "n;", ""),
        ("1 + ", "n;", ""),
        ("n ? 1 : ", "n;", ""),
        ("A<", "int", "> x;"),
        ("A::", "x;", ""),
        ("[&]() { ", "n;", "};"),
    ];
    crate::with_stack(|| {
        for (open, inner, close) in FORMS {
            let close = close.trim_end_matches(';');
            let unit = Source::parse(&nested(open, inner, close, 20_000));
            // Clones, comparisons and drops descend, too.
            let copy = unit.unit().items.clone();
            assert_eq!(copy.first().map(|one| &one.item), unit.unit().items.first().map(|one| &one.item));
        }
    });
}

#[test]
fn a_table_of_shifts_and_comparisons_has_no_open_brackets() {
    let table = "1 << 3, (2 < 1), 4 <= 5, ".repeat(10_000);
    let source = Source::parse(&format!("int table[] = {{ {table} }};\n{}", nested("", "a[0] = 1;", "", 1)));
    assert!(matches!(source.unit().items[0].item.kind, ItemKind::Variables(_)));
    let open = nested("f<", "int", ">(1)", 20_000);
    assert!(Source::parse(&open).unit().functions().next().is_none(), "it is not parsed");
}

#[test]
fn chains_of_thousands_are_read_whole() {
    crate::with_stack(|| {
        let last = |text: String| {
            let source = Source::parse(&text);
            let mut unknown = 0;
            for (_, function) in source.unit().functions() {
                let body = function.body.as_ref().expect("it has a body");
                body.walk(&mut |stmt| unknown += usize::from(stmt.kind == StmtKind::Unknown));
                body.walk_expressions(&mut |expr| unknown += usize::from(expr.kind == ExprKind::Unknown));
            }
            unknown
        };
        assert_eq!(last(nested("if (n == 7) a[0] = 1; else ", "a[1] = 2;", "", 3_000)), 0);
        assert_eq!(last(nested("n + ", "n;", "", 3_000)), 0);
        assert_ne!(last(nested("if (n == 7) a[0] = 1; else ", "a[1] = 2;", "", 6_000)), 0);
    });
}

#[test]
fn a_letter_of_several_bytes_before_a_declaration_is_no_harm() {
    for letter in ["\u{2028}", "é", "🚀"] {
        let text = format!("ad {letter}\n__global__ void k(int *p) {{ p[0] = 1; }}\n}}\n");
        assert_eq!(**Source::parse(&text).text(), *text);
    }
}

#[test]
fn of_alternative_macros_the_one_of_a_plain_compilation_is_kept() {
    let text = "#ifdef RD_B\n#define B RD_B\n#else\n#define B 8\n#endif\n#ifdef DOUBLE\nusing real = double;\n#else\nusing real = \
                float;\n#endif\n#ifdef ONLY\n#define ONE 1\n#endif\n";
    let source = Source::parse(text);
    let kept: Vec<String> = source
        .unit()
        .items
        .iter()
        .map(|placed| match &placed.item.kind {
            ItemKind::Macro(own) => format!("{}={}", own.name, own.text),
            ItemKind::Alias(own) => format!("{}={}", own.name, own.of.name),
            _ => "other".to_owned(),
        })
        .collect();
    assert_eq!(kept, ["B=8", "real=float", "ONE=1"]);
}
