/** markdown.md § Alert words. */
import fc from 'fast-check';
import t from 'tap';
import { AlertWordMatcher, listOccurringAlertWords } from '#domain/markdown';

/** The rule as it is written down: every place where a word stands, one after the other. */
function slowly(text: string, words: readonly string[]): string[] {
  const before = new Set(' \n(".,\';[*`>');
  const after = new Set(' \n)"?:.,\';]!*`');
  const lower = text.toLowerCase();
  return words.filter((word) => {
    for (let at = lower.indexOf(word); word !== '' && at >= 0; at = lower.indexOf(word, at + 1)) {
      const [left, right] = [lower[at - 1], lower[at + word.length]];
      if ((left === undefined || before.has(left)) && (right === undefined || after.has(right))) return true;
    }
    return false;
  });
}

const letters = fc.string({ unit: fc.constantFrom(...'abA .,*"\n(>é\0\ud800'), maxLength: 40 });

t.test('many words at once are found wherever each alone is', async (t) => {
  fc.assert(
    fc.property(letters, fc.array(letters, { maxLength: 8 }), (text, given) => {
      const words = [...new Set(given.map((word) => word.toLowerCase()))];
      t.same([...new AlertWordMatcher(words).findOccurringWords(text)].sort(), slowly(text, words).sort());
    }),
    { numRuns: 300 },
  );
});

t.test("found words are returned in their owner's spelling, each once", async (t) => {
  t.same(listOccurringAlertWords('Ship ahoy, SHIP', ['ship', 'SHIP', 'Ship', 'boat', '', 'ship']), [
    'ship',
    'SHIP',
    'Ship',
  ]);
});

t.test('the number of words costs no time', async (t) => {
  const words = new AlertWordMatcher(Array.from({ length: 200_000 }, (_, i) => `word ${i}`));
  const text = 'some word 77, and word 199999.'.repeat(300);
  t.same([...words.findOccurringWords(text)].sort(), ['word 199999', 'word 77']);
  t.same([...words.findOccurringWords('word 199999')], ['word 199999']);
});
