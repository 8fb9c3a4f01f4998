/** Test for both faces: timers of an imported organization fire in processes that ran before the import. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeExportedOrganization } from '../../support/exported-organization.js';
import { until } from './wait.js';

/** Content of the scheduled message in the generated export. */
const SCHEDULED = 'for later';

/** @param run runs a command of the program's command line */
export async function checkImportedTimers(
  test: Test,
  base: string,
  run: (...words: string[]) => Promise<string>,
): Promise<void> {
  const from = join(base, 'scheduled');
  makeExportedOrganization(from, { people: 5, streams: 2, messages: 20, seed: 4 });
  const tables = join(from, 'realm.json');
  const realm = JSON.parse(readFileSync(tables, 'utf8')) as { zerver_scheduledmessage: object[] };
  realm.zerver_scheduledmessage = realm.zerver_scheduledmessage.map((row) => ({ ...row, scheduled_timestamp: 5 }));
  writeFileSync(tables, JSON.stringify(realm));
  await run('import', from, '--subdomain', 'scheduled', '--no-invitations');
  let exports = 0;
  const isSent = async (): Promise<boolean> => {
    const to = join(base, `scheduled-${++exports}`);
    await run('export', to, '--subdomain', 'scheduled');
    const files = readdirSync(to).filter((name) => name.startsWith('messages-'));
    return files.some((name) => readFileSync(join(to, name), 'utf8').includes(SCHEDULED));
  };
  await until('the scheduled message of the past has been sent', isSent);
  test.pass('the scheduled message is sent without a restart');
}
