/** Handlers of /users/me/alert_words (users.md § Alert words). Alert words keep their case; comparisons ignore case. */

import { successReply } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { checkCount } from '#model/errors';
import { userEventItem } from '../../log-items.js';
import { preferencesRecord } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import { storePreferences } from './preferences.js';

/**
 * Maximum number of alert words of a user: each event has all words, and each message is searched for them; 1,000 words
 * of 100 characters fit an event.
 */
const MAX_ALERT_WORDS = 1_000;

/**
 * Makes the handler of a change of alert words. @param next the new list, from the present one and the words of the
 * request
 */
const alertWordCommand = (
  next: (before: readonly string[], given: readonly string[]) => string[],
): RealmCommand<typeof realmCommands.addAlertWords> => ({
  lane: SETTINGS_LANE,
  handle({ parts }, { words }, _inputs, { caller, version }) {
    requireActingUser(parts, caller);
    const before = preferencesRecord(parts, caller);
    const alertWords = next(before.alertWords, words);
    const stored = storePreferences({ ...before, alertWords });
    const changed = alertWords.length !== before.alertWords.length;
    // The event is sent even without a change, which then stores nothing.
    return {
      reply: successReply({ alert_words: alertWords }, changed ? version : undefined),
      ...(changed ? { parts: stored.parts } : {}),
      events: [
        ...(changed ? [stored.change] : []),
        userEventItem(caller, { type: 'alert_words', alert_words: alertWords }),
      ],
    };
  },
});

/** POST /users/me/alert_words: adds alert words. A new word in several spellings gets the last one. */
export const addAlertWords = alertWordCommand((before, given) => {
  const known = new Set(before.map((word) => word.toLowerCase()));
  const added = new Map<string, string>();
  for (const word of given.map((one) => one.trim())) {
    if (word !== '' && !known.has(word.toLowerCase())) added.set(word.toLowerCase(), word);
  }
  checkCount('alert_words', before.length + added.size, MAX_ALERT_WORDS);
  return [...before, ...added.values()];
});

/** DELETE /users/me/alert_words: removes alert words. */
export const removeAlertWords = alertWordCommand((before, given) => {
  const gone = new Set(given.map((word) => word.toLowerCase()));
  return before.filter((word) => !gone.has(word.toLowerCase()));
});
