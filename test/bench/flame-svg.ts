/** A flame graph as an SVG that needs no scripts: callers below, callees above, width is time. */
import { GROUPS, groupOf } from './flame-groups.js';
import type { Frame } from './flame-tree.js';

const WIDTH = 1_200;
const ROW = 16;
const CHARACTER = 6.2;
const HEAD = 44;

const letter = (group: number): string => String.fromCharCode(97 + group);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const px = (n: number): string => String(Math.round(n));

interface Row {
  readonly parts: string[];
}

/** @param tree collapsed already */
export function flameSvg(tree: Frame, title: string): string {
  const rows: Row[] = [];
  const scale = WIDTH / Math.max(1, tree.time);
  const draw = (frame: Frame, depth: number, x: number): void => {
    rows[depth] ??= { parts: [] };
    const width = frame.time * scale;
    const share = `${((100 * frame.time) / tree.time).toFixed(1)}%`;
    const about = escaped([frame.name, frame.place, share].filter((text) => text !== '').join(' '));
    const { parts } = rows[depth];
    const group = depth === 0 ? '' : ` class="${letter(groupOf(frame))}"`;
    parts.push(`<rect${group} x="${px(x)}" width="${px(Math.max(1, width - 1))}"><title>${about}</title></rect>`);
    const fits = Math.floor((width - 4) / CHARACTER);
    if (fits >= 3) {
      const text = frame.name.length <= fits ? frame.name : `${frame.name.slice(0, fits - 1)}…`;
      parts.push(`<text x="${px(x + 2)}">${escaped(text)}</text>`);
    }
    let at = x;
    for (const callee of frame.children) {
      draw(callee, depth + 1, at);
      at += callee.time * scale;
    }
  };
  draw(tree, 0, 0);
  const height = HEAD + rows.length * ROW;
  const lines = rows.map(
    ({ parts }, depth) => `<g transform="translate(0 ${height - (depth + 1) * ROW})">${parts.join('')}</g>`,
  );
  const used = new Set<number>();
  const note = (frame: Frame): void => {
    used.add(groupOf(frame));
    frame.children.forEach(note);
  };
  tree.children.forEach(note);
  let at = 4;
  const legend = [...used]
    .sort((a, b) => a - b)
    .map((group) => {
      const { label } = GROUPS[group]!;
      const from = at;
      at += 20 + label.length * CHARACTER;
      return `<rect class="${letter(group)}" x="${px(from)}" width="10"/><text x="${px(from + 13)}">${label}</text>`;
    });
  const colours = [...used].map((group) => `.${letter(group)}{fill:${GROUPS[group]!.colour}}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<style>rect{height:15px;fill:#eee}text{pointer-events:none;transform:translateY(11px)}${colours.join('')}</style>`,
    `<path fill="#fff" d="M0 0h${WIDTH}v${height}H0z"/>`,
    `<text x="4" y="3" font-size="13">${escaped(title)}</text>`,
    `<g transform="translate(0 22)">${legend.join('')}</g>`,
    ...lines,
    '</svg>\n',
  ].join('\n');
}
