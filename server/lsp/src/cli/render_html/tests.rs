//! Pages of handwritten reports.

use super::super::render_text::tests::{hopper, instruction, kernel, report};
use super::*;
use expect_test::expect;
use ide::report::DependsOnReport;

fn page(kernels: &[KernelReport]) -> String {
    let mut out = Vec::new();
    let page = Page { name: "my/folder/a<b>.sass", outline: &report(vec![]), heads: kernels };
    page.begin(&mut out).unwrap();
    for (index, kernel) in kernels.iter().enumerate() {
        page.kernel(&mut out, index, kernel).unwrap();
    }
    Page::end(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The rest of the page from this text on.
fn from(page: &str, start: &str) -> String {
    page[page.find(start).unwrap()..].to_owned()
}

#[test]
fn a_kernel() {
    let mut kernel = hopper();
    kernel.instructions[2].depends_on.push(DependsOnReport {
        line: None,
        address: 0x10,
        resource: "R4".into(),
        kind: "variable",
        cycles: 478,
    });
    let page = page(&[kernel]);
    let body = from(&page, "<body>");
    expect![[r##"
        <body>
        <header>
        <h1>a&lt;b&gt;.sass</h1>
        <p>1 kernel of sm_90, timed for H100 SXM5 80 GB by the paper model</p>
        </header>
        <nav>
        <table class="index no2">
        <thead>
        <tr><th>kernel<th>launch<th>arch<th>instr.<th>regs<th>shared<th>spills<th>occ.<th>limited by<th>cycles<th>worst
        </thead>
        <tbody>
        <tr><td><a href="#k1">sgemm_nn(float const*, float const*, float*, int)</a><td><td>sm_90<td>4<td>128<td>8 KiB<td><td>25 %<td>registers<td>~1,234,567<td><meter low=".333" high=".667" optimum="0" value="1.00"></meter> mem 1.00
        </tbody>
        </table>
        </nav>
        <main>
        <section id="k1">
        <h2>sgemm_nn(float const*, float const*, float*, int) <small>_Z8sgemm_nnPKfS0_Pfi</small></h2>
        <dl>
        <dt>target<dd>sm_90, timed for H100 SXM5 80 GB by the paper model
        <dt>launch<dd>grid 264 x 1 x 1, block 256 x 1 x 1 (assumed)
        <dt>resources<dd>128 registers per thread (listing), 8,192 bytes of shared memory per block (listing)
        <dt>occupancy<dd>25.0 %: 16 of 64 warps per SM, 2 blocks; limited by registers
        <dt>cycles<dd>1,234,567 for the assumed launch, SP efficiency 86.1 %, IPC 6.10
        </dl>
        <dl class="shares">
        <dt>ilp<dd><meter low=".333" high=".667" optimum="0" value="0.12"></meter><dd>0.12<dd class="dim">unused parallelism within a warp
        <dt>comp<dd><meter low=".333" high=".667" optimum="0" value="0.50"></meter><dd>0.50<dd class="dim">idle arithmetic units
        <dt>mem<dd><meter low=".333" high=".667" optimum="0" value="1.00"></meter><dd>1.00<dd class="dim">unused load/store bandwidth
        <dt>pipe<dd><dd>?<dd class="dim">latency that is not hidden
        </dl>
        <table class="code no7">
        <thead>
        <tr><th>line<th>address<th>control<th>pipe<th>latency<th>issue<th><th>instruction
        </thead>
        <tbody>
        <tr><td>12<td>0000<td>B------:R-:W-:-:S05<td>ALU<td class=e title="fixed: guess">~5<td>0<td><td><b>MOV</b> R1, c[0x0][0x28]
        <tr><td>13<td>0010<td>B------:R0:W2:Y:S04<td>ALU<td class=e title="variable: vendor">~478<td>5<td><td><i>@!P0 </i><b class=m>LDG.E.128</b> R4, desc[UR4][R2.64+0x10]
        <tr><td>14<td>0020<td>B0-2---:R-:W-:-:S12<td>ALU<td title="fixed: vendor">4<td title="waits for R4 of 0010">9<td><td><b>IADD3</b> R4, R4, R5.reuse, RZ
        <tbody>
        <tr><td>15<td>0030<td>B------:R-:W-:-:S--<td><td><td>0<td><td><b>FROB</b> R1
        </table>
        <ul>
        <li>No launch is named; one full wave of the largest block is assumed.
        </ul>
        </section>
        </main>
    "##]].assert_eq(&body[..body.find("<footer>").unwrap()]);
}

#[test]
fn empty_columns_are_hidden_and_blocks_stand_apart() {
    let mut first = instruction(0, "MOV R1, R2", None, 3);
    first.address_printed = false;
    let second = InstructionReport { issue_cycle: Some(0), ..first.clone() };
    let page = page(&[kernel("f", vec![first, second])]);
    assert!(page.contains("<table class=\"code no2 no3 no4 no5 no7\">"), "{page}");
    let table = from(&page, "<table class=\"code");
    assert_eq!(table.matches("<tbody>").count(), 2);
    assert!(table.contains("<tr><td>12<td><td><td><td><td>3<td><td><b>MOV</b> R1, R2\n"), "{table}");
}

#[test]
fn nothing_of_a_listing_becomes_markup() {
    let evil = "<script>alert(\"1\")</script>&'\u{1b}";
    let mut kernel = kernel(evil, vec![instruction(0, evil, Some((4, "fixed")), 0)]);
    kernel.launch = Some(evil.into());
    kernel.notes = vec![evil.into()];
    kernel.arch = evil.into();
    kernel.occupancy.limiter = evil.into();
    kernel.instructions[0].pipe = Some(evil.into());
    if let Some(latency) = &mut kernel.instructions[0].latency {
        latency.source = evil.into();
    }
    let page = page(&[kernel]);
    assert!(!page.contains("<script") && !page.contains("alert(\"") && !page.contains('\u{1b}'), "{page}");
    let body = from(&page, "</style>");
    let stray = body.match_indices('&').find(|(at, _)| {
        let entity = &body[at + 1..];
        !["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|known| entity.starts_with(known))
    });
    assert_eq!(stray, None);
    assert!(page.contains("<h1>a&lt;b&gt;.sass</h1>"));
}

#[test]
fn the_index_leads_to_each_kernel() {
    let page = page(&[hopper(), kernel("f", vec![]), hopper()]);
    for number in 1..=3 {
        assert_eq!(page.matches(&format!("href=\"#k{number}\"")).count(), 1);
        assert_eq!(page.matches(&format!("id=\"k{number}\"")).count(), 1);
    }
    assert_eq!(page.matches("<table class=\"code").count(), 2);
}

#[test]
fn nothing_is_loaded() {
    let page = page(&[hopper()]);
    for name in ["src=", "url(", "@import", "http://", "https://", "<link", "<script"] {
        assert!(!page.contains(name), "{name}");
    }
}
