import fc from 'fast-check';
import t from 'tap';
import { toUserId } from '#model';
import { directoryWith } from '../../support/directory.js';

t.test('accounts with alert words or mutes are listed, and only their changes are counted', async (t) => {
  const change = fc.record({
    user: fc.constantFrom(8, 9, 10).map(toUserId),
    settings: fc.constantFrom({}, { color_scheme: 2 }),
    alertWords: fc.constantFrom([], ['a'], ['b']),
    muted: fc.constantFrom([], [{ id: 11, timestamp: 1 }]),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const directory = directoryWith({});
      for (const personal of changes) {
        const listed = () =>
          JSON.stringify(
            [...directory.preferencesWithAlertsOrMutes()].map((one) => [one.user, one.alertWords, one.muted]).sort(),
          );
        const [before, version] = [listed(), directory.alertsAndMutesVersion];
        directory.applyChange({ personal });
        if (JSON.stringify(directory.preferencesOf(personal.user)) !== JSON.stringify(personal)) return false;
        const { alertWords, muted } = personal;
        const isListed = [...directory.preferencesWithAlertsOrMutes()].some(({ user }) => user === personal.user);
        if (isListed !== alertWords.length + muted.length > 0) return false;
        if ((listed() !== before) !== (directory.alertsAndMutesVersion !== version)) return false;
      }
      return true;
    }),
    { numRuns: 300 },
  );
  t.pass();
});
