/** Rules of sessions and one-time links. */
import t from 'tap';
import {
  hashSessionToken,
  hashSignInLinkToken,
  isSessionUnexpired,
  makeSessionToken,
  makeSignInLinkToken,
  ServerCryptography,
  withoutEndedSessions,
  withoutSpentSignInLink,
  withSessionAdded,
  withSessionUseRecorded,
  withSignInLinkAdded,
} from '#domain/secrets';
import { toRealmId, toUserId } from '#model';
import type { AccountSessions } from '#model/records';

const DAY = 86_400_000;
const NONE: AccountSessions = { user: toUserId(8), last: 0, sessions: [], links: [], endedAt: 0 };

const hashes = ({ sessions }: AccountSessions): string[] => sessions.map(({ hash }) => hash);
const begin = (account: AccountSessions, hash: string, now: number): AccountSessions =>
  withSessionAdded(account, { hash, client: 'Firefox' }, now);

t.test('secrets name their organization, and a session is no API key and no link', (t) => {
  const secrets = new ServerCryptography('the secret of the session tests');
  const { token, hash } = makeSessionToken(secrets, toRealmId(7));
  t.match(token, /^[A-Za-z0-9]{32}$/);
  t.equal(secrets.decodeRealmOfApiKey(token), 7);
  t.equal(hash, hashSessionToken(secrets, token));
  t.equal(new Set([hash, secrets.hashApiKeyOrToken(token), hashSignInLinkToken(secrets, token)]).size, 3);
  t.not(makeSignInLinkToken(secrets, toRealmId(7)).hash, hash);
  t.end();
});

t.test('ids are never given twice, and sessions that are over are dropped', (t) => {
  const one = begin(begin(NONE, 'a', 0), 'b', 10 * DAY);
  t.same(
    one.sessions.map(({ id }) => id),
    [1, 2],
  );
  const two = begin(
    withoutEndedSessions(one, ({ id }) => id === 2, 10 * DAY),
    'c',
    30 * DAY,
  );
  t.same([two.sessions.map(({ id }) => id), hashes(two)], [[3], ['c']]);
  t.equal(isSessionUnexpired(two.sessions[0]!, 60 * DAY - 1), true);
  t.equal(isSessionUnexpired(two.sessions[0]!, 60 * DAY), false);
  t.end();
});

t.test('a use is noted once a day, and makes the session last', (t) => {
  const account = begin(NONE, 'a', 0);
  t.equal(withSessionUseRecorded(account, 'a', DAY - 1), undefined);
  t.equal(withSessionUseRecorded(account, 'b', DAY), undefined, 'another session');
  t.equal(withSessionUseRecorded(account, 'a', 30 * DAY), undefined, 'a session that is over');
  t.equal(withSessionUseRecorded(account, 'a', DAY)?.sessions[0]?.used, DAY);
  const ahead = begin(NONE, 'a', 365 * DAY);
  t.equal(withSessionUseRecorded(ahead, 'a', DAY)?.sessions[0]?.used, DAY, 'the clock was ahead');
  t.end();
});

t.test('of too many sessions the one goes that was used least recently', (t) => {
  let account = NONE;
  for (let i = 0; i < 50; i++) account = begin(account, `${i}`, i);
  account = withSessionUseRecorded(account, '0', DAY)!;
  account = begin(account, 'new', DAY);
  t.equal(account.sessions.length, 50);
  t.same([hashes(account).includes('0'), hashes(account).includes('1')], [true, false]);
  t.end();
});

t.test('a link is spent once, within an hour', (t) => {
  const account = withSignInLinkAdded(withSignInLinkAdded(NONE, 'x', 0), 'y', 0);
  const spent = withoutSpentSignInLink(account, 'x', 3_600_000 - 1)!;
  t.same(
    spent.links.map(({ hash }) => hash),
    ['y'],
  );
  t.equal(withoutSpentSignInLink(spent, 'x', 1), undefined);
  t.equal(withoutSpentSignInLink(account, 'x', 3_600_000), undefined);
  t.equal(withoutSpentSignInLink(account, 'z', 0), undefined);
  t.end();
});
