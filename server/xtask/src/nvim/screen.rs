//! Tests of Neovim on a screen, and screenshots of Neovim.

use super::drawn;
use super::picture::Renderer;
use super::stage::Stage;
use super::terminal::Terminal;
use crate::ci::Tally;
use anyhow::{Context, Result, anyhow};
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

const SM_90: &str = "tests/corpus/sm_90/sgemm.cuobjdump-sass.txt";
const SM_35: &str = "tests/corpus/sm_35/sgemm.cuobjdump-sass.txt";
const PTX: &str = "tests/corpus/ptx/transpose.ptx";
const CUDA: &str = "tests/e2e/cuda/column.cu";
const CUBIN: &str = "server/syntax/tests/cubins/sm_90.cubin";
/// Folder of a program that replaces the vendor's disassembler.
const STAND_IN: &str = "tests/e2e/stand_in";

/// Time for the editor to finish drawing after a check has succeeded: the cursor's effects, the last hints.
const REST: Duration = Duration::from_secs(1);

/// Time between two checks of the screen.
const PAUSE: Duration = Duration::from_millis(100);

/// A case: what is tested, its screenshot's name, and the test. The test returns the terminal to draw.
struct Case {
    name: &'static str,
    picture: &'static str,
    run: for<'a> fn(&'a Stage<'a>) -> Result<Terminal<'a>>,
}

const CASES: &[Case] = &[
    Case {
        name: "hints are drawn next to every instruction of sm_90, and a lens above the kernel",
        picture: "hints",
        run: |stage| {
            let terminal = hinted(stage, SM_90, &[])?;
            terminal.wait(drawn::lens)?;
            terminal.wait(drawn::one_column_of_encodings)?;
            Ok(terminal)
        },
    },
    Case {
        name: "hints are drawn next to every instruction of sm_35",
        picture: "hints-sm_35",
        run: |stage| hinted(stage, SM_35, &[]),
    },
    Case { name: "a hover is drawn", picture: "hover", run: hover },
    Case { name: "the cycles of selected lines are drawn", picture: "selection", run: selection },
    Case { name: "a lens is drawn over a loop", picture: "loop-lens", run: loop_lens },
    Case { name: "a finding is drawn, and read with a key", picture: "finding", run: finding },
    Case { name: "a keystroke moves no other line", picture: "typing", run: typing },
    Case { name: "a kernel folds", picture: "folding", run: folding },
    Case { name: "from a register to where it is written", picture: "definition", run: definition },
    Case { name: "another GPU, other hints", picture: "another-gpu", run: another_gpu },
    Case { name: "a server that is killed comes back with its hints", picture: "after-the-kill", run: kill },
    Case { name: "a cubin is drawn as its listing", picture: "cubin", run: cubin },
    Case { name: "PTX is drawn with a hover on an instruction", picture: "ptx", run: ptx },
    Case { name: "CUDA is drawn with lenses, a finding and a hover", picture: "cuda", run: cuda },
];

/// Opens listings on screen, checks the drawn rows, and writes a screenshot of each case to a folder.
pub(super) fn run(stage: &Stage<'_>, pictures: &Path) -> Result<Tally> {
    println!("--- neovim: screen");
    let pen = Renderer::prepare(stage.repo)?;
    fs::create_dir_all(pictures)?;
    let draw = |case: &Case| -> Result<()> {
        let terminal = (case.run)(stage)?;
        sleep(REST);
        pen.draw(
            &terminal.cells()?,
            &terminal.cursor()?,
            &pictures.join(format!("{}.png", case.picture)),
            stage.look,
        )
    };
    let tallies = CASES.iter().map(|case| match draw(case) {
        Ok(()) => {
            println!("ok {}", case.name);
            Tally::single(case.name, true)
        }
        Err(error) => {
            println!("not ok {}\n{error:#}", case.name);
            Tally::single(case.name, false)
        }
    });
    Ok(tallies.sum())
}

/// A terminal with a listing and hints next to all of its instructions in view.
fn hinted<'a>(stage: &'a Stage<'a>, file: &str, first: &[&str]) -> Result<Terminal<'a>> {
    let listing = fs::read_to_string(stage.repo.path(file)).with_context(|| file.to_owned())?;
    let terminal = Terminal::open(stage, file, first)?;
    terminal.wait(|rows| drawn::hints_on_every_instruction(rows, &listing))?;
    Ok(terminal)
}

fn hover<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    // The opcode of the ISETP at 0x80, which has modifiers and waits for a scoreboard, with space below for the
    // window.
    terminal.press(&["23G0WWK"])?;
    terminal.wait(drawn::hover)?;
    Ok(terminal)
}

fn selection<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    // From the LDC at 0x10 to the LEA at 0xa0.
    terminal.press(&["9GV27G:WarplensCycles", "Enter"])?;
    terminal.wait(|rows| drawn::row(rows, &[" cycles, 1 warp · 0x0010..0x00a0 · "]))?;
    terminal.press(&["gv:WarplensCycles!", "Enter"])?;
    terminal.wait(|rows| drawn::row(rows, &["Model: pipeline"]))?;
    Ok(terminal)
}

fn loop_lens<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    // The start of the loop that ends with the BRA at 0x1080, some lines below the top of the window.
    terminal.press(&["85Gzt5", "C-y"])?;
    terminal.wait(|rows| drawn::row(rows, &["cycles per iteration", "at best"]))?;
    terminal.wait(|rows| drawn::row(rows, &["/*0270*/", "4c", "MOV R12, R8"]))?;
    Ok(terminal)
}

fn finding<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    terminal.press(&[":27s/LEA/LEAQ/", "Enter"])?;
    // Neovim marks the line in its margin.
    terminal.wait(|rows| drawn::row(rows, &["LEAQ", "W "]))?;
    terminal.press(&["1G", "]d", "C-w", "d"])?;
    terminal.wait(|rows| drawn::row(rows, &["unknown-opcode"]))?;
    Ok(terminal)
}

fn typing<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    terminal.wait(drawn::lens)?;
    // A line below the encoding of the LDC at 0x10, for which hints are computed anew.
    terminal.press(&["10Go"])?;
    sleep(3 * REST);
    let before = drawn::places(&terminal.rows()?);
    for letter in "IADD3 R5, R5, 0x1, RZ".chars() {
        terminal.type_in(&letter.to_string())?;
        for _ in 0..3 {
            drawn::unmoved(&before, &terminal.rows()?).map_err(anyhow::Error::msg)?;
        }
    }
    terminal.press(&["Escape"])?;
    for _ in 0..30 {
        drawn::unmoved(&before, &terminal.rows()?).map_err(anyhow::Error::msg)?;
        sleep(PAUSE);
    }
    Ok(terminal)
}

fn folding<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &["let g:warplens = #{folding: v:true}"])?;
    sleep(REST);
    terminal.press(&["5Gzc"])?;
    terminal.wait(|rows| drawn::row(rows, &["Function : sgemm16", "lines"]))?;
    terminal.wait(|rows| match drawn::row(rows, &["/*0000*/"]) {
        Ok(()) => Err(anyhow!("an instruction of the folded kernel is in view")),
        Err(_) => Ok(()),
    })?;
    Ok(terminal)
}

fn definition<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    // R11 of the `LEA R4, R11, R6, 0x4` in line 27 is written by the `S2R R11, SR_CTAID.X` in line 19.
    terminal.press(&["27G0fLf1"])?;
    terminal.wait(|rows| drawn::row(rows, &["27,45"]))?;
    terminal.press(&["C-]"])?;
    terminal.wait(|rows| drawn::row(rows, &["19,40"]))?;
    Ok(terminal)
}

fn another_gpu<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    let hints = |rows: &str| rows.lines().find(|row| row.contains("/*0000*/")).map(str::to_owned);
    let before = hints(&terminal.rows()?);
    terminal.press(&[":WarplensGpu v100", "Enter"])?;
    terminal.wait(|rows| drawn::row(rows, &["occupancy", "V100"]))?;
    terminal.wait(|rows| {
        if hints(rows).is_some_and(|now| Some(now) != before) {
            Ok(())
        } else {
            Err(anyhow!("the same hints"))
        }
    })?;
    Ok(terminal)
}

fn kill<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = hinted(stage, SM_90, &[])?;
    let kill = ":call v:lua.vim.uv.kill(nvim_get_proc_children(getpid())[0], 9)";
    terminal.press(&[kill, "Enter"])?;
    terminal.wait(|rows| drawn::row(rows, &["the server ended (signal 9) and was started again"]))?;
    // Only the new server can have hints for a line that the old server has not seen.
    terminal.press(&["27G0farf"])?;
    terminal.wait(|rows| drawn::row(rows, &["/*00f0*/", "4c", "LEA R4"]))?;
    Ok(terminal)
}

fn cubin<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let tools = format!("let $PATH = '{}:' .. $PATH", stage.repo.path(STAND_IN).display());
    let terminal = Terminal::open(stage, CUBIN, &[&tools, "let g:warplens = #{disassemble: ['/']}"])?;
    terminal.wait(|rows| drawn::row(rows, &["/*0070*/", "4c", "FADD"]))?;
    terminal.wait(|rows| drawn::row(rows, &["cycles", "% occupancy"]))?;
    Ok(terminal)
}

fn ptx<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = Terminal::open(stage, PTX, &[])?;
    terminal.wait(|rows| drawn::row(rows, &["mad.lo.u32 %r6"]))?;
    let attached = ":lua vim.wait(20000, function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end) print('attached')";
    terminal.press(&[attached, "Enter"])?;
    terminal.wait(|rows| drawn::row(rows, &["attached"]))?;
    terminal.press(&["49G$h", "C-]"])?;
    terminal.wait(|rows| drawn::row(rows, &["42,1"]))?;
    terminal.press(&["1Gzt30G^K"])?;
    terminal.wait(|rows| drawn::row(rows, &["Multiplies and adds."]))?;
    // A second press moves the cursor into the window, which also has the lines below the screen.
    let inside = ":lua vim.wait(20000, function() return vim.api.nvim_win_get_config(0).relative ~= '' end) print('inside')";
    terminal.press(&["K", inside, "Enter"])?;
    terminal.wait(|rows| drawn::row(rows, &["inside"]))?;
    terminal.press(&["G"])?;
    terminal.wait(|rows| drawn::row(rows, &["Needs PTX"]))?;
    Ok(terminal)
}

fn cuda<'a>(stage: &'a Stage<'a>) -> Result<Terminal<'a>> {
    let terminal = Terminal::open(stage, CUDA, &[])?;
    terminal.wait(|rows| drawn::row(rows, &["block 32 x 32", "32 warps per block"]))?;
    // Neovim marks the line of the finding in its margin.
    terminal.wait(|rows| drawn::row(rows, &["W ", "tile[threadIdx.x][threadIdx.y]"]))?;
    terminal.press(&["6G0f=wK"])?;
    terminal.wait(|rows| drawn::row(rows, &["32 wavefronts per request"]))?;
    Ok(terminal)
}
