// Zoom of a page with one picture, by buttons or by Ctrl and the wheel. The picture fits the page at first.
(() => {
  const picture = document.querySelector('svg');
  if (!picture) return;
  const vscode = acquireVsCodeApi();
  const own = picture.viewBox.baseVal.width;
  const STEP = 1.25;
  const LEAST = 0.1;
  const MOST = 5;
  /** Page pixels per picture pixel; undefined if the picture is fitted to the page. */
  let zoom = vscode.getState()?.zoom;

  const room = () => {
    const { paddingLeft, paddingRight } = getComputedStyle(document.body);
    return document.body.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  };
  const fitting = () => Math.min(1, room() / own);
  const draw = () => {
    picture.style.width = `${own * (zoom ?? fitting())}px`;
    share.textContent = `${Math.round(100 * (zoom ?? fitting()))} %`;
    vscode.setState({ zoom });
  };
  /** Changes the zoom. What the window shows at `x`, `y` stays there. */
  const change = (to, x = document.documentElement.clientWidth / 2, y = document.documentElement.clientHeight / 2) => {
    const before = zoom ?? fitting();
    zoom = to === undefined ? undefined : Math.min(MOST, Math.max(LEAST, to));
    const left = (window.scrollX + x) * ((zoom ?? fitting()) / before) - x;
    const top = (window.scrollY + y) * ((zoom ?? fitting()) / before) - y;
    draw();
    window.scrollTo(left, top);
  };
  const by = (factor, x, y) => change((zoom ?? fitting()) * factor, x, y);

  const bar = document.createElement('div');
  bar.className = 'zoom';
  const button = (text, title, act) => {
    const made = document.createElement('button');
    made.textContent = text;
    made.title = title;
    made.addEventListener('click', act);
    return made;
  };
  const share = document.createElement('span');
  share.setAttribute('aria-live', 'polite');
  bar.append(
    share,
    button('\u2212', 'Zoom out (Ctrl and the wheel)', () => by(1 / STEP)),
    button('+', 'Zoom in (Ctrl and the wheel)', () => by(STEP)),
    button('Fit', 'Fit the picture to the page', () => change(undefined)),
  );
  document.body.prepend(bar);

  window.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      by(event.deltaY < 0 ? STEP : 1 / STEP, event.clientX, event.clientY);
    }
  }, { passive: false });
  window.addEventListener('resize', draw);
  draw();
})();
