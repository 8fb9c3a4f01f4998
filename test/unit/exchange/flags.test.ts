/** Read states of an import: the marks and exceptions found in the order of the messages decide as the rows did. */
import fc from 'fast-check';
import t from 'tap';
import { isReadByMarkOrExceptions, UserMessageFlagsView } from '#domain/messages';
import { ImportedReadStatesAndMarks } from '../../../src/app/exchange/tables/flags.js';

const USER = 12;
/** Runs of read or unread messages: long enough for both sides of the bound of folded exceptions. */
const runs = fc.array(fc.record({ length: fc.integer({ min: 1, max: 90 }), read: fc.boolean() }), { maxLength: 12 });

t.test('every message is read if its row said so, in every origin', async (test) => {
  await fc.assert(
    fc.asyncProperty(runs, runs, async (first, second) => {
      const states = new ImportedReadStatesAndMarks();
      const rows = new Map<number, { readonly origin: number; readonly read: boolean }>();
      for (const [origin, list] of [first, second].entries())
        for (const { length, read } of list)
          for (let i = 0; i < length; i++) rows.set(rows.size * 3 + 1, { origin, read });
      for (const [id, { origin, read }] of rows) states.addMessageReadState(USER, origin, id, read);
      const view = new UserMessageFlagsView(USER, new Map(Object.entries(states.takePartsOfUser(USER))));
      for (const [id, { origin, read }] of rows)
        test.equal(isReadByMarkOrExceptions(view.readStateOf(origin), id) ?? false, read);
    }),
    { numRuns: 60 },
  );
});

t.test('a message with two rows of one user counts once', async (test) => {
  const states = new ImportedReadStatesAndMarks();
  for (const read of [false, false, true]) states.addMessageReadState(USER, 4, 7, read);
  states.addMarkedMessage(USER, 'starred', 7);
  states.addMarkedMessage(USER, 'starred', 7);
  const view = new UserMessageFlagsView(USER, new Map(Object.entries(states.takePartsOfUser(USER))));
  test.strictSame(view.readStateOf(4).unread.ids, [7]);
  test.strictSame(view.markedIds('starred').ids, [7]);
});

t.test('parts of a user are taken once', async (test) => {
  const states = new ImportedReadStatesAndMarks();
  states.addMessageReadState(USER, 4, 7, true);
  states.addMessageReadState(USER + 1, 4, 7, true);
  states.addMarkedMessage(USER, 'starred', 7);
  test.strictSame(Object.keys(states.takePartsOfUser(USER)), ['read/4', 'mark/starred']);
  test.strictSame(states.takePartsOfUser(USER), {});
  test.strictSame(Object.keys(states.takePartsOfUser(USER + 1)), ['read/4']);
});
