/** Receivers of an import: stays, single copies and read states decide as the rows of the messages did. */
import fc from 'fast-check';
import t from 'tap';
import { isReadByMarkOrExceptions, UserMessageFlagsView } from '#domain/messages';
import { ServerCryptography } from '#domain/secrets';
import { didMemberReceiveMessageId } from '#domain/streams';
import { toRealmId } from '#model';
import { ImportedOrganizationDraft } from '../../../src/app/exchange/import/draft.js';
import { ImportedMessageCopies } from '../../../src/app/exchange/tables/copies.js';
import { ImportedReadStatesAndMarks } from '../../../src/app/exchange/tables/flags.js';

const STREAM = 3;
const FACTS = { realm: toRealmId(1), subdomain: '', origin: 'https://chat.example', seed: 'seed', begun: 0 };
const USERS = [1, 2, 3, 4, 5];
const exportedIdOf = (user: number): number => 100 + user;

type Row = 'unread' | 'read' | 'added later';
/** Rows of a number of consecutive messages by user; a user without a row did not receive them. */
const runOfMessages = fc.record({
  length: fc.integer({ min: 1, max: 40 }),
  rows: fc.array(fc.tuple(fc.constantFrom(...USERS), fc.constantFrom<Row>('unread', 'read', 'added later')), {
    maxLength: 6,
  }),
});

t.test('each user has the messages of the rows, read as the rows say, in any order of the rows', async (test) => {
  const secrets = new ServerCryptography('a secret of the import');
  await fc.assert(
    fc.asyncProperty(fc.array(runOfMessages, { maxLength: 8 }), fc.subarray(USERS), async (runs, subscribers) => {
      const draft = new ImportedOrganizationDraft(FACTS, secrets, 1);
      for (const user of USERS) draft.userIdMap.addNewId(exportedIdOf(user), user);
      draft.currentSubscriberIdsByStreamId.set(STREAM, new Set(subscribers));
      const states = new ImportedReadStatesAndMarks();
      const copies = new ImportedMessageCopies(draft, states);
      const messages: { readonly id: number; readonly rows: readonly (readonly [number, Row])[] }[] = [];
      for (const { length, rows } of runs)
        for (let i = 0; i < length; i++) messages.push({ id: messages.length * 2 + 1, rows });
      const receivers = copies.receiversOfStream(STREAM);
      for (const { id, rows } of messages) {
        receivers.beginMessage(id);
        for (const [user, row] of rows)
          test.equal(receivers.addRow(exportedIdOf(user), row !== 'unread', row !== 'added later'), user);
      }
      const { members, last } = copies.takeMembershipsOfStream(STREAM, () => true, new Set());
      test.equal(last, messages.at(-1)?.id ?? 0);
      for (const user of USERS) {
        const parts = { ...states.takePartsOfUser(user), ...copies.takeSingleCopiesPartOfUser(user) };
        const view = new UserMessageFlagsView(user as never, new Map(Object.entries(parts)));
        const single = new Set(view.markedIds('copied').ids);
        const wrong = messages.filter(({ id, rows }) => {
          const own = rows.filter(([of]) => of === user).map(([, row]) => row);
          const received = own.some((row) => row !== 'added later');
          const read = own.length > 0 && !own.includes('unread');
          const isFound = single.has(id) || didMemberReceiveMessageId(members.get(user), id);
          const isRead = isReadByMarkOrExceptions(view.readStateOf(STREAM), id) ?? false;
          return isFound !== received || (own.length > 0 && isRead !== read);
        });
        test.strictSame(wrong, [], `user ${user}`);
        // A current subscriber also receives what will be sent.
        test.equal(didMemberReceiveMessageId(members.get(user), last + 1), subscribers.includes(user));
      }
    }),
    { numRuns: 60 },
  );
});

t.test('a message takes no time for idle accounts that are not subscribed to its stream', async (test) => {
  const draft = new ImportedOrganizationDraft(FACTS, new ServerCryptography('a secret of the import'), 1);
  for (const user of USERS) draft.idleAccountByUserId.set(user, { since: 10 });
  draft.currentSubscriberIdsByStreamId.set(STREAM, new Set([2]));
  const copies = new ImportedMessageCopies(draft, new ImportedReadStatesAndMarks());
  const receivers = copies.receiversOfStream(STREAM);
  let visits = 0;
  draft.idleAccountByUserId[Symbol.iterator] = function* () {
    for (const entry of this.entries()) {
      visits++;
      yield entry;
    }
    return undefined;
  };
  for (const exportedId of [10, 11, 12]) {
    receivers.beginMessage(exportedId);
    receivers.addAwayUsers(exportedId);
  }
  test.equal(visits, 0);
  const { members } = copies.takeMembershipsOfStream(STREAM, () => true, new Set());
  test.strictSame(
    [10, 11, 12].map((id) => didMemberReceiveMessageId(members.get(2), id)),
    [false, true, true],
    'an idle subscriber has the messages since then',
  );
  test.strictSame([...members.keys()], [2], 'an idle account that is not subscribed has none');
});
