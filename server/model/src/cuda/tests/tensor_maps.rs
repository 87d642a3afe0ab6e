//! Tensor maps and clusters that host code states for its launches.

use super::*;
use crate::StatedTensor;

/// Source of a kernel with tensor maps as parameters, and of functions that encode a tensor map.
const HEAD: &str = r#"
__global__ void copy(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int n);
struct Pair { CUtensorMap from, to; };

CUtensorMap mapped(void *at, uint64_t columns, uint64_t rows, uint32_t wide, uint32_t high) {
  CUtensorMap map{};
  cuuint64_t sizes[2] = {columns, rows};
  cuuint64_t pitch[1] = {columns * sizeof(__half)};
  cuuint32_t part[2] = {wide, high};
  cuuint32_t steps[2] = {1, 1};
  CUresult failed = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, at, sizes, pitch, part, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (failed != CUDA_SUCCESS) { fprintf(stderr, "no map"); exit(1); }
  return map;
}

template <typename T> bool map_rows(CUtensorMap *map, T *at, const uint64_t *sizes, CUtensorMapSwizzle swizzle) {
  const uint64_t pitch[] = {sizes[0] * sizeof(float)};
  const uint32_t part[] = {32, 8}, steps[] = {1, 1};
  auto encode = reinterpret_cast<Encode *>(entry_point());
  return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)at, sizes, pitch, part, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == 0;
}
"#;

/// The first launch in the function `host` with this signature and body, which may also use `HEAD`.
fn launch(parameters: &str, body: &str) -> FoundLaunch {
    let source = Source::parse(&format!("{HEAD}\nint host({parameters}) {{ {body} }}"));
    let environment = Environment::new(source.unit());
    let arch = Machine::builtin().gpu("h100-sxm").unwrap().arch;
    let item = environment.function("host").unwrap().0;
    launches(&environment, &arch, item).into_iter().next().expect("there is a launch")
}

/// Returns the two tensor maps that are passed to `copy`, each as `element columns x rows of tile, pitch, swizzle`,
/// or `?` if it is unknown.
fn maps(parameters: &str, body: &str) -> [String; 2] {
    let found = launch(parameters, &format!("{body} copy<<<8, 128>>>(a, b, 3);"));
    assert_eq!((found.grid, found.arguments[2]), (Some([8, 1, 1]), Argument::Number(3)));
    [0, 1].map(|at| shown(found.arguments[at]))
}

fn shown(argument: Argument) -> String {
    let Argument::Tensor(StatedTensor { element, shape, strides, tile, swizzle, dimensions, .. }) = argument
    else {
        assert_eq!(argument, Argument::Unknown);
        return "?".to_owned();
    };
    assert_eq!(dimensions, 2);
    let ([columns, rows, ..], [wide, high, ..]) = (shape, tile);
    format!("{element} {columns}x{rows} of {wide}x{high}, {}, {swizzle}", strides[0])
}

const UNKNOWN: &str = "?";

#[test]
fn a_tensor_map_is_known_from_constants() {
    let small = "f16 256x128 of 32x8, 512, 64";
    let large = "f16 4096x2048 of 32x64, 8192, 64";
    for body in [
        "CUtensorMap a = mapped(p, 256, 128, 32, 8), b = mapped(q, 4096, 2048, 32, 64);",
        "const int M = 128; CUtensorMap a, b; b = mapped(q, M * 32, 2048, 32, 64); a = mapped(p, M * 2, M, 32, 8);",
        "if (argc < 2) return 1; auto a = mapped(p, 256, 128, 32, 8); const auto b = mapped(q, 4096, 2048, 32, 64);",
        "CUtensorMap a, b; if (argc < 2) return 1; a = mapped(p, 256, 128, 32, 8); b = mapped(q, 4096, 2048, 32, 64);",
        "CUtensorMap a = mapped(p, 256, 128, 32, 8), b = mapped(q, 4096, 2048, 32, 64); cudaMemcpy(p, &a, 128, kind);",
    ] {
        assert_eq!(maps("int argc, void *p, void *q", body), [small, large], "{body}");
    }
}

#[test]
fn a_tensor_map_is_encoded_through_pointers() {
    let expected = ["f32 96x40 of 32x8, 384, 128", "f32 64x8 of 32x8, 256, 0"];
    let declared = "uint64_t one[2] = {96, 40}; uint64_t other[] = {64, 8};";
    for body in [
        "CUtensorMap a, b; map_rows(&a, p, one, CU_TENSOR_MAP_SWIZZLE_128B); map_rows(&b, p, other, CU_TENSOR_MAP_SWIZZLE_NONE);",
        "CUtensorMap a = {}, b = {0}; map_rows(&a, p, &one[0], CU_TENSOR_MAP_SWIZZLE_128B); CHECK(map_rows(&b, p, other, CU_TENSOR_MAP_SWIZZLE_NONE));",
        "alignas(64) CUtensorMap a, b; if (!map_rows(&a, p, one, CU_TENSOR_MAP_SWIZZLE_128B)) return 1; if (!map_rows(&b, p, other, CU_TENSOR_MAP_SWIZZLE_NONE)) return 1;",
    ] {
        assert_eq!(maps("float *p", &format!("{declared} {body}")), expected, "{body}");
    }
}

#[test]
fn a_failed_encoding_launches_nothing() {
    let encode = "encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, at, sizes, pitch, part, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill)";
    let declared =
        "uint64_t sizes[2] = {64, 8}, pitch[1] = {64}; uint32_t part[2] = {64, 8}, steps[2] = {1, 1};";
    for rest in [
        format!(
            "if (!ready) return map; if (!encode || {encode} != CUDA_SUCCESS) printf(\"no map\"); return map;"
        ),
        format!(
            "CUresult failed = encode ? {encode} : CUDA_ERROR_NOT_FOUND; if (failed) throw Failure(); return map;"
        ),
        format!("if (encode) {encode}; return map;"),
    ] {
        let helper = format!("CUtensorMap map = {{}}; auto encode = entry(); {declared} {rest}");
        let body =
            format!("copy<<<8, 128>>>(bytes(p), bytes(q), 3); }} CUtensorMap bytes(void *at) {{ {helper}");
        let found = launch("void *p, void *q", &body);
        assert_eq!(shown(found.arguments[1]), "u8 64x8 of 64x8, 64, 0", "{rest}");
    }
}

#[test]
fn tensor_maps_in_structures_and_arrays_are_known() {
    let body = "Pair all; all.from = mapped(p, 256, 128, 32, 8); all.to = mapped(p, 512, 128, 32, 8);
        copy<<<8, 128>>>(all.from, all.to, 3);";
    let found = launch("void *p", body);
    let small = "f16 256x128 of 32x8, 512, 64";
    let large = "f16 512x128 of 32x8, 1024, 64";
    assert_eq!([0, 1].map(|at| shown(found.arguments[at])), [small, large]);
    let body =
        "CUtensorMap all[2]; for (int i = 0; i < 2; i++) all[i] = mapped(p, 256 * (i + 1), 128, 32, 8);
        copy<<<8, 128>>>(all[0], all[1], 3);";
    let found = launch("void *p", body);
    assert_eq!([0, 1].map(|at| shown(found.arguments[at])), [small, large]);
}

#[test]
fn a_tensor_map_is_unknown_unless_all_of_it_is_known() {
    let known = "f16 256x128 of 32x8, 512, 64";
    let sizes = "uint64_t one[2] = {96, 40};";
    for body in [
        // A size, a tile, or neither is known.
        "CUtensorMap a = mapped(p, atoi(v[1]), 128, 32, 8), b = mapped(q, 256, 128, 32, 8);",
        "CUtensorMap a = mapped(p, argc * 64, 128, 32, 8), b = mapped(q, 256, 128, 32, 8);",
        "CUtensorMap a = mapped(p, 256, 128, 32, high), b = mapped(q, 256, 128, 32, 8);",
        "CUtensorMap a, b = mapped(q, 256, 128, 32, 8);",
        // The driver refuses these: too many elements in a tile, and rows that start at multiples of 2 bytes.
        "CUtensorMap a = mapped(p, 1024, 128, 512, 8), b = mapped(q, 256, 128, 32, 8);",
        "CUtensorMap a = mapped(p, 1023, 128, 32, 8), b = mapped(q, 256, 128, 32, 8);",
        // Several maps are possible.
        "CUtensorMap a, b = mapped(q, 256, 128, 32, 8);
         if (argc > 1) a = mapped(p, 256, 128, 32, 8); else a = mapped(p, 512, 128, 32, 8);",
        "CUtensorMap a = mapped(p, 512, 128, 32, 8), b = mapped(q, 256, 128, 32, 8);
         if (argc > 1) a = mapped(p, 256, 128, 32, 8);",
        "if (argc > 9) return 1; CUtensorMap a = mapped(p, 512, 128, 32, 8), b = mapped(q, 256, 128, 32, 8);
         if (argc > 1) a = mapped(p, 256, 128, 32, 8);",
        "CUtensorMap a = argc > 1 ? mapped(p, 512, 128, 32, 8) : mapped(p, 256, 128, 32, 8), b = mapped(q, 256, 128, 32, 8);",
        "CUtensorMap a = mapped(p, 512, 128, 32, 8), b = mapped(q, 256, 128, 32, 8);
         while (argc-- > 2) a = mapped(p, 256, 128, 32, 8);",
        "CUtensorMap all[2] = {mapped(p, 512, 128, 32, 8), mapped(p, 256, 128, 32, 8)};
         CUtensorMap a = all[argc], b = mapped(q, 256, 128, 32, 8);",
        // Other code may change the map, its sizes or its tile.
        "CUtensorMap a = mapped(p, 512, 128, 32, 8), b = mapped(q, 256, 128, 32, 8); change(&a);",
        "CUtensorMap a, b = mapped(q, 256, 128, 32, 8); change(one); map_rows(&a, p, one, CU_TENSOR_MAP_SWIZZLE_NONE);",
        "CUtensorMap a, b = mapped(q, 256, 128, 32, 8); uint64_t *sizes = one; sizes[0] = 32;
         map_rows(&a, p, one, CU_TENSOR_MAP_SWIZZLE_NONE);",
        "CUtensorMap a, b = mapped(q, 256, 128, 32, 8); one[argc] = 32;
         map_rows(&a, p, one, CU_TENSOR_MAP_SWIZZLE_NONE);",
        "CUtensorMap a, b = mapped(q, 256, 128, 32, 8); map_rows(&a, p, one, swizzle_of(argc));",
    ] {
        let found = maps("int argc, char **v, float *p, float *q, int high", &format!("{sizes} {body}"));
        assert_eq!(found, [UNKNOWN, known], "{body}");
    }
}

#[test]
fn only_calls_with_the_arguments_of_the_driver_encode_a_map() {
    let encode = |callee: &str, interleave: &str, step: &str| {
        let body = format!(
            "CUtensorMap a, b; uint64_t sizes[2] = {{64, 8}}, pitch[1] = {{128}}; uint32_t part[2] = {{64, 8}}, steps[2] = {{1, {step}}};
             {callee}(&a, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, sizes, pitch, part, steps,
               CU_TENSOR_MAP_INTERLEAVE_{interleave}, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);"
        );
        maps("void *p, Fill fill, Driver driver", &body)[0].clone()
    };
    let expected = "bf16 64x8 of 64x8, 128, 128";
    for callee in ["cuTensorMapEncodeTiled", "encode", "driver.encode", "api()->encode", "(*encode)"] {
        assert_eq!(encode(callee, "NONE", "1"), expected, "{callee}");
    }
    assert_eq!(encode("encode", "16B", "1"), UNKNOWN);
    assert_eq!(encode("encode", "NONE", "2"), UNKNOWN);
    assert_eq!(encode("mapped", "NONE", "1"), UNKNOWN);
}

/// Returns the cluster and the grid of a launch by `cudaLaunchKernelEx`.
fn cluster(body: &str) -> (LaunchCluster, Option<[u32; 3]>) {
    let found = launch("int argc, float *p", body);
    (found.cluster, found.grid)
}

#[test]
fn a_launch_states_its_cluster() {
    let head = "cudaLaunchConfig_t config = {0}; config.gridDim = dim3(16, 2); config.blockDim = 256; config.dynamicSmemBytes = 4096;";
    let attribute = "cudaLaunchAttribute own[2]; own[0].id = cudaLaunchAttributeClusterDimension;
        own[0].val.clusterDim.x = 4; own[0].val.clusterDim.y = 1; own[0].val.clusterDim.z = 1;
        own[1].id = cudaLaunchAttributeProgrammaticStreamSerialization; own[1].val.programmaticStreamSerializationAllowed = 1;";
    let grid = Some([16, 2, 1]);
    let blocks = LaunchCluster::Blocks([4, 1, 1]);
    for (rest, expected) in [
        ("config.attrs = own; config.numAttrs = 2;", blocks),
        (
            "config.numAttrs = 1; config.attrs = own; own[0].val.clusterDim.x = 2;",
            LaunchCluster::Blocks([2, 1, 1]),
        ),
        (
            "config.attrs = &own[0]; config.numAttrs = 1; cudaOccupancyMaxActiveClusters(&argc, scale, &config);",
            blocks,
        ),
        (
            "config.attrs = own; own[0].id = cudaLaunchAttributePriority; config.numAttrs = 2;",
            LaunchCluster::Unstated,
        ),
        ("config.attrs = own; config.numAttrs = argc;", LaunchCluster::Unknown),
        ("config.attrs = argc > 1 ? own : other; config.numAttrs = 1;", LaunchCluster::Unknown),
        ("config.attrs = own; own[0].val.clusterDim.x = argc; config.numAttrs = 1;", LaunchCluster::Unknown),
        ("", LaunchCluster::Unstated),
    ] {
        let launched = format!("{head} {attribute} {rest} CHECK(cudaLaunchKernelEx(&config, scale, p, 5));");
        assert_eq!(cluster(&launched), (expected, grid), "{rest}");
    }
    let found = launch("float *p", &format!("{head} cudaLaunchKernelEx(&config, scale<float, 4>, p, 5);"));
    assert_eq!((found.function.as_str(), found.templates.len(), found.shared), ("scale", 2, Some(4096)));
    assert_eq!(
        (found.block, found.arguments),
        (Some([256, 1, 1]), vec![Argument::Pointer, Argument::Number(5)])
    );
    let designated =
        "cudaLaunchConfig_t config = {.blockDim = 256}; cudaLaunchKernelEx(&config, scale, p, 5);";
    assert_eq!(cluster(designated), (LaunchCluster::Unknown, None));
}

#[test]
fn a_value_that_is_changed_under_an_unknown_condition_is_unknown() {
    let grid = |body: &str| launch("int argc", &format!("{body} copy<<<n, 32>>>(a, b, 3);")).grid;
    assert_eq!(grid("if (argc < 2) return 1; int n = 5; if (argc > 3) n = 6;"), None);
    assert_eq!(grid("int n = 5; if (argc < 2) return 1; n = 6;"), Some([6, 1, 1]));
    assert_eq!(grid("int n = 5; auto set = [&](int m) { n = m; };"), None);
}
