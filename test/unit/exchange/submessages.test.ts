/** Rows of conclave_submessage: votes, tasks and other parts of widgets. */
import t, { type Test } from 'tap';
import type { JsonObject } from '#base';
import { CheckedExportRow } from '../../../src/app/exchange/format/row.js';
import { ImportedIdMap, ImportedMessageIdMap } from '../../../src/app/exchange/ids.js';
import { AdjustedRowCounts } from '../../../src/app/exchange/import/draft.js';
import { ExportedSubmessages } from '../../../src/app/exchange/tables/submessages.js';

const AUTHOR = 8;

/** Imports submessages of one message. @returns the imported ones, and the number of parses of the first text */
function importedSubmessages(test: Test, contents: readonly string[]) {
  const userIdMap = new ImportedIdMap('user');
  userIdMap.addNewId(501, AUTHOR);
  const messageIdMap = new ImportedMessageIdMap();
  const message = messageIdMap.assignNextNewId(7);
  const adjustedRowCounts = new AdjustedRowCounts();
  const submessages = new ExportedSubmessages({ userIdMap, messageIdMap, adjustedRowCounts } as never);
  for (const [i, content] of contents.entries()) {
    const row: JsonObject = { id: i + 1, message: 7, sender: 501, msg_type: 'widget', content };
    submessages.addSubmessageRow(new CheckedExportRow('conclave_submessage', row));
  }
  const parses = test.capture(JSON, 'parse', JSON.parse);
  const taken = submessages.makeSubmessagesOf(message, AUTHOR)!;
  const parsesOfWidget = parses().filter(({ args }) => args[0] === contents[0]).length;
  parses.restore();
  return { taken, parsesOfWidget, leftOut: [...adjustedRowCounts.countByReason.values()] };
}

t.test('refused parts of a widget do not parse the widget again', (test) => {
  const widgets = ['{"widget_type":"poll","extra_data":{"question":"Lunch?","options":["Soup"]}}', '{}', '"poll"'];
  for (const [i, widget] of widgets.entries()) {
    const vote = (value: number) => JSON.stringify({ type: 'vote', key: 'canned,0', vote: value });
    const { taken, parsesOfWidget, leftOut } = importedSubmessages(test, [widget, ...Array(20).fill(vote(3)), vote(1)]);
    test.equal(taken.length, i === 0 ? 2 : 22);
    test.strictSame(leftOut, i === 0 ? [20] : []);
    test.ok(parsesOfWidget <= 2, `${parsesOfWidget} parses`);
  }
  test.end();
});
