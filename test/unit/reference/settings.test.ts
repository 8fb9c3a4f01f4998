/** docs/settings.md has a row for each setting, in the order of its table, with a test that exists. */
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { REALM_SETTING_NAMES, USER_SETTING_NAMES } from '#model';

const page = readFileSync('docs/settings.md', 'utf8');
const ROW = /^\| `(\w+)` \| (.+) \| `(\S+)` \|$/gm;

const rowsOf = (heading: string) => {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(ROW)].map(([, name = '', effect = '', test = '']) => ({ name, effect, test }));
};

const names = (heading: string): string[] => rowsOf(heading).map(({ name }) => name);

t.test('each setting has a row', async (t) => {
  t.strictSame(names('Users'), [...USER_SETTING_NAMES]);
  t.strictSame(names('Organizations').sort(), [...REALM_SETTING_NAMES].sort());
  t.ok(names('Subscriptions and topics').length > 0);
});

t.test('each row names a test that exists', async (t) => {
  for (const heading of ['Users', 'Subscriptions and topics', 'Organizations']) {
    for (const { name, test } of rowsOf(heading)) t.ok(existsSync(test), `${name}: ${test}`);
  }
});
