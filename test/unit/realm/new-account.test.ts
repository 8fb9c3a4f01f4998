/** The cost of a new account does not depend on the number of accounts. */
import t from 'tap';
import { realmActorKind } from '#actors/realm';
import type { Json } from '#base';
import { DEFAULT_REALM_SETTINGS, realmActorKey, toRealmId } from '#model';
import type { DirectoryStream } from '#model/records';
import { createUserHandler } from '../../../actors/realm/commands/accounts/create-user.js';
import { encodeDirectoryRecord, type RealmActorState } from '../../../actors/realm/state.js';
import { RealmMemoryState } from '../../../actors/realm/volatile.js';
import { person } from '../../support/person.js';

const REALM = toRealmId(1);

const stream = (id: number): DirectoryStream =>
  ({ id, name: `stream ${id}`, recipient: id, inviteOnly: false, isDefault: true }) as DirectoryStream;

function created(users: number) {
  const parts = new Map<string, Json>();
  for (let id = 1_001; id <= 1_000 + users; id++) parts.set(`user/${id}`, encodeDirectoryRecord(person(id)));
  for (let id = 1; id <= 3; id++) parts.set(`stream/${id}`, encodeDirectoryRecord(stream(id)));
  const initial = realmActorKind.makeInitialState(realmActorKey(REALM));
  const state: RealmActorState = {
    ...initial,
    settings: { ...DEFAULT_REALM_SETTINGS, signup_notifications_stream_id: 1 },
    nextUser: 5_000,
  };
  const prepared = {
    account: { email: 'new@example.com', fullName: 'New One', passwordHash: 'x', keyHash: 'x', keySealed: 'x' },
    isPasswordStrong: true,
    isDisposableAddress: false,
    copiedHistory: { after: 1, mark: 2 },
  };
  const args = { email: 'new@example.com', password: 'x', full_name: 'New One', origin: 'http://localhost' };
  const context = {
    key: realmActorKey(REALM),
    realm: REALM,
    now: 1_000,
    caller: 0,
    client: 'test',
    version: 7,
    findPendingCommands: () => [],
    directory: undefined as never,
  };
  return createUserHandler.handle(
    { state, parts, volatile: new RealmMemoryState(state, parts) },
    args,
    prepared,
    context,
  );
}

t.test(
  'a new account has as many and as large events, commands and parts among ten accounts as among a thousand',
  async (t) => {
    const [few, many] = [created(10), created(1_000)];
    const size = (of: unknown): number => JSON.stringify(of).replaceAll(/total: \d+/g, 'total').length;
    t.equal(few.events!.length, many.events!.length);
    t.equal(few.events!.filter((item) => item.t === 'event').length, 3, 'the account, two of its groups');
    t.same(
      few.commands!.map((stage) => stage.map(({ to, name }) => [to, name])),
      [
        [['user/1/5000', 'create']],
        [1, 2, 3].map((id) => [`stream/1/${id}`, 'join']),
        [
          ['dm/1/2,5000', 'notice'],
          ['stream/1/1', 'notice'],
          ['mail/1', 'send'],
        ],
      ],
    );
    t.equal(size(few), size(many));
    t.match(JSON.stringify(many.commands), /total: 1001/);
  },
);
