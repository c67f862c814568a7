/** The page follows the light or dark of the reader's system. Names that begin with `--` are also the colours of the plots. */
export const PAGE_STYLE: string = `
:root {
  color-scheme: light dark;
  --page: #f7f7f8; --card: #ffffff; --text: #1c1c22; --muted: #5c5c68; --line: #e2e2e8;
  --series-1: #0072b2; --series-2: #d55e00; --series-3: #009e73; --series-4: #b0508c;
  --series-5: #b87a00; --series-6: #3a9bd5; --series-7: #7a5195; --series-8: #6b6b6b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131318; --card: #1c1c23; --text: #ececf1; --muted: #a3a3b2; --line: #32323d;
    --series-1: #4fa8e0; --series-2: #f08a4b; --series-3: #3fc79a; --series-4: #e39ac6;
    --series-5: #e6b84d; --series-6: #8fcdf5; --series-7: #b697d6; --series-8: #a8a8a8;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 32px 24px 64px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 18px; margin: 40px 0 4px; }
.cards + .scroll { margin-top: 16px; }
h3 { font-size: 14px; margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 12px; color: var(--muted); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 0 0 12px; padding: 0; font-size: 13px; }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 5px; margin-right: 6px; }
.cards { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); }
.cards.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 460px), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; min-width: 0;
  display: flex; flex-direction: column; }
.card p { font-size: 12.5px; margin: 2px 0 8px; }
.plot { position: relative; margin-top: auto; }
.scroll { overflow: auto; max-height: 80vh; width: fit-content; max-width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: separate; border-spacing: 0; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 12px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--card); }
thead th { position: sticky; top: 0; background: var(--card); z-index: 1; }
thead th:first-child { z-index: 2; }
tr.first td { border-top: 1px solid var(--muted); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; font-size: 13px; }
dt { font-weight: 600; } dd { margin: 0; color: var(--muted); }
@media (max-width: 640px) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 8px; } }
footer { margin-top: 40px; font-size: 12.5px; color: var(--muted); }
`;
