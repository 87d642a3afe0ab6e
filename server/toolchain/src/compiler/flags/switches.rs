//! Arguments without a value, and their equivalents in the other compiler.

/// An argument that both compilers have under different names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Switch {
    /// The spellings that are recognised in a build's arguments.
    pub(super) read: &'static [&'static str],
    pub(super) nvcc: &'static [&'static str],
    pub(super) clang: &'static [&'static str],
}

const FLUSHES: &str = "-fgpu-flush-denormals-to-zero";
const KEEPS: &str = "-fno-gpu-flush-denormals-to-zero";

pub(super) const SWITCHES: [Switch; 8] = [
    Switch {
        read: &["-use_fast_math", "--use_fast_math"],
        nvcc: &["--use_fast_math"],
        // clang's `-ffast-math` does not flush denormals.
        clang: &["-ffast-math", FLUSHES],
    },
    Switch { read: &["-ffast-math"], nvcc: &["--use_fast_math"], clang: &["-ffast-math"] },
    Switch {
        read: &["-ftz=true", "--ftz=true", FLUSHES, "-fcuda-flush-denormals-to-zero"],
        nvcc: &["-ftz=true"],
        clang: &[FLUSHES],
    },
    Switch {
        read: &["-ftz=false", "--ftz=false", KEEPS, "-fno-cuda-flush-denormals-to-zero"],
        nvcc: &["-ftz=false"],
        clang: &[KEEPS],
    },
    Switch {
        read: &["-fmad=true", "--fmad=true", "-ffp-contract=fast"],
        nvcc: &["-fmad=true"],
        clang: &["-ffp-contract=fast"],
    },
    Switch {
        read: &["-fmad=false", "--fmad=false", "-ffp-contract=off"],
        nvcc: &["-fmad=false"],
        clang: &["-ffp-contract=off"],
    },
    // nvcc contracts across statements or not at all.
    Switch { read: &["-ffp-contract=on"], nvcc: &["-fmad=true"], clang: &["-ffp-contract=on"] },
    Switch { read: &["-fno-fast-math"], nvcc: &[], clang: &["-fno-fast-math"] },
];

/// Arguments that only nvcc has, or that clang does not need: clang accepts `constexpr` and lambdas by
/// default.
pub(super) const NVCC_ONLY: [&str; 12] = [
    "-prec-div=true",
    "-prec-div=false",
    "--prec-div=true",
    "--prec-div=false",
    "-prec-sqrt=true",
    "-prec-sqrt=false",
    "--prec-sqrt=true",
    "--prec-sqrt=false",
    "-extra-device-vectorization",
    "--extra-device-vectorization",
    "-restrict",
    "--restrict",
];

/// Arguments that only clang has. They name no file and load no code into the compiler.
pub(super) const CLANG_ONLY: [&str; 38] = [
    "-nocudalib",
    "-nogpulib",
    "-nocudainc",
    "-nogpuinc",
    "--no-cuda-version-check",
    "-fcuda-approx-transcendentals",
    "-fno-cuda-approx-transcendentals",
    "-fgpu-approx-transcendentals",
    "-fno-gpu-approx-transcendentals",
    "-fcuda-short-ptr",
    "-fno-cuda-short-ptr",
    "-fassociative-math",
    "-fno-associative-math",
    "-freciprocal-math",
    "-fno-reciprocal-math",
    "-ffinite-math-only",
    "-fno-finite-math-only",
    "-funsafe-math-optimizations",
    "-fno-unsafe-math-optimizations",
    "-fsigned-zeros",
    "-fno-signed-zeros",
    "-fmath-errno",
    "-fno-math-errno",
    "-funroll-loops",
    "-fno-unroll-loops",
    "-fstrict-aliasing",
    "-fno-strict-aliasing",
    "-fexceptions",
    "-fno-exceptions",
    "-frtti",
    "-fno-rtti",
    "-fsigned-char",
    "-funsigned-char",
    "-fwrapv",
    "-fno-wrapv",
    "-fms-extensions",
    "-stdlib=libc++",
    "-stdlib=libstdc++",
];
