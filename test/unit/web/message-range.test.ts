/** Rows that fill the screen around a message, at each place where the message is put. */
import t from 'tap';
import { AT_LIST_END, addRowsAround, findRowsAround } from '../../../web/src/messages/range.js';

const ROWS = { count: 100, screenPx: 500, heightOf: () => 50 };

t.test('rows above and below fill the free space on screen, and no more', async (t) => {
  t.strictSame(findRowsAround(50, 120, ROWS), [47, 57]);
  t.strictSame(findRowsAround(50, 'top', ROWS), [50, 59]);
  t.strictSame(findRowsAround(50, 'center', ROWS), [45, 54]);
  t.strictSame(findRowsAround(99, AT_LIST_END, ROWS), [89, 99]);
});

t.test('a message that may be put at either edge, or above the screen, has the rows of a whole screen', async (t) => {
  t.strictSame(findRowsAround(50, 'nearest', ROWS), [40, 59]);
  t.strictSame(findRowsAround(50, -80, ROWS), [40, 59]);
});

t.test('space behind an end of the list is filled from the other side', async (t) => {
  t.strictSame(findRowsAround(98, 120, ROWS), [90, 99]);
  t.strictSame(findRowsAround(1, 'center', ROWS), [0, 9]);
  t.strictSame(findRowsAround(1, 450, ROWS), [0, 9]);
  t.strictSame(findRowsAround(0, 'top', { ...ROWS, count: 3 }), [0, 2]);
});

t.test('heights of single rows count', async (t) => {
  const heightOf = (index: number) => (index === 50 ? 400 : 50);
  t.strictSame(findRowsAround(50, 'top', { ...ROWS, heightOf }), [50, 52]);
});

t.test('rows that were rendered stay while they are near', async (t) => {
  const limits = { added: 2, kept: 12, count: 100 };
  const unknown = [-1, -1] as const;
  t.strictSame(addRowsAround([50, 60], unknown, limits), [48, 62]);
  t.strictSame(addRowsAround([50, 60], [45, 70], limits), [45, 70]);
  t.strictSame(addRowsAround([50, 60], [20, 90], limits), [38, 72]);
  t.strictSame(addRowsAround([50, 60], [49, 61], limits), [48, 62], 'those in any case');
  t.strictSame(addRowsAround([50, 60], [10, 49], limits), [48, 62], 'others left the screen by a jump');
  t.strictSame(addRowsAround([0, 5], [0, 99], limits), [0, 17]);
  t.strictSame(addRowsAround([95, 99], unknown, limits), [93, 99]);
});
