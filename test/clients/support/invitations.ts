/** Test for both faces: after an import each user without a password gets one mail with a link that sets one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeExportedOrganization } from '../../support/exported-organization.js';
import type { ReceivedMail, TestSmtp } from '../../support/smtp.js';
import { OTHER } from './face.js';
import { until } from './wait.js';

/** Site address in the mails. Links work at any address of the server, since their tokens name the organization. */
const SITE = 'http://team.example';
const PASSWORD = 'anchor lamp harbour 77';

interface InvitingServer {
  readonly base: string;
  readonly smtp: TestSmtp;
  readonly site: string;
  /** Runs a command of the program's command line. */
  run(...words: string[]): Promise<string>;
  /** Kills the process that sends the organization's mails and starts a new one. */
  restart(): Promise<void>;
}

export async function checkInvitations(test: Test, { base, smtp, site, run, restart }: InvitingServer): Promise<void> {
  const made = makeExportedOrganization(join(base, 'invited'), { people: 14, streams: 2, messages: 40, seed: 9 });
  const [first] = made.users;
  writeFileSync(join(base, 'passwords'), `${first!.email} ${PASSWORD}\n`);
  smtp.received.length = 0;
  const report = await run(
    ...['import', join(base, 'invited'), '--subdomain', 'team', '--site', SITE],
    ...['--passwords', join(base, 'passwords')],
  );
  const expected = made.users.filter(({ active, id }) => active && id !== first!.id).map(({ email }) => email);
  test.match(report, `${expected.length}  invitations by mail`);
  await restart();
  // The welcome mail to the server's second user may arrive this late; it is not part of the import.
  const ofImport = (): ReceivedMail[] => smtp.received.filter(({ to }) => to[0] !== OTHER);
  // A mail sent just before the kill can arrive twice, but with one message id.
  const mails = (): ReceivedMail[] => [
    ...new Map(ofImport().map((mail) => [/^Message-ID: (.*)$/im.exec(mail.raw)![1]!, mail])).values(),
  ];
  await until('each invited user has a mail', () => mails().length >= expected.length);
  await run('import', join(base, 'invited'), '--subdomain', 'other', '--site', SITE, '--no-invitations');
  const receivers = mails()
    .map(({ to }) => to[0]!)
    .sort();
  test.strictSame(
    receivers,
    expected.sort(),
    'one mail per user without a password; none to users with one or after --no-invitations',
  );

  const [{ raw }] = mails() as [ReceivedMail];
  const text = raw.replace(/=\r\n/g, '').replace(/=3D/g, '=');
  const path = new URL(/http:\S+\/accounts\/password\/reset\/\S+/.exec(text)![0]).pathname;
  const form = (fields: Record<string, string>): RequestInit => ({
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  const set = await fetch(`${site}${path}`, form({ password: PASSWORD }));
  test.equal(set.status, 200, await set.text());
  const again = await fetch(`${site}${path}`, form({ password: PASSWORD }));
  test.not(again.status, 200, 'the link works only once');
}
