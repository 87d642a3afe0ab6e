//! Instances of kernel templates, and launches through variables and wrapper functions.

use super::*;

/// Returns the launches in a function `host`, each as `kernel<templates> grid block`.
fn launched(text: &str) -> Vec<String> {
    let source = Source::parse(text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let item = environment.function("host").unwrap().0;
    let shown = |found: FoundLaunch| {
        let values: Vec<String> = found.templates.iter().map(TemplateValue::spelled).collect();
        let size = |size: Option<[u32; 3]>| size.map_or("?".to_owned(), |[x, ..]| x.to_string());
        format!("{}<{}> {} {}", found.function, values.join(", "), size(found.grid), size(found.block))
    };
    launches(&environment, &arch, item).into_iter().map(shown).collect()
}

#[test]
fn launches_determine_template_arguments() {
    const KERNEL: &str = "template <typename T, int N = 4, typename U = int> __global__ void k(T *x, const U *y) { x[N] = 1; }";
    let host =
        |body: &str| launched(&format!("{KERNEL} void host(float *x, double *y, Other z) {{ {body} }}"));
    for (body, found) in [
        ("k<<<1, 32>>>(x, y);", "k<float, 4, double> 1 32"),
        ("k<double><<<1, 32>>>(x, y);", "k<double, 4, double> 1 32"),
        ("k<float, 2 * 4><<<1, 32>>>(x, y);", "k<float, 8, double> 1 32"),
        ("k<<<1, 32>>>(z, z);", "k<?, 4, int> 1 32"),
    ] {
        assert_eq!(host(body), [found], "{body}");
    }
}

#[test]
fn kernels_are_followed_through_variables_and_functions() {
    const CODE: &str = "\
template <typename T, int N> __global__ void k(T *x, int n) { x[N] = n; }
__global__ void plain(float *x) { x[0] = 1; }
template <typename T> void typed(T *x, int threads) { k<T, 2><<<8, threads>>>(x, 1); }
template <typename F, typename... Args> void start(F kernel, dim3 grid, dim3 block, Args... args) {
    kernel<<<grid, block>>>(std::forward<Args>(args)...);
}
#define START(kernel, ...) kernel<<<2, 64>>>(__VA_ARGS__)
#define TWICE(kernel, x) kernel<<<2, 64>>>(x)
";
    let host = |body: &str| launched(&format!("{CODE}void host(float *x, int n) {{ {body} }}"));
    for (body, found) in [
        ("typed<float>(x, 128);", "k<float, 2> 8 128"),
        ("typed(x, n);", "k<float, 2> 8 ?"),
        ("start(k<float, 4>, 2, 64, x, n);", "k<float, 4> 2 64"),
        ("start(plain, dim3(2), dim3(64), x);", "plain<> 2 64"),
        ("auto kernel = k<float, 1>; kernel<<<2, 64>>>(x, n);", "k<float, 1> 2 64"),
        ("auto *kernel = &k<float, 1>; kernel<<<2, 64>>>(x, n);", "k<float, 1> 2 64"),
        (
            "void *all[] = {&x}; cudaLaunchKernel((void *)plain, dim3(2), dim3(64), all, 0, 0);",
            "plain<> 2 64",
        ),
        ("TWICE(plain, x);", "plain<> 2 64"),
    ] {
        assert_eq!(host(body), [found], "{body}");
    }
    // Any of the kernels may be launched.
    let changed = "auto kernel = k<float, 1>; if (n > 4) kernel = k<float, 2>; kernel<<<2, 64>>>(x, n);";
    assert!(host(changed).is_empty());
}

#[test]
fn arguments_of_a_pack_keep_their_places() {
    let text = "\
template <typename... Args> void start(void (*kernel)(Args...), Args... args) { kernel<<<1, 32>>>(args..., 7); }
__global__ void k(float *x, int a, int b) { x[a] = b; }
void host(float *x) { start(k, x, 5); }";
    let source = Source::parse(text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let item = environment.function("host").unwrap().0;
    let found = launches(&environment, &arch, item);
    assert_eq!(found[0].arguments, [Argument::Pointer, Argument::Number(5), Argument::Number(7)]);
}

#[test]
fn explicit_instantiations_name_instances() {
    let text = "\
template <typename T, int N = 4> __global__ void k(T *x) { x[N] = 1; }
template __global__ void k<float, 8>(float *);
template __global__ void ns::k<double>(double *);
template __global__ void k(int *);
template __global__ void k<int>(int *);
template __global__ void other<int>(int *);";
    let source = Source::parse(text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let (_, kernel) = environment.function("k").unwrap();
    let all = instances(&environment, &arch, kernel)
        .into_iter()
        .map(|values| values.iter().map(TemplateValue::spelled).collect::<Vec<String>>().join(", "));
    assert_eq!(all.collect::<Vec<_>>(), ["float, 8", "double, 4", "int, 4"]);
}

#[test]
fn a_launch_is_refined_by_one_that_knows_more() {
    let text = "\
template <typename T> __global__ void k(T *x, int n) { x[n] = 1; }
template <typename T> void start(T *x, int threads) { k<<<8, threads>>>(x, 1); }
void host(float *x) { start(x, 128); start(x, 128); }";
    let source = Source::parse(text);
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let of = |name: &str| launches(&environment, &arch, environment.function(name).unwrap().0);
    let (general, precise) = (of("start"), of("host"));
    let ([general], [precise]) = (&general[..], &precise[..]) else { panic!("{general:?} {precise:?}") };
    assert!(general.is_refined_by(precise) && !precise.is_refined_by(general));
    let float = TemplateValue::Type(Type::Float(4));
    assert!(precise.may_launch(&[float]) && !precise.may_launch(&[TemplateValue::Number(4)]));
}
