/** Fingerprint of an export: another export does not continue an unfinished import. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ExportFolder } from '../../../src/app/exchange/format/folder.js';
import { fingerprintExport } from '../../../src/app/exchange/import/fingerprint.js';
import { makeExportedOrganization } from '../../support/exported-organization.js';

t.test('exports that differ in their messages or files alone have different fingerprints', async (test) => {
  const base = test.testdir();
  const made = join(base, 'made');
  makeExportedOrganization(made, { people: 5, streams: 2, messages: 40, seed: 4 });
  const fingerprintOfCopy = (name: string, file: string, change: (text: string) => string): Promise<string> => {
    const copy = join(base, name);
    cpSync(made, copy, { recursive: true });
    writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')));
    return fingerprintExport(new ExportFolder(copy));
  };
  const original = await fingerprintExport(new ExportFolder(made));
  test.equal(await fingerprintOfCopy('equal', 'realm.json', (text) => text), original, 'a copy has the same one');
  const changes: readonly (readonly [string, (text: string) => string])[] = [
    ['messages-000001.json', (text) => text.replace(/"content":"./, '"content":"é')],
    ['messages-000001.json', (text) => `${text} `],
    ['attachment.json', (text) => `${text} `],
    ['uploads/records.json', (text) => `${text} `],
    ['realm.json', (text) => `${text} `],
  ];
  const fingerprints = await Promise.all(
    changes.map(([file, change], i) => fingerprintOfCopy(`changed-${i}`, file, change)),
  );
  test.equal(new Set([original, ...fingerprints]).size, changes.length + 1);
});
