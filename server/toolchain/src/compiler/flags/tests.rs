use super::*;

use CompilerKind::{Clang, Nvcc};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn of_build(arguments: &str) -> Flags {
    Flags::of_build(&words(arguments), Path::new("/build"))
}

fn given(arguments: &str, kind: CompilerKind) -> String {
    of_build(arguments).for_compiler(kind).join(" ")
}

#[test]
fn arguments_that_say_what_a_unit_means_are_taken() {
    let flags = of_build(
        "nvcc -ccbin /usr/bin/g++ -I../include -I /abs -isystem=sys -DN=32 -D FLAG -UX -std=gnu++17 --expt-relaxed-constexpr \
         -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=[compute_90a,sm_90a] -O3 -G -Xcompiler -fPIC \
         --use_fast_math -dc -x cu -c ../k.cu -o k.o",
    );
    let expected = "-I /build/../include -I /abs -isystem /build/sys -D N=32 -D FLAG -U X -std=c++17 \
                    --expt-relaxed-constexpr --use_fast_math -rdc=true";
    assert_eq!(flags.for_compiler(Nvcc), words(expected));
    assert_eq!(flags.architecture.as_deref(), Some("sm_80"));
    let expected = "-I/build/../include -I/abs -isystem/build/sys -DN=32 -DFLAG -UX -std=gnu++17 -ffast-math \
                    -fgpu-flush-denormals-to-zero -fgpu-rdc";
    assert_eq!(flags.for_compiler(Clang), words(expected));
}

#[test]
fn arguments_of_clang_are_taken() {
    let flags = of_build(
        "-x cuda --offload-arch=sm_90a --cuda-path=cuda -Iinclude -DN=4 -iquote near -idirafter /far -std=gnu++20 -O2 \
         -ffast-math -fgpu-rdc -fno-exceptions -Wno-c++11-narrowing -Xcuda-ptxas -maxrregcount=64 -Xarch_device -DDEVICE \
         -nocudalib -march=native -g -Wall -c k.cu -o k.o",
    );
    assert_eq!(flags.architecture.as_deref(), Some("sm_90a"));
    assert_eq!(flags.toolkit.as_deref(), Some(Path::new("/build/cuda")));
    assert_eq!(flags.level(), "2");
    let expected = "-I/build/include -DN=4 -iquote/build/near -idirafter/far -std=gnu++20 -ffast-math -fgpu-rdc \
                    -fno-exceptions -Wno-c++11-narrowing -Xcuda-ptxas --maxrregcount=64 -DDEVICE -nocudalib";
    assert_eq!(flags.for_compiler(Clang), words(expected));
    let expected = "-I /build/include -D N=4 -I /build/near -isystem /far -std=c++20 --use_fast_math -rdc=true \
                    -maxrregcount=64 -D DEVICE";
    assert_eq!(flags.for_compiler(Nvcc), words(expected));
}

#[test]
fn an_argument_of_one_compiler_becomes_its_equal_in_the_other() {
    for (of_nvcc, of_clang) in [
        ("-ftz=true", "-fgpu-flush-denormals-to-zero"),
        ("-ftz=false", "-fno-gpu-flush-denormals-to-zero"),
        ("-fmad=false", "-ffp-contract=off"),
        ("-fmad=true", "-ffp-contract=fast"),
        ("-rdc=true", "-fgpu-rdc"),
        ("-rdc=false", "-fno-gpu-rdc"),
        ("-maxrregcount=32", "-Xcuda-ptxas --maxrregcount=32"),
        ("-Xptxas -dlcm=cg", "-Xcuda-ptxas -dlcm=cg"),
    ] {
        for text in [of_nvcc, of_clang] {
            assert_eq!(given(text, Nvcc), of_nvcc, "{text}");
            assert_eq!(given(text, Clang), of_clang, "{text}");
        }
    }
    assert_eq!(given("--ftz true -maxrregcount 40", Nvcc), "-ftz=true -maxrregcount=40");
    // Arguments without an equivalent are used only for their compiler.
    let of_nvcc = "-prec-div=false -prec-sqrt=false -restrict -extra-device-vectorization --extended-lambda";
    assert_eq!((given(of_nvcc, Nvcc).as_str(), given(of_nvcc, Clang).as_str()), (of_nvcc, ""));
    let of_clang = "-fcuda-short-ptr -nocudainc -stdlib=libc++ -fno-signed-zeros";
    assert_eq!((given(of_clang, Nvcc).as_str(), given(of_clang, Clang).as_str()), ("", of_clang));
}

#[test]
fn arguments_for_the_hosts_compiler_count_where_they_reach_the_preprocessor() {
    let text = "-Xcompiler -DA -Xcompiler=-DB,-Iinc,-ffast-math -Xcompiler -isystem,/sys --compiler-options -fPIC -DC";
    assert_eq!(given(text, Clang), "-DC -DA -DB -I/build/inc -isystem/sys");
}

#[test]
fn the_level_of_nvcc_is_that_of_the_host() {
    let of_command = |text: &str| Flags::of_command(&words(text), Path::new("/build"));
    assert_eq!(of_command("nvcc -O0 -c k.cu").level(), "3");
    assert_eq!(of_command("clang++ -O1 -c k.cu").level(), "1");
    assert_eq!(of_command("clang++ -c k.cu").level(), "3");
    let stated = of_build("-DA").over(of_command("clang++-19 -O2 -DB --offload-arch=sm_80"));
    assert_eq!((stated.level(), stated.architecture.as_deref()), ("2", Some("sm_80")));
    assert_eq!(stated.compiler.as_ref().map(|compiler| compiler.name.as_str()), Some("clang++-19"));
    assert_eq!(stated.for_compiler(Clang), ["-DA", "-DB"]);
}

#[test]
fn arguments_that_would_write_or_run_something_are_left_out() {
    let text = "-o x -optf y -ccbin z --options-file w -Xptxas -o,evil --compiler-bindir q -odir r --keep -save-temps \
                -fplugin=a.so -fplugin-arg-a-b -fpass-plugin=a.so -Xclang -load -Xclang a.so -Xclang -include -Xclang h \
                -mllvm -load=a.so -load a.so -B/tmp -B /tmp -specs=s --config c --config=c @file -ccc-install-dir /tmp \
                -ccc-print-phases --ptxas-path=/tmp/ptxas --sysroot=/tmp -fuse-ld=/tmp/ld -Xcuda-ptxas -o -Xcuda-ptxas x \
                -resource-dir /tmp -fmodules -fmodule-file=m -ivfsoverlay v -save-temps=obj -fcrash-diagnostics-dir=/tmp \
                -ftime-trace=x -fprofile-use=p -serialize-diagnostics d -MD -MF f -MJ j -Xarch_host -DHOST -Xarch_device \
                -fplugin=b.so -Wno-x;y -maxrregcount=1,-o -Xcompiler -fplugin=c.so,@file,-B/tmp -wrapper x";
    assert_eq!(of_build(text), Flags::default());
    assert_eq!(of_build("-arch=sm_90a").architecture.as_deref(), Some("sm_90a"));
    assert_eq!(of_build("-arch native").architecture, None);
    assert_eq!(of_build("-I"), Flags::default());
    // Nested arguments are read to one level.
    for name in ["-Xarch_device=", "-Xcompiler=", "-Xptxas="] {
        assert_eq!(of_build(&(name.repeat(100_000) + "-DX")), Flags::default());
    }
    // clang reads an argument that begins with `@` as a file of more arguments.
    let empty = Flags::of_build(&words("-D  -D @f -U @g"), Path::new("/build"));
    assert_eq!(empty.for_compiler(Clang), ["-D@f", "-U@g"]);
}
