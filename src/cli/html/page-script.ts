/** Draws the plots that the element `charts` describes, and draws them again when the reader turns light to dark. */
export const PAGE_SCRIPT: string = `
const configs = JSON.parse(document.getElementById('charts').textContent);
const drawn = [];
const coloured = (value) => {
  if (typeof value === 'string' && value.startsWith('--')) {
    return getComputedStyle(document.documentElement).getPropertyValue(value).trim();
  }
  if (Array.isArray(value)) return value.map(coloured);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, coloured(child)]));
};
const draw = () => {
  for (const chart of drawn.splice(0)) chart.destroy();
  Object.assign(Chart.defaults, { animation: false, maintainAspectRatio: false });
  Object.assign(Chart.defaults, { color: coloured('--muted'), borderColor: coloured('--line') });
  Chart.defaults.font.family = 'system-ui, sans-serif';
  // Powers of ten alone: the ticks between crowd each other.
  Chart.defaults.scales.logarithmic.ticks.callback = (value) =>
    Number.isInteger(Math.log10(value)) ? value.toLocaleString('en', { maximumSignificantDigits: 1 }) : '';
  for (const [id, config] of Object.entries(configs)) {
    drawn.push(new Chart(document.getElementById(id), coloured(config)));
  }
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
draw();
`;
