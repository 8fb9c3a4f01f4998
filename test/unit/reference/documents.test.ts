import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';
import {
  renderGeneratedDocumentsByFile,
  renderWebContractFromWireJson,
  WEB_CONTRACT_TYPES_FILE_PATH,
  WIRE_FORMAT_FILE_PATH,
  withCurrentMetricsTable,
} from '#app/reference';

for (const [name, text] of renderGeneratedDocumentsByFile()) {
  t.test(`docs/${name} is the output of \`npm run docs\``, async (t) => {
    t.equal(await readFile(`docs/${name}`, 'utf8'), text);
  });
}

t.test('docs/logs-and-metrics.md has the table of the declared metrics', async (t) => {
  const text = await readFile('docs/logs-and-metrics.md', 'utf8');
  t.equal(text, withCurrentMetricsTable(text));
});

t.test('the types of the web client are the output of `npm run docs`', async (t) => {
  t.equal(
    await readFile(WEB_CONTRACT_TYPES_FILE_PATH, 'utf8'),
    renderWebContractFromWireJson(await readFile(WIRE_FORMAT_FILE_PATH, 'utf8')),
  );
});

t.test('docs/dependencies.md gives a reason for every package', async (t) => {
  const about = await readFile('docs/dependencies.md', 'utf8');
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  // Whole words: `diff` is in 'different', too.
  const missing = names.filter((name) => !new RegExp(`(^\\||[ \`])${name}[ ,\`]`, 'm').test(about));
  t.strictSame(missing, []);
});

t.test('the README names every folder and page', async (t) => {
  const readme = await readFile('README.md', 'utf8');
  const folders = (await readdir('src', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  t.ok(folders.length > 0);
  t.strictSame(
    folders.map(({ name }) => name).filter((name) => !new RegExp(`[ /]${name}/[ \`]`).test(readme)),
    [],
  );
});
