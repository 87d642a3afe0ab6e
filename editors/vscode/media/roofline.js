// Draws the response of `warplens/kernelRoofline`. Texts are inserted as text, never as HTML: names come from the listing.
/** Returns the parts of the panel with the predictions of a kernel's launches; an empty list if there are no launches. */
globalThis.warplensRoofline = (() => {
  const { element, drawn, percent, row, withCode } = globalThis.warplensDrawing;
  const WIDTH = 480;
  const HEIGHT = 300;
  const FRAME = { left: 52, right: WIDTH - 8, top: 10, bottom: HEIGHT - 34 };
  const LETTER = 7.3;
  const LINE = 13;

  const digits = (number) => number.toFixed(number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2);
  function rate(number, unit) {
    const [scale, prefix] = number >= 1e12 ? [1e12, 'T'] : number >= 1e9 ? [1e9, 'G'] : [1e6, 'M'];
    return `${digits(number / scale)} ${prefix}${unit}`;
  }
  const time = (us) => (us >= 1000 ? `${digits(us / 1000)} ms` : `${digits(us)} us`);

  // Operations per second; 0 if the launch's time is not a single number. Such a launch is not in the picture.
  const operations = (launch) => launch.rates.operations.reduce((sum, done) => sum + (done.per_second ?? 0), 0);
  const title = (launch) => launch.launch ?? (launch.resources.launch_assumed ? 'assumed launch' : 'launch');

  function kind({ limiter: { kind: how, name } }) {
    if ((how === 'busy' && (name === 'DRAM' || name === 'L2')) || (how === 'bottleneck' && name === 'mem')) return 'memory';
    return how === 'busy' || name === 'comp' ? 'pipe' : 'latency';
  }

  function limiter({ limiter: { kind: how, name, share } }) {
    if (how === 'busy') return `${name}, busy ${percent(share)} of the time`;
    if (how === 'not_timed') return `unknown: ${name} is not timed`;
    if (how === 'endless_wait') return `unknown: a wait at ${name} does not end`;
    return how === 'latency' ? `latency: ${name}, ${percent(share)} of the waiting time` : `ICS'17 bottleneck ${name} ${share.toFixed(2)}`;
  }

  /** A logarithmic axis. `at` maps a value to a pixel, limited to the ends of the axis. */
  function axis(from, to, start, end) {
    const [low, high] = [Math.log10(from), Math.log10(to)];
    const at = (value) => start + Math.min(1, Math.max(0, (Math.log10(value) - low) / (high - low))) * (end - start);
    const decades = [];
    for (let power = Math.ceil(low); power <= high; power += 1) decades.push(10 ** power);
    return { from, to, at, decades };
  }

  /** Keeps track of occupied boxes, so that labels do not overlap. */
  function room() {
    const taken = [];
    const free = (box) => box.left >= FRAME.left && box.right <= FRAME.right && box.top >= FRAME.top && box.bottom <= FRAME.bottom
      && !taken.some((other) => other.left < box.right && box.left < other.right && other.top < box.bottom && box.top < other.bottom);
    const boxed = (x, y, width) => ({ left: x, right: x + width, top: y - LINE + 3, bottom: y + 3 });
    return {
      keep: (x, y, radius) => taken.push({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }),
      /** Reserves the first of the places at which a text of `width` fits, and returns it; undefined if none of them is free. */
      take(width, places) {
        const place = places.find(([x, y]) => free(boxed(x, y, width)));
        if (place) taken.push(boxed(...place, width));
        return place;
      },
    };
  }

  function picture({ ceilings, launches }) {
    const flat = ceilings.filter((ceiling) => !ceiling.is_bandwidth);
    const slopes = ceilings.filter((ceiling) => ceiling.is_bandwidth);
    const done = new Set(launches.flatMap((launch) => launch.rates.operations.filter(({ share }) => share > 0.01).map(({ name }) => name)));
    const shown = flat.filter(({ name }) => name === 'FP32' || name === 'tensor FP16' || done.has(name));
    const placed = launches.filter((launch) => launch.rates.intensity !== null && operations(launch) > 0);
    if (placed.length === 0 || slopes.length === 0 || shown.length === 0) return null;
    const highest = Math.max(...shown.map((ceiling) => ceiling.per_second));
    const least = Math.min(...slopes.map((ceiling) => ceiling.per_second));
    const most = Math.max(...slopes.map((ceiling) => ceiling.per_second));
    const intensities = placed.map((launch) => launch.rates.intensity);
    const x = axis(Math.min(highest / least / 300, ...intensities) / 2, Math.max(6 * highest / least, ...intensities) * 2, FRAME.left, FRAME.right);
    const rates = placed.map(operations);
    const y = axis(Math.min(least * x.from / 2, ...rates) / 2, Math.max(highest, ...rates) * 2.5, FRAME.bottom, FRAME.top);
    const parts = [];
    for (const value of x.decades) {
      parts.push(drawn('line', { class: 'grid', x1: x.at(value), x2: x.at(value), y1: FRAME.top, y2: FRAME.bottom }),
        drawn('text', { class: 'scale', x: x.at(value), y: FRAME.bottom + 13, 'text-anchor': 'middle' }, String(value)));
    }
    for (const value of y.decades) {
      parts.push(drawn('line', { class: 'grid', x1: FRAME.left, x2: FRAME.right, y1: y.at(value), y2: y.at(value) }),
        drawn('text', { class: 'scale', x: FRAME.left - 4, y: y.at(value) + 4, 'text-anchor': 'end' }, rate(value, '').replace(/\.0+/, '')));
    }
    parts.push(drawn('rect', { class: 'frame', x: FRAME.left, y: FRAME.top, width: FRAME.right - FRAME.left, height: FRAME.bottom - FRAME.top }),
      drawn('text', { class: 'scale', x: (FRAME.left + FRAME.right) / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, 'operations per byte of DRAM traffic'));
    const labels = room();
    for (const launch of placed) labels.keep(x.at(launch.rates.intensity), y.at(operations(launch)), 6);
    const label = (text, places) => {
      const place = labels.take(text.length * LETTER, places);
      return place ? drawn('text', { x: place[0], y: place[1] }, text) : null;
    };
    for (const { name, per_second: bandwidth } of slopes) {
      const from = Math.max(x.from, y.from / bandwidth);
      const to = Math.min(x.to, highest / bandwidth);
      parts.push(drawn('line', { class: 'roof', x1: x.at(from), y1: y.at(from * bandwidth), x2: x.at(to), y2: y.at(to * bandwidth) }));
      const text = `${name} ${rate(bandwidth, 'B/s')}`;
      const along = [0.35, 0.5, 0.65, 0.2, 0.8].map((share) => from * (to / from) ** share);
      const right = along.map((value) => [x.at(value) + 8, y.at(value * bandwidth) + 10]);
      const left = along.map((value) => [x.at(value) - text.length * LETTER - 6, y.at(value * bandwidth) - 2]);
      parts.push(label(text, bandwidth === most && slopes.length > 1 ? left : right));
    }
    for (const { name, per_second: peak } of shown) {
      const from = Math.max(x.from, peak / most);
      parts.push(drawn('line', { class: 'roof', x1: x.at(from), x2: FRAME.right, y1: y.at(peak), y2: y.at(peak) }));
      const text = `${name} ${rate(peak, 'op/s')}`;
      const end = FRAME.right - text.length * LETTER - 4;
      parts.push(label(text, [0, 40, 80, 120].map((back) => [end - back, y.at(peak) - 4])));
    }
    for (const launch of placed) {
      const [left, top] = [x.at(launch.rates.intensity), y.at(operations(launch))];
      const text = title(launch);
      const told = `${text}: ${rate(operations(launch), 'op/s')}, ${digits(launch.rates.intensity)} operations per byte, ${limiter(launch)}`;
      parts.push(drawn('circle', { class: kind(launch), cx: left, cy: top, r: 4.5 }, drawn('title', {}, told)));
      const width = text.length * LETTER;
      const rows = [4, 17, -9, 30, -22, 43, -35];
      parts.push(label(text, rows.flatMap((below) => [[left + 8, top + below], [left - width - 8, top + below]])));
    }
    const said = placed.map((launch) => `${title(launch)}: ${rate(operations(launch), 'op/s')} at ${digits(launch.rates.intensity)} operations per byte`);
    return drawn('svg', { role: 'img', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-label': `Roofline. ${said.join('; ')}` },
      ...parts.filter((part) => part !== null));
  }

  const wide = (name, text) => element('tr', {}, element('th', { scope: 'row' }, name), element('td', { colspan: 2 }, ...withCode(text)));

  function facts(launch) {
    const achieved = (done, unit) => (done.per_second === null ? null : row(done.name, rate(done.per_second, unit),
      done.share === null ? '' : `${percent(done.share)} of ${rate(done.peak_per_second, unit)}`));
    const estimated = `${launch.model} model, ${launch.quick ? 'quick estimate' : 'estimated'}`;
    const timed = launch.microseconds === null ? '' : `${time(launch.microseconds)} at ${(launch.clock_mhz / 1000).toFixed(2)} GHz; `;
    const { operations: all, dram, l2 } = launch.rates;
    const most = Math.max(0, ...all.map(({ count }) => count));
    const stalls = Object.entries(launch.stalls).sort(([, one], [, other]) => other - one).slice(0, 3).map(([reason, share]) => `${reason} ${percent(share)}`);
    return [
      element('h2', {}, launch.resources.launch_assumed ? 'Predicted for the assumed launch' : `Predicted${launch.launch ? ` for ${launch.launch}` : ''}`),
      element('table', {},
        row('Cycles', launch.cycles_in_words, `${timed}${estimated}`),
        wide('Limited by', limiter(launch)),
        row('Waves', digits(launch.waves.exact), `the last wave fills ${percent(launch.waves.last)} of the GPU`),
        ...all.filter(({ count }) => count >= 0.01 * most).map((done) => achieved(done, 'op/s')),
        dram ? achieved(dram, 'B/s') : null,
        l2 ? achieved(l2, 'B/s') : null,
        stalls.length > 0 ? wide('Stalls', stalls.join(', ')) : null),
      launch.assumed.length > 0 ? element('p', { class: 'quiet' }, `Assumed: ${launch.assumed_in_words}`) : null,
    ].filter((part) => part !== null);
  }

  return (roofline) => {
    if (!roofline || roofline.launches.length === 0) return [];
    const drawing = picture(roofline);
    const open = roofline.launches.filter(({ cycles }) => cycles === null).map((launch) => `${title(launch)}: ${launch.cycles_in_words}`);
    const left = open.length > 0 ? element('p', { class: 'quiet' }, ...withCode(`Not in the roofline: ${open.join('; ')}`)) : null;
    return [element('section', { class: 'roofline' }, ...roofline.launches.flatMap(facts),
      ...(drawing ? [element('h2', {}, 'Roofline'), drawing] : []), ...(left ? [left] : []))];
  };
})();
