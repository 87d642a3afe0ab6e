//! Tests of clang: when it is chosen, which toolkit it uses, and its arguments.

use super::{GO_ON, Tool, patiently};
use crate::{
    CompilerChoice, CompilerKind, Consent, Flags, ToolError, Unit, UnitCode, UnitCompiler, UnitProduct,
};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use CompilerKind::{Clang, Nvcc};

/// Writes the arguments and the text to the output file.
const ECHO: &str = r#"echo "$@" > code.cubin; cat code.cu >> code.cubin"#;

fn flags(command: &str) -> Flags {
    let command: Vec<String> = command.split(' ').map(str::to_owned).collect();
    Flags::of_command(&command, Path::new("/build"))
}

/// A folder with the parts of a toolkit that clang needs.
fn toolkit() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bin", "include", "nvvm/libdevice"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let ptxas = Tool::new("ptxas", "true");
    fs::copy(ptxas.folder.path().join("ptxas"), folder.path().join("bin/ptxas")).unwrap();
    folder
}

fn path_of(tools: &[&Tool]) -> OsString {
    std::env::join_paths(tools.iter().map(|tool| tool.folder.path())).unwrap()
}

fn clang(choice: &CompilerChoice<'_>, flags: &Flags) -> Result<(PathBuf, PathBuf, PathBuf), ToolError> {
    match choice.find(flags)? {
        UnitCompiler::Clang(clang) => Ok((clang.path, clang.toolkit.folder, clang.toolkit.ptxas)),
        UnitCompiler::Nvcc(nvcc) => panic!("{nvcc:?} is no clang"),
    }
}

#[test]
fn the_build_says_which_compiler_runs_else_it_is_nvcc_where_there_is_one() {
    let (nvcc, clang, toolkit) = (Tool::new("nvcc", "true"), Tool::new("clang++", "true"), toolkit());
    // `CUDA_HOME` names a toolkit without nvcc.
    let home = Some(toolkit.path().to_owned());
    let (of_nvcc, of_clang, of_none) = (flags("nvcc -c k.cu"), flags("clang++ -c k.cu"), Flags::default());
    let both = CompilerChoice { path: Some(path_of(&[&nvcc, &clang])), ..CompilerChoice::default() };
    let with_ptxas = toolkit.path().join("bin/ptxas");
    let both = CompilerChoice { ptxas: Some(&with_ptxas), ..both };
    let kind = |choice: &CompilerChoice<'_>, flags: &Flags| choice.find(flags).map(|it| it.kind());
    for (flags, expected) in [(&of_nvcc, Nvcc), (&of_clang, Clang), (&of_none, Nvcc)] {
        assert_eq!(kind(&both, flags), Ok(expected), "{flags:?}");
        // A compiler that is demanded by name takes precedence over the build's.
        for demanded in [Nvcc, Clang] {
            let choice = CompilerChoice { demanded: Some(demanded), ..both.clone() };
            assert_eq!(kind(&choice, flags), Ok(demanded));
        }
        // Either compiler can replace the other.
        let choice = CompilerChoice { path: Some(path_of(&[&nvcc])), ..CompilerChoice::default() };
        assert_eq!(kind(&choice, flags), Ok(Nvcc), "{flags:?}");
        let choice = CompilerChoice { path: Some(path_of(&[&clang])), home: home.clone(), ..choice };
        assert_eq!(kind(&choice, flags), Ok(Clang), "{flags:?}");
    }
    // If the build states no compiler, the only one whose path is configured is chosen.
    let configured = clang.folder.path().join("clang++");
    let choice = CompilerChoice { clang: Some(&configured), ..both.clone() };
    assert_eq!((kind(&choice, &of_none), kind(&choice, &of_nvcc)), (Ok(Clang), Ok(Nvcc)));
    // A configured path that does not exist is an error, and so is a missing compiler that is demanded by name.
    let nowhere = Path::new("/nowhere/clang");
    let choice = CompilerChoice { clang: Some(nowhere), ..both };
    assert_eq!(kind(&choice, &of_clang), Err(ToolError::NoClangAt(nowhere.to_owned())));
    let choice =
        CompilerChoice { demanded: Some(Clang), path: Some(path_of(&[&nvcc])), ..CompilerChoice::default() };
    assert_eq!(kind(&choice, &of_none), Err(ToolError::NoClang));
    assert_eq!(kind(&CompilerChoice::default(), &of_none), Err(ToolError::NoCompiler));
}

#[test]
fn the_program_is_the_one_on_path_that_the_build_names() {
    let (plain, versioned, toolkit) =
        (Tool::new("clang++", "true"), Tool::new("clang++-19", "true"), toolkit());
    let choice = CompilerChoice {
        path: Some(path_of(&[&plain, &versioned])),
        home: Some(toolkit.path().to_owned()),
        ..CompilerChoice::default()
    };
    let program = |command: &str| clang(&choice, &flags(command)).map(|(program, ..)| program);
    assert_eq!(program("clang++ -c k.cu"), Ok(plain.folder.path().join("clang++")));
    assert_eq!(program("/opt/llvm/bin/clang++-19 -c k.cu"), Ok(versioned.folder.path().join("clang++-19")));
    assert_eq!(program("clang++-20 -c k.cu"), Ok(plain.folder.path().join("clang++")));
    // A path in a workspace's file is not run.
    let own = format!("{} -c k.cu", versioned.folder.path().join("clang++").display());
    assert_eq!(program(&own), Ok(plain.folder.path().join("clang++")));
}

#[test]
fn the_toolkit_is_the_users_and_a_build_names_headers_alone() {
    let (program, own, other) = (Tool::new("clang", "true"), toolkit(), toolkit());
    let path = Some(path_of(&[&program]));
    let of_home =
        CompilerChoice { path: path.clone(), home: Some(own.path().to_owned()), ..CompilerChoice::default() };
    let ptxas = |folder: &TempDir| folder.path().join("bin/ptxas");
    let found = |choice: &CompilerChoice<'_>, command: &str| {
        clang(choice, &flags(command)).map(|(_, folder, ptxas)| (folder, ptxas))
    };
    assert_eq!(found(&of_home, "clang"), Ok((own.path().to_owned(), ptxas(&own))));
    let command = format!("clang --cuda-path={}", other.path().display());
    assert_eq!(found(&of_home, &command), Ok((other.path().to_owned(), ptxas(&own))));
    let command = "clang --cuda-path=/nowhere";
    assert_eq!(found(&of_home, command), Ok((own.path().to_owned(), ptxas(&own))));
    // A configured ptxas takes precedence over `CUDA_HOME`, and so does its toolkit.
    let configured = ptxas(&other);
    let choice = CompilerChoice { ptxas: Some(&configured), ..of_home.clone() };
    assert_eq!(found(&choice, "clang"), Ok((other.path().to_owned(), configured.clone())));
    // The toolkit found on PATH.
    let folders = [program.folder.path().to_owned(), other.path().join("bin")];
    let path = Some(std::env::join_paths(folders).unwrap());
    let choice = CompilerChoice { path, ..CompilerChoice::default() };
    assert_eq!(found(&choice, "clang"), Ok((other.path().to_owned(), configured.clone())));
    // A toolkit whose programs are links on PATH, as distributions create them.
    let links = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&configured, links.path().join("ptxas")).unwrap();
    let path = Some(std::env::join_paths([program.folder.path(), links.path()]).unwrap());
    let choice = CompilerChoice { path, ..CompilerChoice::default() };
    assert_eq!(found(&choice, "clang"), Ok((other.path().canonicalize().unwrap(), configured)));
}

#[test]
fn without_a_toolkit_one_line_says_what_is_missing() {
    let (program, own) = (Tool::new("clang", "true"), toolkit());
    fs::remove_dir(own.path().join("nvvm/libdevice")).unwrap();
    let choice = CompilerChoice {
        path: Some(path_of(&[&program])),
        home: Some(own.path().to_owned()),
        ..CompilerChoice::default()
    };
    let found = clang(&choice, &flags("clang -c k.cu"));
    // A test machine may have a toolkit in a usual folder.
    let Err(error) = found else { return testkit::left_out("a toolkit is in a usual folder") };
    assert_eq!(error, ToolError::NoToolkitForClang);
    let line = error.to_string();
    assert!(line.starts_with("CUDA toolkit not found; clang needs") && line.contains("CUDA_HOME"), "{line}");
    assert!(!line.contains('\n'));
}

fn compile(script: &str, command: &str, product: UnitProduct) -> Result<UnitCode, ToolError> {
    let (tool, own) = (Tool::new("clang++", script), toolkit());
    let configured = tool.folder.path().join("clang++");
    let choice = CompilerChoice {
        clang: Some(&configured),
        home: Some(own.path().to_owned()),
        ..CompilerChoice::default()
    };
    let flags = flags(command);
    let unit = Unit {
        text: "the text\n",
        path: Path::new("/kernels/k.cu"),
        architecture: "sm_90a",
        flags: &flags,
        product,
    };
    let compiler = choice.find(&flags).unwrap();
    patiently(|| compiler.compile_unit(Consent::by_command_line(), unit, tool.limits, GO_ON)).map(|code| {
        let UnitCode::Made(bytes) = code else { return code };
        let text = String::from_utf8(bytes).unwrap().replace(&own.path().display().to_string(), "TOOLKIT");
        UnitCode::Made(text.into_bytes())
    })
}

#[test]
fn it_compiles_the_device_code_with_line_numbers() {
    let command = "clang++ -DN=4 -O2 -fplugin=evil.so -Xclang -load -Xclang evil.so -lineinfo -prec-div=false -o /k.o k.cu";
    for (product, name) in [(UnitProduct::Cubin, "-c"), (UnitProduct::Ptx, "-S")] {
        let made = compile(ECHO, command, product);
        let expected = format!(
            "--cuda-device-only {name} -gline-tables-only -w -fno-crash-diagnostics --cuda-path=TOOLKIT \
             --ptxas-path=TOOLKIT/bin/ptxas --offload-arch=sm_90a -O2 -iquote/kernels -DN=4 -x cuda code.cu -o code.cubin\n\
             #line 1 \"/kernels/k.cu\"\nthe text\n"
        );
        assert_eq!(made, Ok(UnitCode::Made(expected.into_bytes())));
    }
}

#[test]
fn its_first_error_is_reported() {
    let refused =
        |line: &str| compile(&format!("echo \"{line}\" >&2; exit 1"), "clang++", UnitProduct::Cubin);
    let why = |text: &str| Ok(UnitCode::Refused(text.to_owned()));
    assert_eq!(
        refused("/kernels/k.cu:5:13: error: use of undeclared identifier 'm'"),
        why("line 5: use of undeclared identifier 'm'")
    );
    assert_eq!(
        refused("clang++: error: unsupported CUDA gpu architecture: sm_190"),
        why("unsupported CUDA gpu architecture: sm_190")
    );
    let ptxas = "ptxas fatal   : Unresolved extern function 'f'\nclang++: error: ptxas command failed with exit code 255";
    assert_eq!(refused(ptxas), why("ptxas: Unresolved extern function 'f'"));
    let failed = refused("Segmentation fault").unwrap_err().to_string();
    assert!(failed.starts_with("clang failed (exit status: 1): Segmentation fault"), "{failed}");
}
