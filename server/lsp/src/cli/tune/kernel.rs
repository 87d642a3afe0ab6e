//! `warplens tune kernel`: predicts the compiled variants of a CUDA kernel for each shape, or estimates them without
//! compiling. For a Triton kernel, estimates its configurations.

use super::{csv, text};
use crate::build::NoCode;
use crate::cli::engine::{Engine, Tools, UNCANCELLED};
use crate::cli::failure::{Failure, list, status_after};
use crate::cli::files::{Input, Source};
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::tune::args::{TuneFormat, TuneKernelArgs};
use crate::tune_plot::plot;
use clap::ColorChoice;
use ide::predict::PredictError;
use ide::{Analysis, Compiled, Shape, TextEdit, TunedKernel, TuningOutcome, TuningPlan, VariantPrediction};
use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::Arc;

pub(in crate::cli) fn run(args: &TuneKernelArgs) -> Result<ExitCode, Failure> {
    let mut progress = Progress::start("reading");
    let mut engine = Engine::new(&args.target)?;
    let Input::Text(source) = Input::named(&args.file)? else {
        return Err(Failure::new(format!("`{}` is a binary; expected CUDA or Python", args.file.display())));
    };
    let kernels = chosen(&mut engine, &source, args)?;
    if is_python(&source) {
        let analysis = opened(&mut engine, &source)?;
        let outcomes = ranked(analysis.as_ref(), &kernels)?;
        progress.yield_terminal();
        drop(progress);
        return written(args.format, &outcomes);
    }
    let mut tuner = Tuner {
        tools: Tools::new(&args.compile.cuda, &args.compile.assembler, args.disassembler.as_deref()),
        engine,
        source,
        codes: HashMap::new(),
    };
    let plans: Vec<TuningPlan> =
        kernels.iter().map(|own| tuner.plan(own, args.variants as usize)).collect::<Result<_, _>>()?;
    let count = plans.iter().map(|plan| plan.variants.len() as u64).sum();
    let mut outcomes = Vec::with_capacity(plans.len());
    if args.compile.compile {
        progress.stage("compiling and predicting", count);
    }
    for plan in &plans {
        if !args.compile.compile {
            outcomes.push(Arc::new(TuningOutcome::estimated(plan)));
            continue;
        }
        let mut predictions = Vec::with_capacity(plan.variants.len());
        for number in 0..plan.variants.len() {
            predictions.push(tuner.predict(plan, number)?);
            progress.advance(1);
        }
        outcomes.push(Arc::new(TuningOutcome::new(plan, &predictions)));
    }
    progress.yield_terminal();
    drop(progress);
    written(args.format, &outcomes)
}

/// Prints outcomes, and reports the shapes for which no time is known.
fn written(format: TuneFormat, outcomes: &[Arc<TuningOutcome>]) -> Result<ExitCode, Failure> {
    match format {
        TuneFormat::Text => output::print(ColorChoice::Never, |out, _| text::write(out, outcomes))?,
        TuneFormat::Csv => output::print(ColorChoice::Never, |out, _| csv::write(out, outcomes))?,
        TuneFormat::Svg => {
            output::print(ColorChoice::Never, |out, _| out.write_all(plot(outcomes).as_bytes()))?;
        }
    }
    let unknown = outcomes.iter().filter(|outcome| outcome.best().is_none());
    let problems: Vec<String> = unknown.map(|outcome| outcome.title()).collect();
    Ok(status_after(&problems))
}

/// Ranks the configurations of a Triton kernel for each shape, without compiling.
fn ranked(analysis: Option<&Analysis>, kernels: &[TunedKernel]) -> Result<Vec<Arc<TuningOutcome>>, Failure> {
    let of = |own: &TunedKernel| {
        let ranked = analysis.and_then(|analysis| analysis.rank_configurations(&own.kernel, &own.shape));
        let ranked = ranked.map_or_else(
            || Err("expected Python".to_owned()),
            |made| made.expect(UNCANCELLED).map_err(|why| why.to_string()),
        );
        ranked.map(Arc::new).map_err(|why| Failure::new(format!("`{}` for {}: {why}", own.kernel, own.shape)))
    };
    kernels.iter().map(of).collect()
}

/// True if a source is Python, the language of Triton kernels, by its file name.
fn is_python(source: &Source) -> bool {
    source.cubin.is_none()
        && source.path.as_ref().is_some_and(|path| path.extension().is_some_and(|own| own == "py"))
}

fn opened(engine: &mut Engine, source: &Source) -> Result<Option<Analysis>, Failure> {
    if is_python(source) { engine.open_python(source) } else { engine.open(source) }
}

/// The requested kernel, once per shape: the shapes of the command line, or else those of `warplens.toml`.
fn chosen(engine: &mut Engine, source: &Source, args: &TuneKernelArgs) -> Result<Vec<TunedKernel>, Failure> {
    let analysis = opened(engine, source)?;
    let all = analysis.map(|analysis| analysis.tuned_kernels().expect(UNCANCELLED)).unwrap_or_default();
    let mut names: Vec<String> = all.iter().map(|own| own.kernel.clone()).collect();
    names.dedup();
    let wanted = match (&args.kernel, names.as_slice()) {
        (_, []) => {
            return Err(Failure::new(format!(
                "`{}` has no kernel that is tuned; expected CUDA or a Triton kernel in Python (.py), and [tune.KERNEL] in warplens.toml",
                source.name
            )));
        }
        (None, [only]) => only.clone(),
        (None, several) => {
            let names = list(several);
            return Err(Failure::new(format!(
                "several kernels are tuned; expected --kernel with one of: {names}"
            )));
        }
        (Some(name), known) if known.contains(name) => name.clone(),
        (Some(name), known) => {
            let known = list(known);
            return Err(Failure::new(format!("no kernel `{name}` is tuned; expected one of: {known}")));
        }
    };
    let own: Vec<TunedKernel> = all.into_iter().filter(|own| own.kernel == wanted).collect();
    if let Some(refused) = own.iter().find(|own| own.is_refused) {
        return Err(Failure::new(refused.title.clone()));
    }
    if args.shape.is_empty() {
        return Ok(own);
    }
    let Some(first) = own.first() else { return Ok(own) };
    let shapes = args.shape.iter().map(|text| {
        let shape = shape_of(text, &first.shape)?;
        Ok(TunedKernel { shape, ..first.clone() })
    });
    shapes.collect()
}

/// Parses `M=2560,N=16,K=2560`, which must have the names of the shape `like`.
fn shape_of(text: &str, like: &Shape) -> Result<Shape, Failure> {
    let read = |(name, _): &(String, i64)| {
        let mut own = text.split([',', ' ']).filter_map(|part| part.split_once('='));
        let size = own.find(|(key, _)| key.trim() == name)?.1.trim().parse().ok()?;
        (size > 0).then(|| (name.clone(), size))
    };
    let sizes: Option<Vec<(String, i64)>> = like.sizes.iter().map(read).collect();
    let count = text.split([',', ' ']).filter(|part| !part.trim().is_empty()).count();
    sizes.filter(|sizes| sizes.len() == count).map(|sizes| Shape { sizes }).ok_or_else(|| {
        Failure::new(format!(
            "--shape: expected whole numbers such as {}, not {text}",
            like.to_string().replace(' ', ",")
        ))
    })
}

struct Tuner {
    engine: Engine,
    source: Source,
    tools: Tools,
    /// Compiled code by the variant's text, or the reason why the text was refused.
    codes: HashMap<String, Result<Compiled, NoCode>>,
}

impl Tuner {
    fn plan(&mut self, own: &TunedKernel, most: usize) -> Result<TuningPlan, Failure> {
        let analysis = self.engine.open(&self.source)?;
        let planned = analysis.map(|of| of.plan_tuning(&own.kernel, &own.shape, most).expect(UNCANCELLED));
        let planned = planned
            .map_or_else(|| Err("expected CUDA".to_owned()), |made| made.map_err(|why| why.to_string()));
        planned.map_err(|why| Failure::new(format!("`{}` for {}: {why}", own.kernel, own.shape)))
    }

    fn predict(&mut self, plan: &TuningPlan, number: usize) -> Result<VariantPrediction, Failure> {
        let variant = &plan.variants[number];
        let text = TextEdit::apply(&variant.edits, &self.source.text);
        let Source { name, path, .. } = &self.source;
        let source = Source { name: name.clone(), path: path.clone(), text, cubin: None };
        let code = match self.codes.get(&source.text) {
            Some(known) => known.clone(),
            None => match self.engine.code_of_variant(&source, &self.tools)? {
                code @ (Ok(_) | Err(NoCode::Refused(..))) => code,
                // Without its compiler, no variant is compiled.
                Err(why) => return Err(Failure::new(format!("`{}`: {}", source.name, why.in_words()))),
            },
        };
        let analysis = self.engine.open(&source)?;
        let predicted = match (&code, analysis) {
            (Ok(compiled), Some(analysis)) => {
                analysis.predict_variant(&plan.kernel, variant, compiled).expect(UNCANCELLED)
            }
            (Ok(_), None) => Err(PredictError::NotCuda),
            (Err(why), _) => Err(PredictError::NotCompiled(why.in_words())),
        };
        self.codes.insert(source.text, code);
        Ok(predicted)
    }
}
