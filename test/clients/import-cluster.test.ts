/**
 * Cluster face: imports beside running processes, also killed, repeated and concurrent ones, give equal organizations.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { mailActorKey, toRealmId } from '#model';
import { makeExportedOrganization } from '../support/exported-organization.js';
import { rounds } from '../support/rounds.js';
import { startSmtp } from '../support/smtp.js';
import { Cluster } from './support/face.js';
import { remove, temporary } from './support/folders.js';
import { checkImportedTimers } from './support/imported-timers.js';
import { checkInvitations } from './support/invitations.js';
import { services } from './support/missing.js';
import { bounded } from './support/process.js';
import { HANG_TIMEOUT_MS } from './support/wait.js';

/** Files of an export, without the random parts of paths and the name of the organization. */
function contentsOf(exported: string): Record<string, string> {
  const names = readdirSync(exported).filter((name) => name.endsWith('.json'));
  const plain = (name: string): string =>
    readFileSync(join(exported, name), 'utf8')
      .replace(/\d+\/[0-9a-f]{1,2}\/[0-9A-Za-z]{24}\//g, 'PATH/')
      .replace(/"string_id":"\w+"/g, '"string_id":"…"');
  return Object.fromEntries(names.sort().map((name) => [name, plain(name)]));
}

const NO_INVITATIONS = '--no-invitations';

const cluster = services();
if (cluster) {
  // One cluster for both tests: its processes take more CPU to start than an import takes.
  const smtp = await startSmtp();
  t.teardown(() => smtp.away());
  const mail = ['--smtp-url', smtp.url, '--mail-from', 'noreply@example.com'];
  const face = await Cluster.start({ ...cluster, options: mail }, 2, []);
  t.teardown(() => face.stop());

  t.test(
    'an organization is imported into a running cluster and exported again',
    { timeout: 180_000 },
    async (test) => {
      const base = temporary('import-cluster');
      test.teardown(() => remove(base));
      const made = makeExportedOrganization(join(base, 'made'), {
        people: 12,
        streams: 4,
        messages: rounds(300, 1_200),
        seed: 21,
      });
      const importAs = (subdomain: string, from: string): readonly string[] => [
        ...['import', join(base, from), '--subdomain', subdomain, NO_INVITATIONS],
      ];
      const report = await face.command(...importAs('one', 'made'));
      test.match(report, `${made.messages.length}  messages`);
      await face.command('export', join(base, 'once'), '--subdomain', 'one');
      await face.command(...importAs('two', 'once'));
      await face.command('export', join(base, 'twice'), '--subdomain', 'two');
      test.strictSame(contentsOf(join(base, 'twice')), contentsOf(join(base, 'once')));
      await test.rejects(
        face.command(...importAs('two', 'once')),
        /an organization with the subdomain 'two' exists already/,
      );
      const rivals = await Promise.all(
        [0, 1].map(() => bounded(face.process(...importAs('three', 'once')), HANG_TIMEOUT_MS)),
      );
      const [first, second] = rivals.sort((a, b) => Number(a.code) - Number(b.code));
      test.equal(first!.code, 0, first!.stderr);
      test.equal(second!.code, 1, 'one of two concurrent imports is refused');
      test.match(second!.stderr, /an import to 'three' is under way on|the subdomain 'three' exists already/);
      await face.command('export', join(base, 'third'), '--subdomain', 'three');
      test.strictSame(
        contentsOf(join(base, 'third')),
        contentsOf(join(base, 'once')),
        'a concurrent import does not change the result',
      );
      test.ok(await face.api(0).send('general', 'the organization beside it is served'));
      await checkImportedTimers(test, base, face.site(0), (...words) => face.command(...words));
    },
  );

  t.test('each imported user gets one mail with a link that sets a password', { timeout: 180_000 }, async (test) => {
    const base = temporary('import-invitations');
    test.teardown(() => remove(base));
    await checkInvitations(test, {
      base,
      smtp,
      site: face.site(0),
      run: (...words) => face.command(...words),
      restart: async () => {
        const realms = (await face.command('realm', 'list')).split('\n');
        const realm = toRealmId(Number(realms.find((line) => line.includes('team'))!.split('\t')[0]));
        const killed = await face.hostOf(mailActorKey(realm));
        await killed.kill();
        await face.owned(face.hosts.filter((host) => host !== killed));
      },
    });
  });
}
