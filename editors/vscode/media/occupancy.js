// Draws the responses of `warplens/occupancyCurves` and `warplens/compareGpus`. Texts are inserted as text, never as HTML.
/** Curves of the warps per SM over each resource of the kernel, and the table of other GPUs. */
globalThis.warplensOccupancy = (() => {
  const { element, drawn, grouped, percent, withCode } = globalThis.warplensDrawing;
  const WIDTH = 220;
  const HEIGHT = 108;
  const FRAME = { left: 24, right: WIDTH - 8, top: 10, bottom: HEIGHT - 22 };
  const FONT_PIXELS = 10;
  /** Least space between two labels, in pixels. */
  const GAP = 5;

  const pen = document.createElement('canvas').getContext('2d');
  function widthOf(text, weight = 400) {
    pen.font = `${weight} ${FONT_PIXELS}px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(text).width;
  }

  const isBytes = (curve) => curve.unit.startsWith('bytes');
  function amount(curve, x) {
    if (!isBytes(curve)) return grouped(x);
    return x >= 1024 ? `${Number((x / 1024).toFixed(1))} KiB` : `${x} B`;
  }
  const unit = (curve) => curve.unit.replace(/^bytes ?/, '');
  const plural = (number, what) => `${grouped(number)} ${what}${number === 1 ? '' : 's'}`;

  /** Draws the labels that do not overlap an earlier one of the list. The most important labels come first. */
  function row(labels, baseline) {
    const taken = [];
    return labels.flatMap(({ text, x, kind }) => {
      const width = widthOf(text, kind === 'now' ? 600 : 400);
      const left = Math.min(Math.max(x - width / 2, 1), WIDTH - width - 1);
      if (taken.some((other) => left < other.right + GAP && other.left < left + width + GAP)) return [];
      taken.push({ left, right: left + width });
      return [drawn('text', { class: kind, x: left, y: baseline }, text)];
    });
  }

  /** The path of a curve. Each value holds up to the next point, so the curve is a step function. */
  function steps(curve, at) {
    const { points } = curve;
    const last = points[points.length - 1];
    const path = points.map((point, index) => {
      const [x, y] = at(point.x, point.warps);
      return index === 0 ? `M${x} ${y}` : `H${x}V${y}`;
    });
    return `${path.join('')}H${at(last.x, 0)[0]}`;
  }

  function picture(curve) {
    const { points, maxWarps } = curve;
    const from = points[0].x;
    const to = Math.max(points[points.length - 1].x, from + 1);
    const at = (x, warps) => [
      Number((FRAME.left + ((x - from) / (to - from)) * (FRAME.right - FRAME.left)).toFixed(1)),
      Number((FRAME.bottom - (Math.min(warps, maxWarps) / maxWarps) * (FRAME.bottom - FRAME.top)).toFixed(1)),
    ];
    const [x, y] = at(Math.min(Math.max(curve.now, from), to), curve.nowWarps);
    const line = steps(curve, at);
    const told = `${amount(curve, curve.now)} ${unit(curve)}: ${curve.nowWarps} of ${maxWarps} warps, ${plural(curve.nowBlocks, 'block')} per SM`;
    const across = row([
      { text: amount(curve, curve.now), x, kind: 'now' },
      { text: amount(curve, from), x: FRAME.left, kind: 'scale' },
      { text: amount(curve, to), x: FRAME.right, kind: 'scale' },
    ], HEIGHT - 4);
    const up = [[maxWarps, FRAME.top], [0, FRAME.bottom]].map(([warps, height]) =>
      drawn('text', { class: 'scale', x: FRAME.left - 4 - widthOf(String(warps)), y: height + 3.5 }, String(warps)));
    return drawn('svg', { role: 'img', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-label': `Active warps per SM over ${curve.axis}. Now ${told}` },
      drawn('line', { class: 'grid', x1: FRAME.left, x2: FRAME.right, y1: FRAME.top, y2: FRAME.top }),
      drawn('path', { class: 'area', d: `${line}V${FRAME.bottom}H${FRAME.left}Z` }),
      drawn('path', { class: 'curve', d: line }),
      drawn('line', { class: 'frame', x1: FRAME.left, x2: FRAME.right, y1: FRAME.bottom, y2: FRAME.bottom }),
      drawn('line', { class: 'mark', x1: x, x2: x, y1: FRAME.top, y2: FRAME.bottom }),
      drawn('circle', { class: 'mark', cx: x, cy: y, r: 3.5 }, drawn('title', {}, told)), ...across, ...up);
  }

  function curves(answer) {
    const all = (answer?.curves ?? []).filter(({ points }) => points.length > 1);
    if (all.length === 0) return null;
    const figures = all.map((curve) => element('figure', {},
      element('figcaption', {}, `By ${curve.axis}`),
      picture(curve),
      element('p', {}, `Now ${amount(curve, curve.now)} ${unit(curve)}: ${curve.nowWarps} of ${curve.maxWarps} warps`),
      curve.tip ? element('p', { class: 'tip' }, curve.tip) : null));
    return element('section', { class: 'occupancy-curves' }, element('h2', {}, 'Active warps per SM'), element('div', { class: 'curves' }, ...figures));
  }

  const time = (us) => (us >= 1000 ? `${(us / 1000).toFixed(2)} ms` : `${us.toFixed(us >= 100 ? 0 : 1)} µs`);

  /** The table of GPUs, or a note if the server has no answer. */
  function gpus(answer) {
    if (!answer) return [element('p', { class: 'quiet' }, 'Not known for this kernel.')];
    const { rows } = answer;
    const hasTimes = rows.some(({ microseconds }) => typeof microseconds === 'number');
    const names = ['GPU', 'Occupancy', 'Cycles', ...(hasTimes ? ['Time'] : []), 'Limited by'];
    const head = names.map((name) => element('th', { scope: 'col' }, name));
    const made = rows.map((row) => {
      // `4 677 to 2 778 000 cycles (depends on unknown values)`: the figure, and why it is a range. `state n for cycles` has no
      // figure.
      const [, figure, why = ''] = /^(.*?)(?: \((.*)\))?$/.exec(row.cycles);
      const cycles = figure.startsWith('state ') ? figure : figure.replace(/ cycles$/, '');
      return element('tr', row.isCurrent ? { class: 'current', 'aria-current': 'true' } : {},
        element('th', { scope: 'row', title: `${row.sm}${row.isCurrent ? ', the GPU of all other figures' : ''}` }, `${row.isCurrent ? '▸ ' : ''}${row.gpu}`),
        element('td', { class: 'number', title: `limited by ${row.occupancyLimit}` }, percent(row.occupancy)),
        element('td', { title: `${why === '' ? '' : `${why}, `}${row.model} model` }, ...withCode(`${cycles}${why === '' ? '' : ' *'}`)),
        hasTimes ? element('td', { class: 'number' }, typeof row.microseconds === 'number' ? time(row.microseconds) : '') : null,
        element('td', {}, row.limiter ?? 'unknown'));
    });
    const reasons = new Set(rows.map(({ cycles }) => /\((.*)\)$/.exec(cycles)?.[1]).filter((why) => why !== undefined));
    const notes = [...reasons].map((why) => `* ${why}. `).join('');
    return [element('table', { class: 'gpus' }, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...made)),
      element('p', { class: 'quiet' }, ...withCode(`${notes}All figures are predicted, for the same code and launch.`))];
  }

  return { curves, gpus };
})();
