import t from 'tap';
import type { EventQueueOptions } from '#model/commands';
import {
  clientEventFormatOf,
  EventQueueBuffer,
  MAX_POLL_ANSWER_BYTES,
  makeQueueSpecificEvent,
} from '../../../actors/event-queue/buffer.js';

const shape = clientEventFormatOf({ capabilities: {} } as EventQueueOptions);

function idsIn(parts: readonly Uint8Array[]): number[] {
  const fields = JSON.parse(`{${Buffer.concat(parts).toString().slice(1)}}`) as { events: { id: number }[] };
  return fields.events.map(({ id }) => id);
}

t.test(
  'a large backlog is answered in parts, oldest first; each acknowledgement brings the next, in order and once',
  async (t) => {
    const buffer = new EventQueueBuffer(8, 'q', shape);
    const text = 'x'.repeat(100_000);
    const all = Array.from({ length: 300 }, (_, i) => i + 1);
    for (const id of all) buffer.push(makeQueueSpecificEvent(id, { type: 'message', text }));
    const got: number[] = [];
    let answers = 0;
    while (buffer.waitingSlotCount > 0) {
      const parts = buffer.encodePollAnswerFields();
      const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
      t.ok(bytes < MAX_POLL_ANSWER_BYTES + 1_000, `${bytes} bytes`);
      const ids = idsIn(parts);
      t.ok(ids.length > 0);
      got.push(...ids);
      buffer.dropAcknowledgedUpTo(ids.at(-1)!);
      answers++;
    }
    t.same(got, all);
    t.ok(answers > 3);
  },
);

t.test('an event above the size limit is answered alone', async (t) => {
  const buffer = new EventQueueBuffer(8, 'q', shape);
  for (const id of [1, 2, 3])
    buffer.push(makeQueueSpecificEvent(id, { type: 'x', text: 'y'.repeat(MAX_POLL_ANSWER_BYTES + 1) }));
  t.same(idsIn(buffer.encodePollAnswerFields()), [1]);
  t.same(idsIn(buffer.encodePollAnswerFields()), [1], 'until it is acknowledged');
  buffer.dropAcknowledgedUpTo(1);
  t.same(idsIn(buffer.encodePollAnswerFields()), [2]);
});
