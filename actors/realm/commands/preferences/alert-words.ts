/** /users/me/alert_words (users.md § Alert words). Case is kept and ignored. */

import { success } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { checkCount } from '#model/errors';
import { eventToUser } from '../../log-items.js';
import { preferencesOf } from '../../state.js';
import { actingUser } from '../callers.js';
import type { RealmCommand } from '../command.js';
import { SETTINGS_LANE } from '../command.js';
import { storePreferences } from './preferences.js';

/** All of them are in each event, and looked for in each message; with 100 characters each they fit. */
const MAX_ALERT_WORDS = 1_000;

/** The list as it shall be, from the list as it is. */
const alertWordCommand = (
  next: (before: readonly string[], given: readonly string[]) => string[],
): RealmCommand<typeof realmCommands.addAlertWords> => ({
  lane: SETTINGS_LANE,
  handle({ parts }, { words }, _inputs, { caller, version }) {
    actingUser(parts, caller);
    const before = preferencesOf(parts, caller);
    const alertWords = next(before.alertWords, words);
    const stored = storePreferences({ ...before, alertWords });
    const changed = alertWords.length !== before.alertWords.length;
    // The event comes in any case; without a change it has nothing to store.
    return {
      reply: success({ alert_words: alertWords }, changed ? version : undefined),
      ...(changed ? { parts: stored.parts } : {}),
      events: [
        ...(changed ? [stored.change] : []),
        eventToUser(caller, { type: 'alert_words', alert_words: alertWords }),
      ],
    };
  },
});

/** POST. Of several spellings of a new word the last counts. */
export const addAlertWords = alertWordCommand((before, given) => {
  const known = new Set(before.map((word) => word.toLowerCase()));
  const added = new Map<string, string>();
  for (const word of given.map((one) => one.trim())) {
    if (word !== '' && !known.has(word.toLowerCase())) added.set(word.toLowerCase(), word);
  }
  checkCount('alert_words', before.length + added.size, MAX_ALERT_WORDS);
  return [...before, ...added.values()];
});

/** DELETE. */
export const removeAlertWords = alertWordCommand((before, given) => {
  const gone = new Set(given.map((word) => word.toLowerCase()));
  return before.filter((word) => !gone.has(word.toLowerCase()));
});
