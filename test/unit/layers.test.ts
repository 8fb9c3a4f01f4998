import { readFileSync } from 'node:fs';
import t from 'tap';
import { ONLY_FOLDER_BY_RESTRICTED_IMPORT, SOURCE_WING_RULES } from '#app/reference';
import { circles, SourceTree } from '../support/imports.js';

const tree = new SourceTree('src', 'actors');
const imports = tree.imports();

const wingOf = (file: string): string => (file.startsWith('actors/') ? 'actors' : file.split('/')[1]!);

/** A folder with a door, which the rest of the tree imports. */
const roomOf = (file: string): string =>
  /^(?:src\/(?:app|frontend|domain|ports)\/[^/]+|src\/(?:model|base)\/[^/]+(?=\/)|src\/[^/]+|actors\/[^/]+)(?=\/)/.exec(
    file,
  )?.[0] ?? '';

const kindOf = (file: string): string | undefined => /^actors\/([^/]+)\//.exec(file)?.[1];

t.test('imports follow the directions of the wings', async (t) => {
  const wrong = imports.flatMap(({ from, names, to }) =>
    to
      .filter((file) => {
        const [own, other] = [wingOf(from), wingOf(file)];
        if (own === other || from === 'src/main.ts') return false;
        const only = ONLY_FOLDER_BY_RESTRICTED_IMPORT[`${own} → ${other}`];
        return !SOURCE_WING_RULES[own]?.imports.includes(other) || (only !== undefined && !from.startsWith(`${only}/`));
      })
      .map((file) => `${from} → ${file} (${names.join(', ')})`),
  );
  t.ok(imports.length > 1000);
  t.strictSame(wrong, []);
});

t.test('no files import each other in a circle, not even for types', async (t) => {
  t.strictSame(circles(imports), []);
});

t.test('no kind of actor imports another', async (t) => {
  const wrong = imports.flatMap(({ from, to }) =>
    to
      .filter((file) => kindOf(from) !== undefined && kindOf(file) !== undefined)
      .filter((file) => kindOf(file) !== 'shared' && kindOf(file) !== kindOf(from))
      .map((file) => `${from} → ${file}`),
  );
  t.strictSame(wrong, []);
});

t.test('other folders are imported by their door', async (t) => {
  const wrong = imports
    .filter(({ from, specifier }) => {
      const target = tree.resolve(from, specifier)!;
      return !specifier.startsWith('#') && roomOf(target) !== roomOf(from) && roomOf(target) !== '';
    })
    .map(({ from, specifier }) => `${from} → ${specifier}`);
  t.strictSame(wrong, []);
});

t.test('no module augments the types of another', async (t) => {
  t.strictSame(
    [...tree.modules].filter(([, { augments }]) => augments).map(([file]) => file),
    [],
  );
});

t.test('only app names implementations of ports', async (t) => {
  const implementation = /^src\/ports\/(store|log|bus|blobs|placement)\/\1-/;
  const wrong = imports.flatMap(({ from, to, names }) =>
    to
      .filter((file) => implementation.test(file) && !['app', 'ports'].includes(wingOf(from)))
      .map((file) => `${from} → ${file} (${names.join(', ')})`),
  );
  t.strictSame(wrong, []);
});

t.test('a type name is exported once in a wing', async (t) => {
  const seen = new Map<string, string[]>();
  for (const [file, { types }] of tree.modules) {
    const wing = kindOf(file) ?? wingOf(file);
    for (const name of types) {
      const key = `${wing}: ${name}`;
      seen.set(key, [...(seen.get(key) ?? []), file]);
    }
  }
  t.strictSame(
    [...seen].filter(([, files]) => files.length > 1).map(([key, files]) => `${key} in ${files.join(', ')}`),
    [],
  );
});

t.test('a file imports a module in one statement', async (t) => {
  const wrong = [...tree.modules].flatMap(([file, { statements }]) => {
    const specifiers = statements
      .filter(({ reexport, inline, names }) => !reexport && !inline && names.size > 0)
      .map(({ specifier }) => specifier);
    return specifiers.filter((one, i) => specifiers.indexOf(one) !== i).map((one) => `${file}: ${one}`);
  });
  t.strictSame(wrong, []);
});

t.test(
  'operations end in Operation and handlers of commands in Handler, so that a bare name tells which it is',
  async (t) => {
    const declared = /^export const (\w+)(?:: \w*Command<| = defineOperation\()/gm;
    const wrong = [...tree.modules.keys()].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(declared)]
        .map(([text, name = '']) => ({ name, suffix: text.includes('defineOperation') ? 'Operation' : 'Handler' }))
        .filter(({ name, suffix }) => !name.endsWith(suffix))
        .map(({ name }) => `${file}: ${name}`),
    );
    t.strictSame(wrong, []);
  },
);
