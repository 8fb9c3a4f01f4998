import fc from 'fast-check';
import t from 'tap';
import { IdSet } from '#base';
import {
  decodeOriginReadState,
  encodeOriginReadStatePart,
  isReadByMarkOrExceptions,
  type OriginReadState,
  withReadMessageIds,
  withUnreadMessageIds,
} from '#domain/messages';
import { makeCompactedReadState, type ReadStateCompaction } from '../../../actors/user/reading/compaction.js';

const MOST = 30;
const ids = fc.uniqueArray(fc.integer({ min: 1, max: MOST }), { maxLength: 8 });

type Step =
  | { readonly do: 'read' | 'unread'; readonly ids: readonly number[] }
  /** A compaction that read the Store some steps ago. */
  | { readonly do: 'compact'; readonly upTo: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('read' as const, 'unread' as const), ids }),
  fc.record({ do: fc.constant('compact' as const), upTo: fc.integer({ min: 0, max: MOST }) }),
);

const unreadOf = (reading: OriginReadState, upTo: number): number[] =>
  Array.from({ length: upTo }, (_, i) => i + 1).filter((id) => isReadByMarkOrExceptions(reading, id) !== true);

t.test('compacting and storing do not change which messages are read', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(3), (steps, delay) => {
      const model = new Set<number>();
      let reading: OriginReadState = { mark: 0, read: IdSet.EMPTY, unread: IdSet.EMPTY };
      const looks: { readonly at: number; readonly compaction: ReadStateCompaction }[] = [];
      steps.forEach((one, n) => {
        while (looks[0] && looks[0].at <= n) reading = makeCompactedReadState(reading, looks.shift()!.compaction);
        if (one.do === 'compact') {
          looks.push({
            at: n + delay,
            compaction: { originStreamId: 1, raisedMark: one.upTo, unreadIdsBelowMark: unreadOf(reading, one.upTo) },
          });
        } else {
          for (const id of one.ids) one.do === 'read' ? model.add(id) : model.delete(id);
          reading = one.do === 'read' ? withReadMessageIds(reading, one.ids) : withUnreadMessageIds(reading, one.ids);
        }
        reading = decodeOriginReadState(new Map(Object.entries(encodeOriginReadStatePart(1, reading))), 1);
        for (let id = 1; id <= MOST; id++) {
          if ((isReadByMarkOrExceptions(reading, id) === true) !== model.has(id)) throw new Error(`${id} at step ${n}`);
        }
      });
    }),
    { numRuns: 500 },
  );
  t.pass();
});
