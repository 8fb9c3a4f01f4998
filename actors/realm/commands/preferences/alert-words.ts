/** /users/me/alert_words (users.md § Alert words). Case is kept and ignored. */

import { success } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { checkCount } from '#model/errors';
import { tellUser } from '../../log-items.js';
import { personalOf } from '../../state.js';
import { actingUser } from '../callers.js';
import type { RealmCommand } from '../command.js';
import { LANE } from '../command.js';
import { storePersonal } from './preferences.js';

/** All of them are in each event, and looked for in each message; with 100 characters each they fit. */
const MOST_ALERT_WORDS = 1_000;

/** The list as it shall be, from the list as it is. */
const changing = (
  next: (before: readonly string[], given: readonly string[]) => string[],
): RealmCommand<typeof realmCommands.addAlertWords> => ({
  lane: LANE,
  handle({ parts }, { words }, _inputs, { caller, version }) {
    actingUser(parts, caller);
    const before = personalOf(parts, caller);
    const alertWords = next(before.alertWords, words);
    const stored = storePersonal({ ...before, alertWords });
    const changed = alertWords.length !== before.alertWords.length;
    // The event comes in any case; without a change it has nothing to store.
    return {
      reply: success({ alert_words: alertWords }, changed ? version : undefined),
      ...(changed ? { parts: stored.parts } : {}),
      events: [...(changed ? [stored.change] : []), tellUser(caller, { type: 'alert_words', alert_words: alertWords })],
    };
  },
});

/** POST. Of several spellings of a new word the last counts. */
export const addAlertWords = changing((before, given) => {
  const known = new Set(before.map((word) => word.toLowerCase()));
  const added = new Map<string, string>();
  for (const word of given.map((one) => one.trim())) {
    if (word !== '' && !known.has(word.toLowerCase())) added.set(word.toLowerCase(), word);
  }
  checkCount('alert_words', before.length + added.size, MOST_ALERT_WORDS);
  return [...before, ...added.values()];
});

/** DELETE. */
export const removeAlertWords = changing((before, given) => {
  const gone = new Set(given.map((word) => word.toLowerCase()));
  return before.filter((word) => !gone.has(word.toLowerCase()));
});
