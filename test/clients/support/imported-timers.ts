/** Test for both faces: timers of an imported organization fire in processes that ran before the import. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeExportedOrganization } from '../../support/exported-organization.js';
import { Api, type Message } from './api.js';
import { until } from './wait.js';

/** Content of the scheduled message in the generated export. */
const SCHEDULED = 'for later';
const NEWEST = { anchor: 'newest', num_before: 100, num_after: 0, apply_markdown: false };

/**
 * @param run runs a command of the program's command line
 * @param site address of the server
 */
export async function checkImportedTimers(
  test: Test,
  base: string,
  site: string,
  run: (...words: string[]) => Promise<string>,
): Promise<void> {
  const from = join(base, 'scheduled');
  const made = makeExportedOrganization(from, { people: 5, streams: 2, messages: 20, seed: 4 });
  const tables = join(from, 'realm.json');
  const realm = JSON.parse(readFileSync(tables, 'utf8')) as { zerver_scheduledmessage: object[] };
  realm.zerver_scheduledmessage = realm.zerver_scheduledmessage.map((row) => ({ ...row, scheduled_timestamp: 5 }));
  writeFileSync(tables, JSON.stringify(realm));
  await run('import', from, '--subdomain', 'scheduled', '--no-invitations');
  const { email } = made.users[0]!;
  const sender = new Api(site, { email, key: await run('user', 'key', '--email', email, '--realm', 'scheduled') });
  const isSent = async (): Promise<boolean> => {
    const { status, body } = await sender.call('GET', '/messages', NEWEST);
    return status === 200 && (body.messages as Message[]).some(({ content }) => content === SCHEDULED);
  };
  await until('the scheduled message of the past has been sent', isSent);
  test.pass('the scheduled message is sent without a restart');
}
