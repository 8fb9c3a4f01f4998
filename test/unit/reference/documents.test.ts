import { readFile } from 'node:fs/promises';
import t from 'tap';
import { documents } from '../../../src/reference/documents.js';

for (const [name, text] of documents()) {
  t.test(`docs/${name} is what \`npm run docs\` makes`, async (t) => {
    t.equal(await readFile(`docs/${name}`, 'utf8'), text);
  });
}
