/** A flame graph as an SVG that needs no scripts: callers below, callees above, width is time. */
import { GROUPS, groupOf } from './flame-groups.js';
import type { Frame } from './flame-tree.js';

const WIDTH = 1_200;
const ROW_HEIGHT = 16;
const CHARACTER_WIDTH = 6.2;
const HEADER_HEIGHT = 44;

const classOfGroup = (group: number): string => String.fromCharCode(97 + group);

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const formatPixels = (n: number): string => String(Math.round(n));

interface SvgRow {
  readonly parts: string[];
}

/** @param tree result of `collapse` */
export function flameSvg(tree: Frame, title: string): string {
  const rows: SvgRow[] = [];
  const scale = WIDTH / Math.max(1, tree.time);
  const draw = (frame: Frame, depth: number, x: number): void => {
    rows[depth] ??= { parts: [] };
    const width = frame.time * scale;
    const share = `${((100 * frame.time) / tree.time).toFixed(1)}%`;
    const about = escapeXml([frame.name, frame.place, share].filter((text) => text !== '').join(' '));
    const { parts } = rows[depth];
    const group = depth === 0 ? '' : ` class="${classOfGroup(groupOf(frame))}"`;
    parts.push(
      `<rect${group} x="${formatPixels(x)}" width="${formatPixels(Math.max(1, width - 1))}"><title>${about}</title></rect>`,
    );
    const maxCharacters = Math.floor((width - 4) / CHARACTER_WIDTH);
    if (maxCharacters >= 3) {
      const text = frame.name.length <= maxCharacters ? frame.name : `${frame.name.slice(0, maxCharacters - 1)}…`;
      parts.push(`<text x="${formatPixels(x + 2)}">${escapeXml(text)}</text>`);
    }
    let at = x;
    for (const callee of frame.children) {
      draw(callee, depth + 1, at);
      at += callee.time * scale;
    }
  };
  draw(tree, 0, 0);
  const height = HEADER_HEIGHT + rows.length * ROW_HEIGHT;
  const lines = rows.map(
    ({ parts }, depth) => `<g transform="translate(0 ${height - (depth + 1) * ROW_HEIGHT})">${parts.join('')}</g>`,
  );
  const usedGroups = new Set<number>();
  const collectGroups = (frame: Frame): void => {
    usedGroups.add(groupOf(frame));
    frame.children.forEach(collectGroups);
  };
  tree.children.forEach(collectGroups);
  let at = 4;
  const legend = [...usedGroups]
    .sort((a, b) => a - b)
    .map((group) => {
      const { label } = GROUPS[group]!;
      const from = at;
      at += 20 + label.length * CHARACTER_WIDTH;
      return `<rect class="${classOfGroup(group)}" x="${formatPixels(from)}" width="10"/><text x="${formatPixels(from + 13)}">${label}</text>`;
    });
  const colours = [...usedGroups].map((group) => `.${classOfGroup(group)}{fill:${GROUPS[group]!.colour}}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<style>rect{height:15px;fill:#eee}text{pointer-events:none;transform:translateY(11px)}${colours.join('')}</style>`,
    `<path fill="#fff" d="M0 0h${WIDTH}v${height}H0z"/>`,
    `<text x="4" y="3" font-size="13">${escapeXml(title)}</text>`,
    `<g transform="translate(0 22)">${legend.join('')}</g>`,
    ...lines,
    '</svg>\n',
  ].join('\n');
}
