/**
 * Every text that the client shows, in the reader's language; numbers, days and names as that language writes them.
 *
 *     t('compose.send')                                a text
 *     t('sidebar.unread', { n: 3 })                    "{n}" is filled in; `n` chooses the plural form
 *     translateToPieces('help.conflict', { keys: <Keys …/> })   a text with elements in it, as a list of children
 *     translateRefusal(message, code)                  a refusal of the server, which comes in English
 *     formatTimeOfDay(ms), formatRelativeDay(ms), formatByteSize(bytes) dates and numbers
 *
 * - `en/` is the source of the keys. One file for each area, named like its folder; keys begin with the area's name.
 * - `de/` is complete: its type demands each key of English, and a test compares the placeholders.
 * - A language other than English is a chunk of its own, loaded by `loadAndUseFirstKnownLanguage`.
 * - Texts of lazy views (settings, shortcuts) are a chunk as well: `await loadLaterTexts()` comes before such a view.
 * - `t` reads no signal. A change of language renders the whole App again (`currentLanguage` is the key of its root).
 *
 * No DOM is used here: node tests import this folder. Of the other folders, every one may import it.
 */

export {
  compareNames,
  type DisplayZone,
  displayZone,
  formatByteSize,
  formatCalendarDay,
  formatDate,
  formatFullDateTime,
  formatNameList,
  formatNumber,
  formatRelativeDay,
  formatShortTime,
  formatTimeInZone,
  formatTimeOfDay,
  getLocalDayNumber,
  updateCurrentDay,
  uses24HourClock,
} from './formats.js';
export {
  currentLanguage,
  isSupportedLanguage,
  LANGUAGE_NAME_BY_CODE,
  type LanguageCode,
  loadAndUseFirstKnownLanguage,
  loadLaterTexts,
} from './language.js';
export { type TextKey, t, translateRefusal, translateToPieces } from './lookup.js';
export { formatRelativeTime } from './relative-time.js';
export { resolveTimeZone, setDisplayZoneByName, toWallClockMs } from './zone.js';
