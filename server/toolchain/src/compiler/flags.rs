//! Those arguments of a build that say what a unit of CUDA means, as nvcc takes them.

use std::path::Path;

/// Arguments for nvcc that change what a unit means or how its code is made, and name no file to be written or run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// As nvcc takes them, paths absolute.
    pub arguments: Vec<String>,
    /// The architecture that the build compiles for: `sm_90a`. The first, where it compiles for several.
    pub architecture: Option<String>,
}

/// An option with a value, which may stand in the next argument, behind `=`, or right behind a short name.
struct Valued {
    names: &'static [&'static str],
    /// The name that nvcc is given.
    given: &'static str,
    is_path: bool,
    /// The value may follow without anything between, as in `-Idir`.
    joins: bool,
}

const VALUED: [Valued; 9] = [
    Valued { names: &["-I", "--include-path"], given: "-I", is_path: true, joins: true },
    Valued { names: &["-isystem", "--system-include"], given: "-isystem", is_path: true, joins: false },
    Valued { names: &["-iquote"], given: "-I", is_path: true, joins: false },
    Valued { names: &["-include", "--pre-include"], given: "-include", is_path: true, joins: false },
    Valued { names: &["-D", "--define-macro"], given: "-D", is_path: false, joins: true },
    Valued { names: &["-U", "--undefine-macro"], given: "-U", is_path: false, joins: true },
    Valued { names: &["-std", "--std"], given: "-std", is_path: false, joins: false },
    Valued {
        names: &["-maxrregcount", "--maxrregcount"],
        given: "-maxrregcount",
        is_path: false,
        joins: false,
    },
    Valued { names: &["-rdc", "--relocatable-device-code"], given: "-rdc", is_path: false, joins: false },
];

/// Options without a value, or with one behind `=`, that are handed on as they are.
const HANDED_ON: [&str; 14] = [
    "-use_fast_math",
    "--use_fast_math",
    "-ftz",
    "--ftz",
    "-prec-div",
    "--prec-div",
    "-prec-sqrt",
    "--prec-sqrt",
    "-fmad",
    "--fmad",
    "-extra-device-vectorization",
    "--extra-device-vectorization",
    "-restrict",
    "--restrict",
];

/// The names of options that say the architecture.
const ARCHITECTURE: [&str; 5] =
    ["-arch", "--gpu-architecture", "-gencode", "--generate-code", "--cuda-gpu-arch"];

impl Flags {
    /// Takes from a build's arguments those that count; what names files to write, programs to run or parts of other
    /// compilers is left out. `folder`: relative paths are relative to it.
    pub fn of_build(arguments: &[String], folder: &Path) -> Self {
        let mut flags = Self::default();
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            if argument.contains('\0') {
                continue;
            }
            let (name, behind) =
                argument.split_once('=').map_or((argument, None), |(name, value)| (name, Some(value)));
            if ARCHITECTURE.contains(&name) {
                let value = behind.or_else(|| rest.next()).unwrap_or_default();
                let own = value.split([',', '[', ']', '"', '=']).find(|word| is_architecture(word));
                flags.architecture = flags.architecture.take().or_else(|| own.map(str::to_owned));
            } else if let Some((option, value)) = valued(argument, name, behind) {
                let Some(value) = value.or_else(|| rest.next()) else { break };
                flags.push(option, value, folder);
            } else if matches!(argument, "-dc" | "--device-c" | "-fgpu-rdc") {
                flags.arguments.push("-rdc=true".to_owned());
            } else if HANDED_ON.contains(&name) || is_language_extension(name) {
                flags.arguments.push(argument.to_owned());
            }
        }
        flags
    }

    fn push(&mut self, option: &Valued, value: &str, folder: &Path) {
        let value = if option.is_path { folder.join(value).display().to_string() } else { value.to_owned() };
        match option.given {
            // GNU dialects, which nvcc does not take.
            "-std" => self.arguments.push(format!("-std={}", value.replace("gnu++", "c++"))),
            "-maxrregcount" | "-rdc" => self.arguments.push(format!("{}={value}", option.given)),
            given => self.arguments.extend([given.to_owned(), value]),
        }
    }
}

/// The option that an argument is, and its value where the argument holds it.
fn valued<'a>(
    argument: &'a str,
    name: &str,
    behind: Option<&'a str>,
) -> Option<(&'static Valued, Option<&'a str>)> {
    VALUED.iter().find_map(|option| {
        let short = option.names[0];
        // A macro is `-DNAME=value`: the sign belongs to it.
        if option.joins && argument.len() > short.len() && argument.starts_with(short) {
            return Some((option, Some(argument[short.len()..].trim_start_matches('='))));
        }
        option.names.contains(&name).then_some((option, behind))
    })
}

fn is_architecture(word: &str) -> bool {
    word.strip_prefix("sm_").is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// `--expt-relaxed-constexpr`, `-extended-lambda` and their like.
fn is_language_extension(name: &str) -> bool {
    let name = name.trim_start_matches('-');
    name.starts_with("expt-") || name == "extended-lambda"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_build(arguments: &str) -> Flags {
        let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        Flags::of_build(&arguments, Path::new("/build"))
    }

    #[test]
    fn what_says_what_a_unit_means_is_taken() {
        let flags = of_build(
            "nvcc -ccbin /usr/bin/g++ -I../include -I /abs -isystem=sys -DN=32 -D FLAG -UX -std=gnu++17 --expt-relaxed-constexpr \
             -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=[compute_90a,sm_90a] -O3 -G -Xcompiler -fPIC \
             --use_fast_math -dc -x cu -c ../k.cu -o k.o",
        );
        let expected = [
            "-I",
            "/build/../include",
            "-I",
            "/abs",
            "-isystem",
            "/build/sys",
            "-D",
            "N=32",
            "-D",
            "FLAG",
            "-U",
            "X",
            "-std=c++17",
            "--expt-relaxed-constexpr",
            "--use_fast_math",
            "-rdc=true",
        ];
        assert_eq!(flags.arguments, expected);
        assert_eq!(flags.architecture.as_deref(), Some("sm_80"));
    }

    #[test]
    fn what_would_write_or_run_something_is_left_out() {
        let flags = of_build(
            "-o x -optf y -ccbin z --options-file w -Xptxas -o,evil --compiler-bindir q -odir r --keep -save-temps",
        );
        assert_eq!(flags, Flags::default());
        assert_eq!(of_build("-arch=sm_90a").architecture.as_deref(), Some("sm_90a"));
        assert_eq!(of_build("-arch native").architecture, None);
        assert_eq!(of_build("-I").arguments, Vec::<String>::new());
    }
}
