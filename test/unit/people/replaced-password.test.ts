/** A password that was replaced while it was verified counts no more: verifying takes some 50 ms. */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import { userActorKind } from '#actors/user';
import type { Json } from '#base';
import { realmActorKey, toRealmId, toUserId, userActorKey } from '#model';
import { apiError } from '#model/errors';
import { makeOwnAccountChangeOutcome } from '../../../actors/realm/commands/accounts/own-account.js';
import { encodeDirectoryRecord } from '../../../actors/realm/state.js';
import { RealmMemoryState } from '../../../actors/realm/volatile.js';
import { checkPasswordHandler, fetchApiKeyByPasswordHandler } from '../../../actors/user/commands/account/login.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);
const USER = person(7);
const context = {
  key: userActorKey(REALM, USER.id),
  realm: REALM,
  now: 1_000,
  caller: USER.id as number,
  client: 'test',
  version: 9,
  findPendingCommands: () => [],
  directory: { user: () => USER, settings: { authentication_methods: '' } } as never,
};
const initial = userActorKind.makeInitialState(context.key);
const view = {
  state: { ...initial, passwordHash: 'new', keySealed: 'new key' },
  parts: new Map(),
  volatile: undefined,
};
const verdict = (passwordHash: string) => ({ isCorrect: true, passwordHash });

t.test('a log-in with the former password gets no API key, and counts as a failure', async (t) => {
  const handle = (hash: string) => fetchApiKeyByPasswordHandler.handle(view, { password: 'x' }, verdict(hash), context);
  t.match(handle('new').reply, { ok: Array });
  const former = handle('old');
  t.match(former.reply, { error: { code: 'AUTHENTICATION_FAILED' } });
  t.equal(former.state?.failedLogins?.length, 1);
});

t.test('the former password allows no change of the password', async (t) => {
  const check = (hash: string) => checkPasswordHandler.handle(view, { password: 'x' }, verdict(hash), context).reply;
  t.match(check('new'), { value: { correct: true } });
  t.match(check('old'), { value: { correct: false } });

  const parts = new Map<string, Json>([[`user/${USER.id}`, encodeDirectoryRecord(USER)]]);
  const state = realmActorKind.makeInitialState(realmActorKey(REALM));
  const change = (endedAt: number) => {
    parts.set(`sessions/${USER.id}`, { user: toUserId(USER.id), sessions: [], links: [], endedAt: 5 });
    const password = { checked: { correct: true, wait: 0 }, endedAt, hash: 'newer' };
    return makeOwnAccountChangeOutcome(
      USER,
      { old_password: 'x', new_password: 'y', email: null, full_name: null, session: null, origin: '' } as never,
      { password, confirmationLink: undefined as never },
      { state, parts, volatile: new RealmMemoryState(state, parts) },
      { ...context, key: realmActorKey(REALM) },
    );
  };
  t.ok(change(5).commands.length > 0);
  t.throws(() => change(0), apiError('WRONG_PASSWORD'), 'a mailed link has set a password since');
});
