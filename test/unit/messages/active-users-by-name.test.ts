import fc from 'fast-check';
import t from 'tap';
import { activeUsersNamed } from '../../../src/domain/messages/sending/active-users-by-name.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const NAMES = ['Ada', 'ADA', 'ada b', 'Bo', 'Ée', 'éE', 'Zoë', ''];

t.test('accounts are found by name as in a fresh directory, whatever changes', async (t) => {
  const change = fc.record({
    id: fc.integer({ min: 8, max: 20 }),
    fullName: fc.constantFrom(...NAMES),
    isActive: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }), (turns) => {
      const directory = directoryWith({ users: [person(8, { fullName: 'Ada' }), person(9, { fullName: 'bo' })] });
      for (const changes of turns) {
        for (const { id, ...over } of changes) directory.applyChange({ user: person(id, over) });
        for (const name of [...NAMES, 'nobody', 'a', 'zz']) {
          const expected = [...directory.users()]
            .filter((user) => user.isActive && user.fullName.toLowerCase() === name.toLowerCase())
            .map(({ id }) => id)
            .sort((a, b) => a - b);
          const found = activeUsersNamed(directory, name).map(({ id }) => id);
          if (JSON.stringify(found) !== JSON.stringify(expected)) return false;
        }
      }
      return true;
    }),
    { numRuns: 300 },
  );
  t.pass();
});
