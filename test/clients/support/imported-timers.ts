/** Test for both faces: timers of an imported organization fire in processes that ran before the import. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeExportedOrganization } from '../../support/exported-organization.js';
import { Api, type Message } from './api.js';
import { until } from './wait.js';

/** Content of the scheduled message in the generated export. */
const SCHEDULED = 'for later';
/** Content of one whose time passed before the import. */
const PAST = 'for earlier';
/** Time until the message is due, s: longer than the command takes to begin the import. */
const SECONDS_UNTIL_SENT = 15;
const NEWEST = { anchor: 'newest', num_before: 100, num_after: 0, apply_markdown: false };

interface Scheduled {
  readonly content: string;
  readonly failed: boolean;
}

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
  const soon = Math.ceil(Date.now() / 1000) + SECONDS_UNTIL_SENT;
  realm.zerver_scheduledmessage = realm.zerver_scheduledmessage.flatMap((row) => [
    { ...row, scheduled_timestamp: soon },
    { ...row, id: 99_999, content: PAST, scheduled_timestamp: 5 },
  ]);
  writeFileSync(tables, JSON.stringify(realm));
  const report = await run('import', from, '--subdomain', 'scheduled', '--no-invitations');
  test.match(report, / 1 {2}sending of a scheduled message whose time has passed/);
  const { email } = made.users[0]!;
  const sender = new Api(site, { email, key: await run('user', 'key', '--email', email, '--realm', 'scheduled') });
  const sentTexts = async (): Promise<string[]> => {
    const { status, body } = await sender.call('GET', '/messages', NEWEST);
    return status === 200 ? (body.messages as Message[]).map(({ content }) => content) : [];
  };
  await until('the scheduled message has been sent', async () => (await sentTexts()).includes(SCHEDULED));
  test.pass('the scheduled message is sent without a restart');
  test.notOk((await sentTexts()).includes(PAST), 'a message whose time has passed is not sent');
  const { scheduled_messages } = (await sender.ok('GET', '/scheduled_messages')) as { scheduled_messages: Scheduled[] };
  test.strictSame(
    scheduled_messages.map(({ content, failed }) => [content, failed]),
    [[PAST, true]],
    'its author finds it as one that failed',
  );
}
