//! The engine as the commands use it: one file at a time, each with the launch context that holds for it.

use super::args::TargetArgs;
use super::failure::Failure;
use super::files::{Source, settings_text};
use super::launches;
use crate::read::{Bounded, LAUNCH_FILE_BYTES};
use ide::{Analysis, Cancel, Config, Host, Language, LaunchFile, ModelChoice, SassView};
use std::path::PathBuf;

/// Why the analysis is never cancelled here.
pub(super) const UNCANCELLED: &str = "nobody holds the token that would cancel this";

/// A host and what the command line says about the target.
pub(super) struct Engine {
    host: Host,
    /// `--gpu` was given and goes before any file's.
    gpu_given: bool,
    /// Contents of the file of `--launches`, behind the file's name.
    flag: Option<(String, LaunchFile)>,
    /// The `warplens.toml` that is in force, once `settled`.
    project: Option<PathBuf>,
    settled: bool,
    /// Notices about the analysis, to be given before its results.
    notices: Vec<String>,
}

impl Engine {
    /// Fails for an unknown GPU, and for an overlay or a launches file that is absent or does not say what it should.
    pub(super) fn new(target: &TargetArgs) -> Result<Self, Failure> {
        let mut host = match &target.overlay {
            Some(path) => {
                let text = settings_text(Bounded::named(path, LAUNCH_FILE_BYTES), path)?;
                let host = Host::with_overlay(&path.display().to_string(), &text);
                host.map_err(Failure::from_error)?
            }
            None => Host::default(),
        };
        if let Some(gpu) = &target.gpu {
            let config = Config { gpu: gpu.clone(), ..Config::default() };
            host.configure(config).map_err(Failure::from_error)?;
        }
        let read = |path: &PathBuf| Ok((path.display().to_string(), launches::read_named(path)?));
        let flag = target.launches.as_ref().map(read).transpose()?;
        Ok(Self {
            host,
            gpu_given: target.gpu.is_some(),
            flag,
            project: None,
            settled: false,
            notices: Vec::new(),
        })
    }

    /// Times instructions by that model alone.
    pub(super) fn set_model(&mut self, model: ModelChoice) -> Result<(), Failure> {
        let config = Config { model, ..self.host.config().clone() };
        self.host.configure(config).map_err(Failure::from_error)
    }

    /// The analysis of a text as SASS, of PTX that of the SASS which it is estimated to become. Fails where it is neither,
    /// and where the `warplens.toml` that holds for it is wrong.
    pub(super) fn analyze(&mut self, source: &Source) -> Result<SassView, Failure> {
        let opened = self.open(source)?.ok_or_else(|| not_sass(source))?;
        let Some(lowered) = opened.lowered() else { return opened.sass().ok_or_else(|| not_sass(source)) };
        self.notices = vec![format!("`{}` is PTX: what follows is estimated, before ptxas", source.name)];
        self.notices.extend(lowered.doubts());
        Ok(lowered)
    }

    /// Says on stderr what holds for all results of the last analysis. A command that fails has none, and one line to say.
    pub(super) fn announce(&mut self) {
        for notice in self.notices.drain(..) {
            eprintln!("warplens: {notice}");
        }
    }

    /// The analysis of a text in its language; `None` where it is in neither. Fails where the `warplens.toml` that holds
    /// for it is wrong.
    pub(super) fn open(&mut self, source: &Source) -> Result<Option<Analysis>, Failure> {
        self.put_in_force(launches::project_file(source.path.as_deref()))?;
        if let Some(cubin) = &source.cubin {
            self.host.set_binary(&source.name, cubin);
        }
        let language = Language::detect("", &source.name, &source.text);
        self.host.open_as(&source.name, 0, language, &source.text);
        let analysis = self.host.snapshot(&source.name, Cancel::default());
        self.host.close(&source.name);
        let is_read = |analysis: &Analysis| match analysis.sass() {
            Some(sass) => sass.is_recognised(),
            None => language != Language::Sass,
        };
        Ok(analysis.filter(is_read))
    }

    fn put_in_force(&mut self, project: Option<PathBuf>) -> Result<(), Failure> {
        if self.settled && self.project == project {
            return Ok(());
        }
        let mut origin = String::new();
        let mut context = match &project {
            Some(path) => {
                origin = path.display().to_string();
                Some(launches::read_found(path)?)
            }
            None => None,
        };
        if let Some((name, flag)) = &self.flag {
            if flag.gpu.is_some() {
                origin.clone_from(name);
            }
            context = Some(launches::merge(context.unwrap_or_default(), flag.clone()));
        }
        if let Some(context) = &mut context
            && self.gpu_given
        {
            context.gpu = None;
        }
        self.host.set_launches(context).map_err(|unknown| Failure::new(format!("{origin}: {unknown}")))?;
        self.project = project;
        self.settled = true;
        Ok(())
    }
}

/// The failure for a file that the user named and that is neither SASS nor PTX.
pub(super) fn in_no_language(source: &Source) -> Failure {
    Failure::new(format!(
        "`{}` holds neither SASS nor PTX; expected a listing (cuobjdump -sass, nvdisasm), a source for an assembler (maxas, \
         KeplerAs, TuringAs, CuAssembler), or PTX with its `.version` and `.target`",
        source.name
    ))
}

/// The failure for a file that the user named and that is no SASS.
pub(super) fn not_sass(source: &Source) -> Failure {
    if Language::detect("", &source.name, "") == Language::Cuda {
        return Failure::new(format!(
            "`{}` is CUDA, whose cycles are those of its compiled code; expected its SASS or its PTX (`check` takes CUDA)",
            source.name
        ));
    }
    Failure::new(format!(
        "`{}` holds no SASS; expected a listing (cuobjdump -sass, nvdisasm) or a source for an assembler (maxas, \
         KeplerAs, TuringAs, CuAssembler)",
        source.name
    ))
}
