//! Launches of a kernel (stated, found in host code, or assumed), and the simulation of their warps.

use super::template::Template;
use super::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::engine::hashing::hash_of;
use crate::engine::launch_file::{LaunchEntry, ParamValue, RefusedLaunch};
use crate::engine::names::{self, demangle};
use crate::{StatedLaunch, StatedParameter};
use advisor::cuda::{Launch, Origin, SimulatedLaunch, Subject};
use model::Gpu;
use model::cuda::{Argument, Configuration, FoundLaunch, LaunchCluster, TemplateValue, instances};
use syntax::cuda::{Expr, ExprKind, Function, Parameter, PlacedItem};

/// Block sizes of an assumed launch if the kernel uses `threadIdx.y` or `threadIdx.z`.
const SHAPES: [[u32; 3]; 3] = [[32, 8, 1], [16, 16, 1], [8, 32, 1]];
/// Threads per block of an assumed launch.
const THREADS: u32 = 256; // limit: a common block size
/// Blocks of an assumed launch along each axis of `blockIdx` that the kernel uses.
const GRID: u32 = 512; // limit: enough blocks to fill a GPU
/// Largest number of launches to simulate per kernel.
const MAX: usize = 32; // limit: bounds the time of an answer

/// Returns the block sizes of all launches of a kernel, stated or in host code. `None` if one of them is unknown or
/// assumed.
pub(crate) fn known_blocks(
    view: &CudaView<'_>,
    item: u32,
    kernel: &Function,
    gpu: &Gpu,
) -> Option<Vec<[u32; 3]>> {
    let launches = candidates(view, item, kernel, gpu);
    if view.text.may_have_other_blocks(&kernel.name, &gpu.arch) || launches.iter().any(Launch::is_assumed) {
        return None;
    }
    let found = view.text.launches_of_kernel(kernel, &gpu.arch).map(|found| found.block);
    launches.iter().map(|launch| Some(launch.block())).chain(found).collect()
}

/// Returns the stated launches of a kernel. If there are none, returns its launches in host code with a known grid and
/// block, or an assumed launch if there are none there either.
pub(crate) fn candidates(view: &CudaView<'_>, item: u32, kernel: &Function, gpu: &Gpu) -> Vec<Launch> {
    let mut all = stated(view, kernel);
    let template = Template::new(view, item, kernel, gpu);
    if all.is_empty() {
        let launches = view.text.launches_of_kernel(kernel, &gpu.arch);
        let is_open = |found: &&FoundLaunch| found.templates.contains(&TemplateValue::Unknown);
        // A template of a launching function is used by its callers.
        let is_known = |found: &&FoundLaunch| {
            !is_open(found)
                || !launches.clone().any(|other| !is_open(&other) && found.may_launch(&other.templates))
        };
        for found in launches.clone().filter(is_known) {
            let (Some(grid), Some(block)) = (found.grid, found.block) else { continue };
            let arguments = found.arguments.iter().map(|own| own.without_tensor()).collect();
            let templates = found.templates.clone();
            let configuration = Configuration { grid, block, arguments, templates };
            if all.len() < MAX && !all.iter().any(|known: &Launch| known.configuration == configuration) {
                all.push(Launch {
                    name: found.elsewhere.as_deref().map(str::to_owned),
                    configuration,
                    origin: Origin::Found,
                    knows_block: true,
                    place: found.elsewhere.is_none().then_some(found.place),
                    dynamic_shared: found.shared,
                    assumed_types: Vec::new(),
                    other_blocks: Vec::new(),
                });
            }
        }
    }
    all.truncate(MAX);
    if all.is_empty() {
        all.push(assumed(view, kernel, gpu));
    }
    template.complete(&mut all);
    all
}

/// Returns the launches of a kernel that the launches file states.
fn stated(view: &CudaView<'_>, kernel: &Function) -> Vec<Launch> {
    let mut all = Vec::new();
    for entry in view.context.launches.iter().flat_map(|file| &file.launches) {
        let Some(templates) = instance_of(&entry.function, &kernel.name) else { continue };
        let arguments =
            entry.params.iter().flatten().map(|param| param.argument().without_tensor()).collect();
        all.push(Launch {
            name: entry.name.clone(),
            configuration: Configuration { grid: entry.grid, block: entry.block, arguments, templates },
            origin: Origin::Stated,
            knows_block: true,
            place: None,
            dynamic_shared: Some(entry.dynamic_shared),
            assumed_types: Vec::new(),
            other_blocks: Vec::new(),
        });
    }
    all
}

/// Returns the launch to state for the kernel whose name is on the line of an offset. `None` if the launches file
/// already states a launch of the kernel, or if host code has one with a known grid and block.
pub(crate) fn launch_to_state(view: &CudaView<'_>, offset: usize) -> Option<StatedLaunch> {
    let text = view.text.text();
    let line_of = |at: usize| text[..at.min(text.len())].rfind('\n').map_or(0, |end| end + 1);
    let is_there = |(_, placed, kernel): &(u32, &PlacedItem, &Function)| {
        line_of(placed.range(&kernel.name_range).start) == line_of(text.floor_char_boundary(offset))
    };
    let (item, placed, kernel) = view.kernels().find(is_there)?;
    let candidate = candidates(view, item, kernel, &view.target_gpu().gpu).into_iter().next()?;
    if !candidate.is_assumed() || refused(view, kernel).is_some() {
        return None;
    }
    let arch = view.target_gpu().gpu.arch;
    let found = view.text.launches_of_kernel(kernel, &arch);
    let tensor = |at: usize| {
        let mut all = found.clone().map(|found| found.arguments.get(at));
        let Some(Some(Argument::Tensor(first))) = all.next() else { return None };
        all.all(|other| other == Some(&Argument::Tensor(*first))).then_some(*first)
    };
    let parameter = |(at, own): (usize, &Parameter)| {
        let title = text.get(placed.range(&own.range)).unwrap_or(&own.name);
        StatedParameter { title: title.to_owned(), is_pointer: title.contains('*'), tensor: tensor(at) }
    };
    Some(StatedLaunch {
        function: kernel.name.clone(),
        grid: candidate.configuration.grid,
        block: candidate.block(),
        parameters: kernel.parameters.iter().enumerate().map(parameter).collect(),
        constants: Vec::new(),
    })
}

/// Returns the stated launch of a kernel that is ignored because of an error. `None` if there is no such launch.
pub(crate) fn refused<'v>(view: &'v CudaView<'_>, kernel: &Function) -> Option<&'v RefusedLaunch> {
    let is_its = |launch: &&RefusedLaunch| instance_of(&launch.function, &kernel.name).is_some();
    view.context.launches.as_ref()?.refused.iter().find(is_its)
}

/// Returns the parameter names of a compiled kernel. `None` if the source has no kernel with this name, or
/// has several.
pub(crate) fn parameter_names(view: &CudaView<'_>, mangled: &str) -> Option<Vec<String>> {
    let (name, _) = instance(mangled);
    let mut own = view.kernels().filter(|(_, _, kernel)| kernel.name == name);
    let (_, _, kernel) = own.next().filter(|_| own.next().is_none())?;
    Some(kernel.parameters.iter().map(|own| own.name.clone()).collect())
}

/// Returns the launches of a compiled kernel in host code, as entries of a launches file. Empty if the
/// launches file states a launch of the kernel, or if the kernel's name is overloaded.
pub(crate) fn found_launches(view: &CudaView<'_>, mangled: &str) -> Vec<LaunchEntry> {
    let stated = view.context.launches.as_ref();
    if stated.is_some_and(|file| file.launches_of(mangled).next().is_some()) {
        return Vec::new();
    }
    let gpu = view.target_gpu().gpu;
    let mut entries: Vec<LaunchEntry> = Vec::new();
    let (name, templates) = instance(mangled);
    if view.text.environment().functions(&name).nth(1).is_some() {
        // A launch of an overloaded name may launch any of these functions.
        return Vec::new();
    }
    for found in view.text.launches_of(&name, &gpu.arch) {
        let (Some(grid), Some(block), Some(dynamic_shared), Some(cluster)) =
            (found.grid, found.block, found.shared, cluster(view, found))
        else {
            continue;
        };
        if !found.may_launch(&templates) {
            continue;
        }
        let params = found.arguments.iter().map(|argument| match argument {
            Argument::Pointer => ParamValue::Pointer,
            Argument::Number(number) => ParamValue::Integer((*number).into()),
            Argument::Tensor(tensor) => ParamValue::Tensor(*tensor),
            Argument::Float | Argument::Unknown => ParamValue::Unknown,
        });
        let name = if let Some(elsewhere) = &found.elsewhere {
            elsewhere.to_string()
        } else if let Some(header) = view.header_of(found.place) {
            format!("in {header}")
        } else {
            let byte = view.range(found.place).start;
            format!("line {}", memchr::memchr_iter(b'\n', &view.text.text().as_bytes()[..byte]).count() + 1)
        };
        let entry = LaunchEntry {
            name: Some(name),
            function: mangled.to_owned(),
            grid,
            block,
            cluster,
            dynamic_shared,
            params: Some(params.collect()),
            ..LaunchEntry::default()
        };
        if entries.len() < MAX {
            entries.push(entry);
        }
    }
    entries
}

/// Returns the cluster size of a launch in host code: the size that the launch states, otherwise that of the kernel's
/// `__cluster_dims__`, otherwise a single block. `None` if the size is unknown.
fn cluster(view: &CudaView<'_>, found: &FoundLaunch) -> Option<[u32; 3]> {
    match found.cluster {
        LaunchCluster::Blocks(blocks) => return Some(blocks),
        LaunchCluster::Unknown => return None,
        LaunchCluster::Unstated => {}
    }
    let mut blocks = [1; 3];
    let (_, kernel) = view.text.environment().function(&found.function)?;
    for (own, size) in blocks.iter_mut().zip(&kernel.cluster_dims) {
        *own = literal(view, size)?;
    }
    Some(blocks)
}

/// Returns the block size with which host code launches a compiled kernel. `None` if unknown, and if the
/// launches file states a launch of the kernel.
pub(crate) fn found_block(view: &CudaView<'_>, mangled: &str) -> Option<[u32; 3]> {
    let stated = view.context.launches.as_ref();
    if stated.is_some_and(|file| file.launches_of(mangled).next().is_some()) {
        return None;
    }
    let (name, templates) = instance(mangled);
    if view.text.environment().functions(&name).nth(1).is_some() {
        return None;
    }
    let gpu = view.target_gpu().gpu;
    let is_its = |found: &&FoundLaunch| found.may_launch(&templates);
    view.text.launches_of(&name, &gpu.arch).filter(is_its).find_map(|found| found.block)
}

/// Returns a launch with an assumed grid and unknown arguments. The block is also assumed unless host code
/// states it.
fn assumed(view: &CudaView<'_>, kernel: &Function, gpu: &Gpu) -> Launch {
    let mut axes = [false; 3];
    let mut threads = [false; 3];
    if let Some(body) = &kernel.body {
        body.walk_expressions(&mut |expr| {
            if let ExprKind::Field { of, name, .. } = &expr.kind
                && let (Some(of), Some(axis)) =
                    (of.as_name(), ["x", "y", "z"].iter().position(|own| own == name))
            {
                threads[axis] |= of == "threadIdx";
                axes[axis] |= of == "blockIdx";
            }
        });
    }
    let found = view.text.launches_of_kernel(kernel, &gpu.arch);
    let (blocks, templates, knows_block) = {
        let mut known = found.clone().filter_map(|found| found.block);
        let count = |found: &&FoundLaunch| {
            found.templates.iter().filter(|value| **value != TemplateValue::Unknown).count()
        };
        // Of launches with equally many known values, the first one.
        let best = found.clone().min_by_key(|found| std::cmp::Reverse(count(found)));
        let templates = best.map(|found| found.templates.clone()).unwrap_or_default();
        if let Some(block) = known.next() {
            (vec![block], templates, true)
        } else {
            let blocks = assumed_blocks(threads[1] || threads[2], max_threads(view, kernel));
            (blocks, templates, false)
        }
    };
    let grid = axes.map(|axis| if axis { GRID } else { 1 });
    Launch {
        name: None,
        configuration: Configuration { grid, block: blocks[0], arguments: Vec::new(), templates },
        origin: Origin::Assumed,
        knows_block,
        place: None,
        dynamic_shared: None,
        assumed_types: Vec::new(),
        other_blocks: blocks[1..].to_vec(),
    }
}

/// Returns the block sizes of an assumed launch that `__launch_bounds__` permits.
fn assumed_blocks(has_rows: bool, most: Option<u32>) -> Vec<[u32; 3]> {
    if !has_rows {
        return vec![[most.unwrap_or(THREADS).clamp(1, THREADS), 1, 1]];
    }
    let Some(most) = most.filter(|most| *most < THREADS) else { return SHAPES.to_vec() };
    let rows = SHAPES.map(|[columns, ..]| [columns, most / columns, 1]);
    let fits: Vec<[u32; 3]> = rows.into_iter().filter(|[_, rows, _]| *rows > 0).collect();
    if fits.is_empty() { vec![[most.max(1), 1, 1]] } else { fits }
}

/// Returns the first argument of `__launch_bounds__`. `None` if it is missing or not a [`literal`].
fn max_threads(view: &CudaView<'_>, kernel: &Function) -> Option<u32> {
    literal(view, kernel.launch_bounds.first()?)
}

/// Returns the value of an expression. `None` unless it is a positive literal or a macro for one.
fn literal(view: &CudaView<'_>, expr: &Expr) -> Option<u32> {
    let value = match &expr.kind {
        ExprKind::Name { name, .. } => view.text.environment().value_of_macro(name)?,
        _ => expr,
    };
    match &value.kind {
        ExprKind::Integer { value, .. } => u32::try_from(*value).ok().filter(|number| *number > 0),
        _ => None,
    }
}

/// Returns the template arguments in a mangled or demangled name. `None` if the name belongs to another kernel.
pub(crate) fn instance_of(written: &str, kernel: &str) -> Option<Vec<TemplateValue>> {
    let (name, templates) = instance(written);
    (name == kernel).then_some(templates)
}

/// Returns the unqualified kernel name and the template arguments of a mangled or demangled name.
fn instance(written: &str) -> (String, Vec<TemplateValue>) {
    let demangled = demangle(written);
    let own = names::instance(demangled.as_deref().unwrap_or(written));
    (own.own_name().to_owned(), own.values())
}

/// Returns a kernel with its simulated launches. `Err` if the request was cancelled.
pub(crate) fn subject<'a>(
    view: &'a CudaView<'_>,
    item: u32,
    kernel: &'a Function,
    gpu: &'a Gpu,
) -> Cancellable<Subject<'a>> {
    let mut launches = Vec::new();
    for launch in candidates(view, item, kernel, gpu) {
        view.cancel.check()?;
        let run = |block: [u32; 3]| {
            let configuration = Configuration { block, ..launch.configuration.clone() };
            view.text.run(item, &gpu.arch, &configuration)
        };
        let Some(own) = run(launch.block()) else { continue };
        let other_shapes = launch.other_blocks.iter().filter_map(|block| run(*block)).collect();
        launches.push(SimulatedLaunch { launch, run: own, other_shapes });
    }
    Ok(Subject {
        gpu,
        environment: view.text.environment(),
        kernel,
        item,
        limits: view.context.limits(),
        launches,
        found: view.text.launches_of_kernel(kernel, &gpu.arch).collect(),
        in_host: view.text.launches_in_hosts_of(&kernel.name, &gpu.arch).collect(),
        may_have_other_blocks: view.text.may_have_other_blocks(&kernel.name, &gpu.arch),
    })
}

/// Returns a hash of all inputs of a kernel's [`subject`] except the kernel's text: GPU, limits, launches,
/// the host functions with these launches, and the other kernels that these functions launch.
pub(crate) fn hash_of_subject(view: &CudaView<'_>, kernel: &Function, gpu: &Gpu) -> u64 {
    let (text, limits) = (view.text, view.context.limits());
    hash_of(&(
        &gpu.part.id,
        gpu.arch.sm,
        [limits.wavefronts, limits.sectors].map(f64::to_bits),
        stated(view, kernel),
        text.hash_of_launches(kernel, &gpu.arch),
        instances(text.environment(), &gpu.arch, kernel),
        text.hosts_of(&kernel.name, &gpu.arch),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, Cancel, Host, Language};

    /// Analysis of a source in which a kernel with a tensor map and a cluster of two blocks is launched with this
    /// grid.
    fn opened(grid: &str) -> Analysis {
        let text = format!(
            "#define WIDE 2
             __global__ void __cluster_dims__(WIDE, 1, 1) copy(const __grid_constant__ CUtensorMap from, int n) {{}}
             void run(void *at, int blocks) {{
               CUtensorMap map;
               cuuint64_t sizes[3] = {{64, 16, 4}}, pitch[2] = {{256, 4096}};
               cuuint32_t part[3] = {{32, 8, 1}}, steps[3] = {{1, 1, 1}};
               cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, at, sizes, pitch, part, steps,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
               copy<<<{grid}, 64>>>(map, 7);
             }}
             "
        );
        let mut host = Host::default();
        host.open_as("/p/k.cu", 1, Language::Cuda, &text);
        host.snapshot("/p/k.cu", Cancel::default()).expect("it is open")
    }

    const MAP: &str = "{ tensor_map = { type = \"f32\", shape = [64, 16, 4], strides = [256, 4096], \
                       box = [32, 8, 1], swizzle = 128 } }";

    #[test]
    fn a_launch_in_host_code_has_its_tensor_map_and_its_cluster() {
        let found = opened("8").found_launches(&["_Z4copy14CUtensorMap_sti"]);
        let [launch] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((launch.grid, launch.cluster), ([8, 1, 1], [2, 1, 1]));
        let written = format!(
            "[[launch]]\nfunction = \"_Z4copy14CUtensorMap_sti\"\ngrid = [8]\nblock = [64]\nparams = [{MAP}, 7]\n"
        );
        let stated = crate::LaunchFile::parse("", &written).expect("it is valid");
        assert_eq!(launch.params, stated.launches[0].params);
    }

    #[test]
    fn a_launch_to_state_has_the_tensor_map_of_host_code() {
        let analysis = opened("blocks");
        assert_eq!(analysis.found_launches(&["_Z4copy14CUtensorMap_sti"]), []);
        let stated = analysis.launch_to_state(80).expect("nothing cancels it").expect("the grid is unknown");
        let edits = stated.edits("").expect("an empty file can be read");
        let lines = format!("  {MAP}, # const __grid_constant__ CUtensorMap from\n  \"?\",   # int n\n");
        assert!(edits[0].text.contains(&lines), "{}", edits[0].text);
    }

    #[test]
    fn a_launch_names_its_kernel_in_any_spelling() {
        let number = |number| TemplateValue::Number(number);
        for (written, kernel, expected) in [
            ("_Z5saxpyifPKfPf", "saxpy", Some(Vec::new())),
            ("saxpy", "saxpy", Some(Vec::new())),
            ("ns::saxpy(int)", "saxpy", Some(Vec::new())),
            ("_Z5saxpyifPKfPf", "axpy", None),
            ("void tile<32, 4>(float*)", "tile", Some(vec![number(32), number(4)])),
        ] {
            assert_eq!(instance_of(written, kernel), expected, "{written}");
        }
    }
}
