/** Conversion of a Slack export to the format of exports. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { convertSlackExportToFolder } from '#app/exchange';

t.test('a refused conversion leaves no file open', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'conclave-slack-'));
  t.teardown(() => rmSync(base, { recursive: true }));
  const target = join(base, 'converted');
  const channel = { created: 1, members: ['U1'] };
  const files = {
    'users.json': [{ id: 'U1', name: 'ada', profile: { email: 'ada@example.com' } }],
    'channels.json': [
      { ...channel, id: 'C1', name: 'general' },
      { ...channel, id: 'C2', name: 'general' },
    ],
  };
  mkdirSync(join(base, 'general'));
  for (const [name, rows] of Object.entries(files)) writeFileSync(join(base, name), JSON.stringify(rows));
  await t.rejects(convertSlackExportToFolder(base, target), /two conversations have the folder/);
  t.ok(readdirSync(target).length > 0, 'tables were begun');
  t.same(openFilesIn(target), []);
});

function openFilesIn(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', fd));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The listing's own descriptor.
      return [];
    }
  });
}
