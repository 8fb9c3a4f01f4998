/**
 * Contents of a heap snapshot as text: self size and number of objects by type and constructor. `node
 * dist/test/bench/heap-types.js AFTER [BEFORE] [--per N] [--top N]` prints the difference to the snapshot BEFORE, and
 * divides all figures by `--per`, the number of measured objects.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly (readonly string[])[] };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

interface TypeSum {
  bytes: number;
  count: number;
}

function sumByType(path: string): Map<string, TypeSum> {
  const { snapshot, nodes, strings } = JSON.parse(readFileSync(path, 'utf8')) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const at = (name: string): number => fields.indexOf(name);
  const [type, name, size] = [at('type'), at('name'), at('self_size')];
  const found = new Map<string, TypeSum>();
  for (let i = 0; i < nodes.length; i += fields.length) {
    const kind = types[0]![nodes[i + type]!]!;
    const plain = ['object', 'native', 'closure', 'code', 'hidden', 'object shape'].includes(kind);
    const key = plain ? `${kind} ${strings[nodes[i + name]!]!.slice(0, 60)}` : kind;
    const sum = found.get(key) ?? { bytes: 0, count: 0 };
    sum.bytes += nodes[i + size]!;
    sum.count++;
    found.set(key, sum);
  }
  return found;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { per: { type: 'string', default: '1' }, top: { type: 'string', default: '40' } },
});
const [after, before] = positionals;
if (after === undefined) {
  process.stderr.write('usage: heap-types.js AFTER.heapsnapshot [BEFORE.heapsnapshot] [--per N] [--top N]\n');
  process.exit(2);
}
const per = Number(values.per);
const found = sumByType(after);
for (const [key, { bytes, count }] of before === undefined ? [] : sumByType(before)) {
  const sum = found.get(key) ?? { bytes: 0, count: 0 };
  found.set(key, { bytes: sum.bytes - bytes, count: sum.count - count });
}
const all = [...found].sort(([, a], [, b]) => b.bytes - a.bytes);
const line = (name: string, { bytes, count }: TypeSum): string =>
  `${(bytes / per).toFixed(1).padStart(12)} B ${(count / per).toFixed(2).padStart(10)} x  ${name}\n`;
process.stdout.write(
  line(
    '(all)',
    all.reduce((sum, [, one]) => ({ bytes: sum.bytes + one.bytes, count: sum.count + one.count }), {
      bytes: 0,
      count: 0,
    }),
  ),
);
for (const [name, sum] of all.slice(0, Number(values.top))) process.stdout.write(line(name, sum));
