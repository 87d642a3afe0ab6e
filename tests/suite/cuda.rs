//! CUDA as an editor asks for it: findings, fixes, hovers, lenses, and what edits leave of them.

use crate::session::{DOCUMENT, host, snapshot};
use ide::{Analysis, Diagnostic, Host, Language, LaunchFile, TextEdit};
use proptest::prelude::*;

const TEXT: &str = "\
constexpr int N = 1 << 20;
struct P { float x, y, z, w, m, n; };

__global__ void move(P *p, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i].x += p[i].m * dt * 0.5;
}

__global__ void column(const float *in, float *out, int w) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * w + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * w + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  move<<<N / 256, 256>>>(nullptr, 0.1f, N);
  column<<<1, dim3(32, 32)>>>(nullptr, nullptr, 1024);
}
";

fn opened(text: &str) -> Host {
    let mut host = host();
    host.open_as(DOCUMENT, 1, Language::Cuda, text);
    host
}

fn findings(analysis: &Analysis) -> Vec<Diagnostic> {
    analysis.model_diagnostics().expect("nothing cancels it")
}

/// Each finding as its code and the text that it is at.
fn shown(text: &str, found: &[Diagnostic]) -> Vec<String> {
    found.iter().map(|finding| format!("{}: {}", finding.code, &text[finding.range.clone()])).collect()
}

#[test]
fn launches_of_host_code_tell_what_accesses_cost() {
    let found = findings(&snapshot(&opened(TEXT)));
    assert_eq!(
        shown(TEXT, &found),
        [
            "uncoalesced-access: p[i].x",
            "uncoalesced-access: p[i].m",
            "double-constant: 0.5",
            "bank-conflict: tile[threadIdx.x][threadIdx.y]",
        ]
    );
    assert_eq!(found[0].function.as_deref(), Some("move"));
    assert!(
        found[3].message.starts_with("32-way: all lanes share bank 0; 32 wavefronts where 1 would do. Pad")
    );
}

#[test]
fn a_stated_launch_goes_before_those_of_host_code() {
    let mut host = opened(TEXT);
    let stated = "[[launch]]\nname = \"one row\"\nfunction = \"_Z6columnPKfPfi\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n\
                  params = [\"ptr\", \"ptr\", 1024]\n[rules]\nuncoalesced-access = \"off\"\n";
    let file = LaunchFile::parse("w.toml", stated).expect("the launches are right");
    host.set_launches(Some(file)).expect("their GPU is known");
    let found = findings(&snapshot(&host));
    assert_eq!(
        shown(TEXT, &found),
        ["double-constant: 0.5", "bank-conflict: tile[threadIdx.x][threadIdx.y]"]
    );
    let lenses = snapshot(&host).lenses().expect("nothing cancels it");
    let titles: Vec<&str> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "grid 4096, block 256 (from host code): 8 warps a block",
            "one row: grid 1, block 32 (stated): 1 warp a block, 4096 B shared, 1 barrier",
        ]
    );
}

#[test]
fn a_hover_says_what_an_access_takes_and_a_fix_mends_a_constant() {
    let analysis = snapshot(&opened(TEXT));
    let at = TEXT.rfind("tile[").expect("it is there");
    let hover = analysis.hover(at + 2).expect("nothing cancels it").expect("an access stands there");
    assert!(
        hover.markdown.starts_with(
            "- `column` (block 32 x 32 x 1): Shared load, 4 bytes a lane: 32 wavefronts a request where 1 would do."
        ),
        "{}",
        hover.markdown
    );
    assert!(analysis.hover(0).expect("nothing cancels it").is_none());
    let found = findings(&analysis);
    let fixes = analysis.fixes("double-constant", found[2].range.clone()).expect("nothing cancels it");
    assert_eq!(fixes[0].title, "Make it a constant of single precision");
    assert_eq!((fixes[0].edits[0].text.as_str(), fixes[0].preferred), ("f", true));
    assert_eq!(fixes[0].edits[0].range.start, TEXT.find("0.5").expect("it is there") + 3);
    assert_eq!(fixes.len(), 3, "and two comments that allow it");
}

#[test]
fn comments_allow_findings_and_lines_that_do_not_parse_have_none() {
    let allowed =
        TEXT.replace("  if (i < n)\n", "  if (i < n)\n    // warplens: allow(uncoalesced-access)\n");
    let found = findings(&snapshot(&opened(&allowed)));
    assert_eq!(shown(&allowed, &found)[0], "double-constant: 0.5");
    let broken = TEXT.replace("p[i].x += p[i].m", "p[i].x += (p[i].m");
    let line = broken.find("p[i].x").expect("it is there");
    let line = line..line + broken[line..].find('\n').expect("it ends");
    for finding in findings(&snapshot(&opened(&broken))) {
        assert!(!line.contains(&finding.range.start), "{finding:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn edits_leave_what_a_fresh_document_says(
        edits in proptest::collection::vec((0..TEXT.len(), 0..12_usize, "[a-z0-9\\[\\](){};+*<>=. \n\"/#]{0,6}"), 1..5)
    ) {
        let mut text = TEXT.to_owned();
        let mut host = opened(&text);
        for (version, (at, length, new)) in (2..).zip(edits) {
            let start = at.min(text.len());
            let range = start..(start + length).min(text.len());
            text.replace_range(range.clone(), &new);
            host.edit(DOCUMENT, version, &[TextEdit { range, text: new }]);
            let edited = findings(&snapshot(&host));
            prop_assert_eq!(shown(&text, &edited), shown(&text, &findings(&snapshot(&opened(&text)))));
        }
    }
}
