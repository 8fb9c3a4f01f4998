/**
 * Draws a CPU profile as a flame graph: `node dist/test/bench/flame.js FILE.cpuprofile OUT.svg|OUT.html [--title TEXT]
 * [--least PERCENT]`. The graph leaves out frames with less than `--least` of the busy time [0.3], calls inside one
 * module, and frames that only call a function of their own folder.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { Profile } from './cpuprofile.js';
import { flameSvg } from './flame-svg.js';
import { collapse, flameTree } from './flame-tree.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { title: { type: 'string' }, least: { type: 'string', default: '0.3' } },
});
const [from, to] = positionals;
const least = Number(values.least) / 100;
if (from === undefined || to === undefined || !(least >= 0 && least < 1)) {
  process.stderr.write('usage: flame.js FILE.cpuprofile OUT.svg|OUT.html [--title TEXT] [--least PERCENT]\n');
  process.exit(2);
}
const tree = collapse(flameTree(JSON.parse(readFileSync(from, 'utf8')) as Profile), least);
const svg = flameSvg(tree, values.title ?? basename(from, '.cpuprofile'));
writeFileSync(to, to.endsWith('.html') ? `<!doctype html>\n<meta charset="utf-8">\n${svg}` : svg);
