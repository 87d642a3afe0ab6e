//! Cache of measured tiling times in the user's cache folder: one text file per GPU and problem.
//!
//! A file begins with the inputs that its times depend on, such as the list of measured tilings. A file with other
//! inputs, or an incomplete file, counts as missing and is rewritten.

use super::super::printed_family::PrintedFamily;
use super::answer::Answer;
use super::measurement_origin::MeasurementOrigin;
use crate::cli::whole_file;
use crate::read::{BoundedFile, NAMED_BYTES, cache_folder, never};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Path of the cache file for a search's GPU and problem; `None` if the user has no cache folder.
pub(super) fn place<P: PrintedFamily>(answer: &Answer<P>) -> Option<PathBuf> {
    let words = answer.problem.words().to_lowercase().replace(' ', "-").replace('=', "");
    let name = format!("{}-{}-{words}.txt", answer.gpu.part.id, P::KIND);
    Some(cache_folder()?.join("tune").join(name))
}

/// The first lines of a cache file: the version of warplens, the problem and the measured tilings. The GPU is in the
/// file's name.
fn question<P: PrintedFamily>(answer: &Answer<P>) -> String {
    let mut text = format!("warplens {}\n{}\n", env!("CARGO_PKG_VERSION"), answer.problem.words());
    for ranked in &answer.best {
        text.extend(P::point(&ranked.tiling).iter().map(|value| format!("{value} ")));
        text.push('\n');
    }
    text
}

/// Reads the cached times of a search's tilings. `None` if the file is missing, is incomplete, or has other inputs.
pub(super) fn read<P: PrintedFamily>(
    place: &Path,
    answer: &Answer<P>,
) -> Option<(MeasurementOrigin, HashMap<P::Tiling, f64>)> {
    let bytes = BoundedFile::named(place, NAMED_BYTES).and_then(|file| file.all(&never)).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let rest = text.strip_prefix(&question(answer))?;
    let mut lines = rest.lines();
    let (gpu, date) = (lines.next()?.to_owned(), lines.next()?.to_owned());
    let mut times = HashMap::new();
    for ranked in &answer.best {
        let time = lines.next()?;
        if let Ok(time) = time.parse() {
            times.insert(ranked.tiling, time);
        }
    }
    let is_whole = lines.next() == Some(END) && !times.is_empty();
    let (wanted, ran) = (answer.best.len(), times.len());
    is_whole.then_some((MeasurementOrigin { gpu, date, wanted, ran, is_cached: true }, times))
}

/// The last line of a complete file.
const END: &str = "end";

pub(super) fn write<P: PrintedFamily>(
    place: &Path,
    answer: &Answer<P>,
    measured: &MeasurementOrigin,
    times: &HashMap<P::Tiling, f64>,
) -> io::Result<()> {
    let mut text = question(answer);
    let MeasurementOrigin { gpu, date, .. } = measured;
    // Writing to a string does not fail.
    let _ = writeln!(text, "{gpu}\n{date}");
    for ranked in &answer.best {
        let _ = match times.get(&ranked.tiling) {
            Some(time) => writeln!(text, "{time:.4}"),
            None => writeln!(text, "-"),
        };
    }
    let _ = writeln!(text, "{END}");
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    whole_file::write(place, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::tune::{Element, Gemm, Machine, Search};
    use std::num::NonZeroUsize;

    const GEMM: Gemm =
        Gemm { m: 32, n: 24, k: 64, element: Element::F32, a_transposed: false, b_transposed: false };

    fn answer(top: usize) -> Answer<Gemm> {
        let gpu = Machine::builtin().gpu("h100-sxm").unwrap();
        let search = Search { problem: GEMM, gpu: &gpu, network: None, top, threads: NonZeroUsize::MIN };
        let ranking = search.run(&mut |_, _| {}, &|| false).unwrap();
        let (legal, best) = (ranking.legal, ranking.best);
        Answer { problem: GEMM, gpu, network: Err("a test".to_owned()), legal, best, measured: None }
    }

    #[test]
    fn only_the_same_question_has_the_answer() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a").join("gemm.txt");
        let three = answer(3);
        // One of three tilings did not run.
        let times: HashMap<_, _> = three.best.iter().skip(1).map(|ranked| (ranked.tiling, 2.5)).collect();
        let measured = MeasurementOrigin {
            gpu: "a GPU, driver 1.0".to_owned(),
            date: "2026-11-27".to_owned(),
            wanted: 3,
            ran: 2,
            is_cached: false,
        };
        assert!(read(&place, &three).is_none());
        write(&place, &three, &measured, &times).unwrap();
        let expected = MeasurementOrigin { is_cached: true, ..measured };
        assert_eq!(read(&place, &three), Some((expected, times)));
        assert!(read(&place, &answer(2)).is_none(), "other tilings");
        let mut other = answer(3);
        other.problem.k = 128;
        assert!(read(&place, &other).is_none(), "another problem");
        let all = BoundedFile::named(&place, NAMED_BYTES).and_then(|file| file.all(&never)).unwrap();
        fs::write(&place, &all[..all.len() - 5]).unwrap();
        assert!(read(&place, &three).is_none(), "torn");
    }
}
