/** Handlers of /users/me/alert_words (users.md § Alert words). Alert words keep their case; comparisons ignore case. */

import { makeSuccessReply } from '#actors/shared';
import { MAX_ALERT_WORDS_PER_USER } from '#domain/people';
import type { realmActorCommands } from '#model/commands';
import { checkParameterItemCount } from '#model/errors';
import { makeUserEventLogItem } from '../../log-items.js';
import { readPreferencesRecord } from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { makeStoredPreferencesChanges } from './preferences.js';

/**
 * Makes the handler of a change of alert words. @param next the new list, from the present one and the words of the
 * request
 */
const makeAlertWordsChangeHandler = (
  next: (before: readonly string[], given: readonly string[]) => string[],
): RealmCommandHandler<typeof realmActorCommands.addAlertWords> => ({
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { words }, _inputs, { caller, version }) {
    getActingUserOrThrow(parts, caller);
    const before = readPreferencesRecord(parts, caller);
    const alertWords = next(before.alertWords, words);
    const stored = makeStoredPreferencesChanges({ ...before, alertWords });
    const changed = alertWords.length !== before.alertWords.length;
    // The event is sent even without a change, which then stores nothing.
    return {
      reply: makeSuccessReply({ alert_words: alertWords }, changed ? version : undefined),
      ...(changed ? { parts: stored.parts } : {}),
      events: [
        ...(changed ? [stored.change] : []),
        makeUserEventLogItem(caller, { type: 'alert_words', alert_words: alertWords }),
      ],
    };
  },
});

/** POST /users/me/alert_words: adds alert words. A new word in several spellings gets the last one. */
export const addAlertWordsHandler = makeAlertWordsChangeHandler((before, given) => {
  const known = new Set(before.map((word) => word.toLowerCase()));
  const added = new Map<string, string>();
  for (const word of given.map((one) => one.trim())) {
    if (word !== '' && !known.has(word.toLowerCase())) added.set(word.toLowerCase(), word);
  }
  checkParameterItemCount('alert_words', before.length + added.size, MAX_ALERT_WORDS_PER_USER);
  return [...before, ...added.values()];
});

/** DELETE /users/me/alert_words: removes alert words. */
export const removeAlertWordsHandler = makeAlertWordsChangeHandler((before, given) => {
  const gone = new Set(given.map((word) => word.toLowerCase()));
  return before.filter((word) => !gone.has(word.toLowerCase()));
});
