import t from 'tap';
import {
  msUntilLoginAllowed,
  openValidMailLinkToken,
  ServerCryptography,
  sealMailLinkToken,
  withLoginFailureAdded,
} from '#domain/secrets';
import { toRealmId, toUserId } from '#model';

const MINUTE = 60_000;

t.test('after five failures within half an hour the next attempt waits until the oldest expires', async (t) => {
  let failures: number[] = [];
  for (let minute = 0; minute < 5; minute++) {
    t.equal(msUntilLoginAllowed(failures, minute * MINUTE), 0, `failure ${minute + 1}`);
    failures = withLoginFailureAdded(failures, minute * MINUTE);
  }
  t.equal(msUntilLoginAllowed(failures, 5 * MINUTE), 25 * MINUTE);
  t.equal(msUntilLoginAllowed(failures, 30 * MINUTE - 1), 1);
  t.equal(msUntilLoginAllowed(failures, 30 * MINUTE), 0, 'one more, which is a failure again');
  failures = withLoginFailureAdded(failures, 30 * MINUTE);
  t.equal(failures.length, 5, 'no more than count are kept');
  t.equal(msUntilLoginAllowed(failures, 30 * MINUTE), MINUTE);
});

t.test('a signed link names its user, purpose and time limit, and cannot be forged or changed', async (t) => {
  const secrets = new ServerCryptography('a secret of sixteen letters');
  const link = { realm: toRealmId(3), user: toUserId(12), expires: 1_000 };
  const token = sealMailLinkToken(secrets, 'change-email', link);
  t.match(token, /^[A-Za-z0-9_-]+$/);
  t.not(sealMailLinkToken(secrets, 'change-email', link), token, 'each is another');
  t.same(openValidMailLinkToken(secrets, 'change-email', token, 999), link);
  t.equal(openValidMailLinkToken(secrets, 'change-email', token, 1_000), undefined, 'its time is over');
  const others = [
    '',
    'x',
    token.slice(1),
    `${token}AAAA`,
    token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    sealMailLinkToken(new ServerCryptography('another secret, of others'), 'change-email', link),
    // Another value sealed with the same secret.
    Buffer.from(secrets.seal('["link/other",3,12,1000]'), 'base64').toString('base64url'),
    Buffer.from(secrets.seal('an API key'), 'base64').toString('base64url'),
  ];
  for (const wrong of others) t.equal(openValidMailLinkToken(secrets, 'change-email', wrong, 1), undefined, wrong);
});
