// Draws the response of `warplens/kernelSummary`. Texts are inserted as text, never as HTML: names come from the listing.
(() => {
  const { element, drawn, grouped, percent, row, withCode } = globalThis.warplensDrawing;
  const host = document.getElementById('kernel');
  const vscode = acquireVsCodeApi();

  const bytes = (count) => (count >= 1024 && count % 1024 === 0 ? `${count / 1024} KiB` : `${grouped(count)} B`);
  const SOURCES = {
    launch: 'stated by the launch',
    listing: 'stated by the text',
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
    ['ilp', 'parallelism (ilp)', 'Dispatch cycles of a warp that do not go to its busiest function unit.'],
    ['comp', 'compute (comp)', 'Lanes of the arithmetic units that stay idle while instructions are dispatched to the units.'],
    ['mem', 'memory (mem)', 'Bytes per cycle that the memory units could move, but that narrow or inefficient accesses leave unused.'],
    ['pipe', 'latency (pipe)', 'Latencies on the critical path, compared with the cycles that the other warps fill.'],
  ];

  function bottlenecks(all) {
    const known = BOTTLENECKS.map(([key]) => all[key]).filter((value) => value !== null && value > 0);
    const worst = Math.max(...known);
    return BOTTLENECKS.map(([key, name, explained]) => ({
      name, explained, value: all[key], kind: known.length > 0 && all[key] === worst ? 'worst' : '',
    }));
  }

  function launch(one) {
    const { resources, occupancy } = one;
    const dimensions = (three) => three.join(' × ');
    const limiter = occupancy.fraction > 0 ? `limited by ${occupancy.limiter}` : 'no block fits on an SM';
    return element('section', {},
      one.launch ? element('h2', {}, `Launch ${one.launch}`) : null,
      element('h2', {}, 'Bottleneck scores of the ICS’17 model, not of the simulation above'),
      element('p', { class: 'quiet' }, '0 is best, 1 is worst.'),
      chart('The four bottlenecks', bottlenecks(one.bottlenecks)),
      element('h2', {}, 'Occupancy'),
      chart('Occupancy', [{
        name: `${occupancy.active_warps} of ${occupancy.max_warps} warps`, explained: limiter, kind: 'occupancy',
        value: occupancy.fraction, label: percent(occupancy.fraction),
      }]),
      element('p', { class: 'quiet' }, `${plural(occupancy.active_blocks, 'block')} per SM, ${limiter}`),
      element('h2', {}, 'Resources'),
      element('table', {},
        row('Registers', `${resources.registers} per thread`, SOURCES[resources.registers_source]),
        resources.shared_source === 'assumed'
          ? row('Shared memory', 'not stated', `counted as ${bytes(resources.shared)} per block`)
          : row('Shared memory', `${bytes(resources.shared)} per block`, SOURCES[resources.shared_source]),
        row('Block', dimensions(resources.block), resources.launch_assumed ? 'assumed: the largest legal one' : ''),
        row('Grid', dimensions(resources.grid), resources.launch_assumed ? 'assumed: one full wave' : ''),
        row('Cycles', one.cycles_in_words, one.cycles_model === 'paper' ? 'of the whole launch by the ICS’17 model, an upper bound' : `of the whole launch, ${one.quick ? 'quick estimate' : 'estimated'}`),
        row('IPC', one.ipc === null ? 'unknown' : one.ipc.toFixed(2), 'warp instructions per cycle per SM'),
        row('FP32', one.sp_efficiency === null ? 'unknown' : percent(one.sp_efficiency), 'of the peak, by the ICS’17 model'),
      ),
      one.notes.length > 0 ? element('ul', { class: 'quiet' }, ...one.notes.map((note) => element('li', {}, ...withCode(note)))) : null,
    );
  }

  const count = (number) => (Math.abs(number - Math.round(number)) < 0.05 ? grouped(number) : number.toFixed(1));
  const LANES_A_ROW = 8;

  const plural = (number, what) => `${count(number)} ${what}${count(number) === '1' ? '' : 's'}`;

  /** The wavefronts and sectors of a request, and the number that its bytes need: `8 wavefronts, 1 would suffice`. */
  function taken(row) {
    const parts = [['wavefront', row.wavefronts, row.wavefrontsIdeal], ['sector', row.sectors, row.sectorsIdeal]]
      .filter(([, value]) => value !== null)
      .map(([name, value, ideal]) => (count(value) === count(ideal) ? plural(value, name) : `${plural(value, name)}, ${count(ideal)} would suffice`));
    if (parts.length > 0) return parts.join('; ');
    if (row.requests === 0) return row.unreached ?? 'not reached by any simulated warp';
    return row.space === 'local' ? 'local memory' : 'unknown';
  }

  /** The accesses of a launch, as buttons. Choosing one moves the editor's cursor to it, and the panel then draws it. */
  function accessList(accesses) {
    const rows = accesses.rows.map((row) => {
      const chosen = accesses.chosen !== null && accesses.chosen.line === row.line;
      const label = row.address === null ? '' : `/*${row.address.toString(16).padStart(4, '0')}*/`;
      const button = element('button', {
        type: 'button', class: `access${row.costly ? ' costly' : ''}`, 'aria-pressed': chosen, 'data-line': row.line,
      }, element('code', {}, `${label} ${row.text}`), element('span', { class: row.known ? 'number' : 'quiet' }, ...withCode(taken(row))));
      button.addEventListener('click', () => vscode.postMessage({ line: row.line }));
      return element('li', {}, button);
    });
    const list = element('ul', { class: 'accesses', 'aria-label': 'Accesses to memory' }, ...rows);
    list.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      const buttons = [...list.querySelectorAll('button')];
      const next = buttons[buttons.indexOf(document.activeElement) + step];
      if (next) {
        next.focus();
        event.preventDefault();
      }
    });
    return list;
  }

  /** A cell of a drawing: a square with a number in it. */
  function cell(column, row, kind, text, explained) {
    const size = 24;
    const centre = { x: column * size + size / 2, y: row * size + size / 2 };
    return drawn('g', { class: `cell ${kind}` },
      drawn('rect', { x: column * size + 1, y: row * size + 1, width: size - 2, height: size - 2, rx: 2 }),
      text === '' ? null : drawn('text', { x: centre.x, y: centre.y }, text),
      explained ? drawn('title', {}, explained) : null);
  }

  function canvas(label, columns, rows, cells) {
    const size = 24;
    return drawn('svg', {
      class: 'request', role: 'img', 'aria-label': label, viewBox: `0 0 ${columns * size} ${rows * size}`,
    }, ...cells);
  }

  /** The bank of each lane, and the number of words requested from each bank. */
  function bankPicture(picture) {
    const banks = picture.words.length;
    const sharing = new Set(picture.sharing);
    const cells = [];
    for (let bank = 0; bank < banks; bank++) {
      const words = picture.words[bank];
      const kind = words > 1 ? (bank === picture.bank ? 'worst' : 'conflict') : words === 1 ? 'used' : '';
      cells.push(cell(bank % 16, 2 * Math.floor(bank / 16), 'scale', String(bank)));
      cells.push(cell(bank % 16, 2 * Math.floor(bank / 16) + 1, kind, words > 0 ? String(words) : '', `bank ${bank}: ${words} words`));
    }
    const worst = Math.max(...picture.words);
    const label = worst > 1
      ? `Words requested per bank; bank ${picture.bank} is asked for ${worst}`
      : 'Words requested per bank; no bank is asked for more than one';
    return [
      element('p', { class: 'quiet' }, `Bank of each lane${picture.width > 1 ? ` (the first of ${picture.width})` : ''}`),
      lanePicture(picture, (lane) => (worst > 1 && sharing.has(lane) ? 'worst' : 'used'), 'bank'),
      element('p', { class: 'quiet' }, `${label}.`),
      canvas(label, 16, 2 * Math.ceil(banks / 16), cells),
    ];
  }

  function sectorPicture(picture) {
    const label = `${plural(picture.sectors, 'sector')} in ${plural(picture.lines, 'cache line')}: ${picture.wanted} of ${picture.sectors * picture.sectorBytes} bytes requested`;
    // Neighbouring sectors alternate in colour, so that their borders are visible.
    const order = [...new Set(picture.lanes.filter((sector) => sector !== null))];
    return [
      element('p', { class: 'quiet' }, `Sector of each lane (${picture.sectorBytes} bytes per sector), counted from the lowest`),
      lanePicture(picture, (lane) => (order.indexOf(picture.lanes[lane]) % 2 === 0 ? 'used' : 'other'), 'sector'),
      element('p', { class: 'quiet' }, `${label}.`),
    ];
  }

  /** Lanes in rows of eight, each with its bank or sector. */
  function lanePicture(picture, kind, what) {
    const cells = picture.lanes.flatMap((place, lane) => {
      const column = 2 * (lane % LANES_A_ROW);
      const row = Math.floor(lane / LANES_A_ROW);
      const shown = place === null ? '' : place > 99999 ? '…' : String(place);
      const explained = place === null ? `lane ${lane} is inactive` : `lane ${lane}: ${what} ${place}`;
      return [cell(column, row, 'scale', String(lane)), cell(column + 1, row, place === null ? '' : kind(lane), shown, explained)];
    });
    const rows = Math.ceil(picture.lanes.length / LANES_A_ROW);
    return canvas(`${what} of each lane`, 2 * LANES_A_ROW, rows, cells);
  }

  function memory(accesses) {
    if (!accesses || accesses.rows.length === 0) return null;
    const { chosen } = accesses;
    const row = chosen === null ? undefined : accesses.rows.find(({ line }) => line === chosen.line);
    const parts = [element('h2', {}, 'Memory'), element('p', { class: 'quiet' },
      `${grouped(accesses.warps)} of ${grouped(accesses.allWarps)} warps simulated. Choose an access here, or with the cursor.`)];
    if (row) {
      parts.push(element('p', {}, element('code', {}, row.text)),
        element('p', {}, ...withCode(`${taken(row)}; ${plural(row.requests, 'request')} per warp`)));
      if (chosen.formula) parts.push(element('p', {}, 'Address = ', element('code', {}, chosen.formula)));
      for (const picture of chosen.pictures) {
        const [x, y, z] = picture.block;
        parts.push(...(picture.of === 'banks' ? bankPicture(picture) : sectorPicture(picture)),
          element('p', { class: 'quiet' }, `Worst simulated request: warp ${picture.warp}, block (${x}, ${y}, ${z}).`));
      }
      if (chosen.pictures.length === 0) {
        const why = row.requests === 0 ? `${row.unreached ?? 'Not reached by any simulated warp'}.` : 'The address pattern could not be determined.';
        parts.push(element('p', { class: 'quiet' }, ...withCode(why)));
      }
    }
    parts.push(accessList(accesses));
    return element('section', { class: 'memory' }, ...parts);
  }

  /** Whether the section "On other GPUs" is open. It is computed only then. */
  let comparing = vscode.getState()?.comparing === true;

  function otherGpus(canCompare) {
    if (!canCompare) return null;
    const body = element('div', { id: 'gpus' }, element('p', { class: 'quiet' }, 'Predicting …'));
    const details = element('details', comparing ? { open: '' } : {}, element('summary', {}, 'On other GPUs'), body);
    details.addEventListener('toggle', () => {
      if (details.open !== comparing) {
        comparing = details.open;
        vscode.setState({ comparing });
        if (comparing) vscode.postMessage('compare');
      }
    });
    return details;
  }

  function showGpus({ gpus }) {
    document.getElementById('gpus')?.replaceChildren(...warplensOccupancy.gpus(gpus));
  }

  /** Draws the panel again. The focus stays on the access that has it. */
  function show(summary) {
    const focused = document.activeElement?.dataset?.line;
    draw(summary);
    // The previous figures may be of another launch.
    if (comparing && summary.canCompare) vscode.postMessage('compare');
    if (focused !== undefined) host.querySelector(`button[data-line="${focused}"]`)?.focus();
  }

  function draw(summary) {
    if (summary.nothing) {
      host.replaceChildren(element('p', { class: 'quiet' }, summary.nothing));
      return;
    }
    host.replaceChildren(
      element('h1', {}, summary.title),
      element('p', { class: 'quiet' }, `${summary.gpu}; ${summary.model} model${summary.estimated ? `; ${summary.estimated}` : ''}`),
      ...warplensRoofline(summary.roofline),
      ...summary.launches.flatMap((one, at) => {
        // The curves and the other GPUs are of the first launch.
        const more = at === 0 ? [warplensOccupancy.curves(summary.curves), otherGpus(summary.canCompare)] : [];
        return [launch(one), ...more, memory(summary.accesses?.[at])].filter((part) => part !== null);
      }),
    );
  }

  window.addEventListener('message', ({ data }) => ('gpus' in data ? showGpus(data) : show(data)));
  vscode.postMessage('ready');
})();
