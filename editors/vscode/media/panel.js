// Draws what `warplens/kernelSummary` says. Every text goes in as text, never as HTML: names come from the listing.
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const host = document.getElementById('kernel');
  const vscode = acquireVsCodeApi();

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    return fill(made, attributes, children);
  }
  function drawn(name, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, name);
    return fill(made, attributes, children);
  }
  function fill(made, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  const grouped = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
  const percent = (share) => `${Math.round(100 * share)} %`;
  const bytes = (count) => (count >= 1024 && count % 1024 === 0 ? `${count / 1024} KiB` : `${grouped(count)} B`);
  const SOURCES = {
    launch: 'stated by the launch',
    listing: 'stated by the listing',
    inferred: 'inferred from the code',
    assumed: 'assumed',
  };

  /** Rows of bars from 0 to 1: { name, explained, value or null, kind, label }. */
  function chart(label, rows) {
    const made = rows.map((row) => {
      const known = row.value !== null && row.value !== undefined;
      const value = known ? row.label ?? row.value.toFixed(2) : 'unknown';
      const width = `${100 * Math.min(1, Math.max(0, known ? row.value : 0))}%`;
      const picture = drawn('svg', { 'aria-hidden': 'true' },
        drawn('rect', { class: 'track', width: '100%', height: '100%', rx: 2 }),
        known ? drawn('rect', { class: `bar ${row.kind}`, width, height: '100%', rx: 2 }) : null);
      return element('div', { class: 'row', role: 'listitem', title: row.explained },
        element('span', {}, row.name), picture, element('span', { class: known ? 'number' : 'quiet' }, value));
    });
    return element('div', { class: 'chart', role: 'list', 'aria-label': label }, ...made);
  }

  const BOTTLENECKS = [
    ['ilp', 'parallelism (ilp)', 'Dispatch cycles of a warp that its busiest function unit does not share in.'],
    ['comp', 'compute (comp)', 'Lanes of the arithmetic units that stay idle while instructions are dispatched to them.'],
    ['mem', 'memory (mem)', 'Bytes a cycle that narrow or inefficient accesses leave unused, of those that memory units can move.'],
    ['pipe', 'latency (pipe)', 'Latencies on the critical path, against the cycles that the other warps fill.'],
  ];

  function bottlenecks(all) {
    const known = BOTTLENECKS.map(([key]) => all[key]).filter((value) => value !== null && value > 0);
    const worst = Math.max(...known);
    return BOTTLENECKS.map(([key, name, explained]) => ({
      name, explained, value: all[key], kind: known.length > 0 && all[key] === worst ? 'worst' : '',
    }));
  }

  function row(name, value, note) {
    return element('tr', {}, element('th', { scope: 'row' }, name), element('td', { class: 'number' }, value),
      element('td', { class: 'quiet' }, note ?? ''));
  }

  function launch(one) {
    const { resources, occupancy } = one;
    const dimensions = (three) => three.join(' × ');
    const limiter = occupancy.fraction > 0 ? `limited by ${occupancy.limiter}` : 'no block fits an SM';
    return element('section', {},
      one.launch ? element('h2', {}, `Launch ${one.launch}`) : null,
      element('h2', {}, 'Bottlenecks (0 best, 1 worst)'),
      chart('The four bottlenecks', bottlenecks(one.bottlenecks)),
      element('h2', {}, 'Occupancy'),
      chart('Occupancy', [{
        name: `${occupancy.active_warps} of ${occupancy.max_warps} warps`, explained: limiter, kind: 'occupancy',
        value: occupancy.fraction, label: percent(occupancy.fraction),
      }]),
      element('p', { class: 'quiet' }, `${occupancy.active_blocks} blocks an SM; ${limiter}`),
      element('h2', {}, 'Resources'),
      element('table', {},
        row('Registers', `${resources.registers} a thread`, SOURCES[resources.registers_source]),
        resources.shared_source === 'assumed'
          ? row('Shared memory', 'not stated', `counted as ${bytes(resources.shared)} a block`)
          : row('Shared memory', `${bytes(resources.shared)} a block`, SOURCES[resources.shared_source]),
        row('Block', dimensions(resources.block), resources.launch_assumed ? 'assumed: the largest legal one' : ''),
        row('Grid', dimensions(resources.grid), resources.launch_assumed ? 'assumed: one full wave' : ''),
        row('Cycles', one.cycles === null ? 'unknown' : `about ${grouped(one.cycles)}`, 'of the whole launch, an upper bound'),
        row('Instructions', one.ipc === null ? 'unknown' : one.ipc.toFixed(2), 'of a warp, a cycle and SM'),
        row('SP efficiency', one.sp_efficiency === null ? 'unknown' : percent(one.sp_efficiency), 'single-precision operations of the peak'),
      ),
      one.notes.length > 0 ? element('ul', { class: 'quiet' }, ...one.notes.map((note) => element('li', {}, note))) : null,
    );
  }

  function show(summary) {
    if (summary.nothing) {
      host.replaceChildren(element('p', { class: 'quiet' }, summary.nothing));
      return;
    }
    host.replaceChildren(
      element('h1', {}, summary.title),
      element('p', { class: 'quiet' }, `${summary.gpu}; ${summary.model} model`),
      ...summary.launches.map(launch),
    );
  }

  window.addEventListener('message', (event) => show(event.data));
  vscode.postMessage('ready');
})();
