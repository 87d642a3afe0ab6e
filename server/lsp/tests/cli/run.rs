//! Runs the binary in a temporary folder.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A small listing of two functions, as `cuobjdump -sass` prints it.
pub(crate) const LISTING: &str = include_str!("two_kernels.sass");

/// A folder that is removed when the test ends. It is the root of a workspace, so that no file above it is read.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join(".git")).unwrap();
        Self(path)
    }

    /// A folder with the listing as `a.sass`.
    pub(crate) fn with_listing() -> Self {
        Self::new().file("a.sass", LISTING)
    }

    #[must_use]
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplens"));
        command.current_dir(&self.0).args(args.split_whitespace());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
        command.stdin(Stdio::null());
        command
    }

    /// Runs warplens with these arguments, separated by blanks.
    pub(crate) fn run(&self, args: &str) -> RunResult {
        RunResult::from_output(self.command(args).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, args: &str, input: &[u8]) -> RunResult {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let written = child.stdin.take().unwrap().write_all(input);
        let ran = RunResult::from_output(child.wait_with_output().unwrap());
        written.unwrap();
        ran
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug)]
pub(crate) struct RunResult {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl RunResult {
    pub(crate) fn from_output(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the output of a run that must have succeeded without messages.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// Returns the error line of a run that must have failed with exactly one line.
    #[track_caller]
    pub(crate) fn refusal(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{}", self.stderr);
        assert_eq!(self.stderr.matches('\n').count(), 1, "{}", self.stderr);
        let line = self.stderr.strip_prefix("warplens: ").unwrap();
        line.trim_end().to_owned()
    }
}
