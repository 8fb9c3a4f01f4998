/** Reactions of an export: each message gets its own in the order of the rows, whatever their order by message. */
import fc from 'fast-check';
import t from 'tap';
import { CheckedExportRow } from '../../../src/app/exchange/format/row.js';
import { ImportedIdMap, ImportedMessageIdMap } from '../../../src/app/exchange/ids.js';
import { AdjustedRowCounts, type ImportedOrganizationDraft } from '../../../src/app/exchange/import/draft.js';
import { ExportedReactions } from '../../../src/app/exchange/tables/reactions.js';

const MESSAGES = 40;
const USERS = 5;

function draft(): ImportedOrganizationDraft {
  const messageIdMap = new ImportedMessageIdMap();
  for (let id = 1; id <= MESSAGES; id++) messageIdMap.assignNextNewId(id * 10);
  const userIdMap = new ImportedIdMap('user');
  for (let id = 1; id <= USERS; id++) userIdMap.addNewId(id * 100, id);
  const adjustedRowCounts = new AdjustedRowCounts();
  return { messageIdMap, userIdMap, adjustedRowCounts, addImportedCount: () => undefined } as never;
}

const reactionRow = (message: number, user: number, name: string): CheckedExportRow =>
  new CheckedExportRow('zerver_reaction', {
    message: message * 10,
    user_profile: user * 100,
    emoji_name: name,
    emoji_code: '2764',
    reaction_type: 'unicode_emoji',
  });

t.test('each message has its reactions in the order of the rows', async (test) => {
  const rows = fc.array(
    fc.tuple(fc.integer({ min: 1, max: MESSAGES }), fc.integer({ min: 1, max: USERS }), fc.constantFrom('heart', 'x')),
    { maxLength: 1_500, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), async (given, isSorted) => {
      const all = isSorted ? [...given].sort((a, b) => a[0] - b[0]) : given;
      const reactions = new ExportedReactions();
      const target = draft();
      for (const [message, user, name] of all) reactions.addReactionRow(reactionRow(message, user, name), target);
      for (let message = 1; message <= MESSAGES; message++) {
        const own = all.filter(([of]) => of === message).map(([, user, name]) => ({ user, name }));
        const found = reactions.reactionsOf(message)?.map(({ user, name }) => ({ user, name }));
        test.strictSame(found, own.length === 0 ? undefined : own);
      }
    }),
    { numRuns: 20 },
  );
});

t.test('reactions of unknown users and messages are counted as left out', async (test) => {
  const reactions = new ExportedReactions();
  const target = draft();
  for (const row of [reactionRow(MESSAGES + 1, 1, 'heart'), reactionRow(1, USERS + 1, 'heart'), reactionRow(1, 1, '')])
    reactions.addReactionRow(row, target);
  test.equal(reactions.reactionsOf(1), undefined);
  test.equal([...target.adjustedRowCounts.countByReason.values()][0], 3);
});
