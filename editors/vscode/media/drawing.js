// Drawing functions for the parts of the panel. Texts are inserted as text, never as HTML: names come from the listing.
/** Constructors of HTML and SVG elements, and formats of numbers. */
globalThis.warplensDrawing = (() => {
  const SVG = 'http://www.w3.org/2000/svg';

  function filled(made, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  const element = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

  /** The nodes of a text of the server. Text between backticks becomes code. */
  const withCode = (text) => text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part)).filter((part) => part !== '');

  /** A row of a table: a name, its value and a note. */
  const row = (name, value, note) => element('tr', {}, element('th', { scope: 'row' }, name),
    element('td', { class: 'number' }, ...withCode(value)), element('td', { class: 'quiet' }, note ?? ''));

  return {
    element,
    row,
    withCode,
    drawn: (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children),
    grouped: (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ','),
    percent: (share) => `${Math.round(100 * share)} %`,
  };
})();
