/** A dry run of an import: damaged rows are named or left out, as an import does. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type OrganizationImportReport, runOrganizationImportOrDryRun } from '#app/exchange';
import type { JsonObject } from '#base';
import { productEmojiForm } from '#domain/emoji';
import { ServerCryptography } from '#domain/secrets';
import { makeExportedOrganization } from '../../support/exported-organization.js';

const SIZE = { people: 6, streams: 2, messages: 30, seed: 3 };
const MESSAGE_FILE = 'messages-000001.json';

type Tables = Record<string, Record<string, JsonObject[string]>[]>;

const checkFolder = (folder: string, passwords: ReadonlyMap<string, string> = new Map()) =>
  runOrganizationImportOrDryRun({
    folder,
    workFolder: join(folder, '..'),
    subdomain: 'one',
    origin: 'http://one.chat.example',
    secrets: new ServerCryptography('a secret of the dry run'),
    extraEmoji: productEmojiForm('conclave'),
    imageProxyKey: '',
    passwords,
    isInviting: true,
    target: undefined,
  });

/** Checks a generated export after a change of its tables. */
async function checkChanged(
  test: Test,
  change: (realm: Tables, messages: Tables) => void,
  passwords?: ReadonlyMap<string, string>,
): Promise<OrganizationImportReport> {
  const base = mkdtempSync(join(tmpdir(), 'conclave-dry-run-'));
  test.teardown(() => rmSync(base, { recursive: true }));
  const folder = join(base, 'export');
  makeExportedOrganization(folder, SIZE);
  const [realm, messages] = ['realm.json', MESSAGE_FILE].map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Tables,
  );
  change(realm!, messages!);
  writeFileSync(join(folder, 'realm.json'), JSON.stringify(realm));
  writeFileSync(join(folder, MESSAGE_FILE), JSON.stringify(messages));
  return checkFolder(folder, passwords);
}

const first = (tables: Tables, name: string): Record<string, JsonObject[string]> => tables[name]![0]!;

t.test('an error names the row, the column and the missing id, and the file of a message', async (test) => {
  const damages: readonly (readonly [table: string, column: string, kind: string])[] = [
    ['zerver_userprofile', 'bot_owner', 'user'],
    ['zerver_usergroupmembership', 'user_profile', 'user'],
    ['zerver_subscription', 'user_profile', 'user'],
    ['zerver_usertopic', 'stream', 'stream'],
    ['zerver_message', 'sender', 'user'],
    ['zerver_usermessage', 'user_profile', 'user'],
  ];
  for (const [table, column, kind] of damages) {
    let id: unknown;
    const checked = checkChanged(test, (realm, messages) => {
      const rows = messages[table] ?? realm[table]!;
      const damaged = rows.at(-1)!;
      damaged[column] = 77_777;
      if (column === 'bot_owner') damaged.is_bot = true;
      id = damaged.id;
    });
    const place = table.endsWith('message') ? `${MESSAGE_FILE}: ${table}` : table;
    const message = await checked.then(
      () => 'none',
      (error: Error) => error.message,
    );
    test.equal(message, `${place}, row ${id}: ${column}: there is no ${kind} with id 77777`);
  }
});

t.test('an error about a row of a file of messages names the file', async (test) => {
  const changed = checkChanged(test, (_, messages) => {
    first(messages, 'zerver_message').date_sent = 'yesterday';
  });
  await test.rejects(changed, { message: /^messages-000001\.json: zerver_message, row \d+: date_sent is "yesterday"/ });
});

t.test('an edit history that is damaged is left out and counted, in a dry run too', async (test) => {
  const damages = ['not json', '{}', 'null', '[1]', '[{"timestamp":"x"}]', 7];
  const { leftOut, counts } = await checkChanged(test, (_, { zerver_message: rows }) => {
    for (const [i, damage] of damages.entries()) rows![i]!.edit_history = damage;
  });
  test.equal(leftOut.get('edit history that is damaged'), damages.length);
  test.equal(counts.get('messages'), SIZE.messages);
});

t.test('a dry run reads the columns that only an import needs', async (test) => {
  const changed = checkChanged(test, (_, messages) => {
    first(messages, 'zerver_message').sending_client = 'browser';
  });
  await test.rejects(changed, { message: /zerver_message, row \d+: sending_client is "browser"/ });
});

t.test('a first password for a bot is one for no person', async (test) => {
  const passwords = new Map<string, string>();
  const { leftOut } = await checkChanged(
    test,
    ({ zerver_userprofile: users }) => {
      users![2]!.is_bot = true;
      for (const user of users!.slice(1, 3)) passwords.set(String(user.delivery_email), 'rope-anchor-18-mast');
    },
    passwords,
  );
  test.equal(leftOut.get('password for an address that no person has'), 1);
});

t.test('a domain of an address outside ASCII is written in punycode', async (test) => {
  const passwords = new Map([['jorg@xn--bcher-kva.example', 'rope-anchor-18-mast']]);
  const changed = (email: string) =>
    checkChanged(
      test,
      ({ zerver_userprofile: users }) => Object.assign(users![1]!, { delivery_email: email }),
      passwords,
    );
  const { leftOut } = await changed('jorg@bücher.example');
  test.equal(leftOut.get('domain of an address outside ASCII: now in punycode'), 1);
  test.notOk(leftOut.has('password for an address that no person has'), 'the account has the address in punycode');
  await test.rejects(changed('jörg@bücher.example'), {
    message: /"jörg@bücher\.example" is no address: addresses have ASCII characters only before the @; change it there/,
  });
});

t.test('the error about a folder that is no export names the files of both kinds', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-no-export-'));
  test.teardown(() => rmSync(folder, { recursive: true }));
  await test.rejects(checkFolder(folder), {
    message: 'there is no realm.json, and no channels.json as in exports of Slack: this is no export',
  });
});

t.test('a domain of addresses that is no domain is left out and counted', async (test) => {
  const { leftOut, counts } = await checkChanged(test, (realm) => {
    realm.zerver_realmdomain = ['not a domain', '', 'tide', 'Bücher.example'].map((domain, i) => ({
      id: i + 1,
      domain,
    }));
  });
  test.equal(leftOut.get('domain of addresses that is no domain'), 3);
  test.equal(counts.get('domains'), 1);
});
