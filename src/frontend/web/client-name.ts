/** Names of browsers for the list of a user's sessions. */

/**
 * Browser names by a part of User-Agent. Many User-Agents also contain the names of other browsers, so the first match
 * in this order decides.
 */
const BROWSER_NAME_PATTERNS: readonly (readonly [part: RegExp, name: string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const SYSTEM_NAME_PATTERNS: readonly (readonly [part: RegExp, name: string])[] = [
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
];

const findNameInUserAgent = (table: typeof BROWSER_NAME_PATTERNS, userAgent: string): string | undefined =>
  table.find(([part]) => part.test(userAgent))?.[1];

/** Maximum of characters of User-Agent that are searched. */
const MAX_SEARCHED_USER_AGENT_CHARACTERS = 512;

/** Names browser and system for the list of sessions, for example 'Firefox on Linux'. @param userAgent header */
export function browserAndSystemNameOfUserAgent(userAgent: string): string {
  const text = userAgent.slice(0, MAX_SEARCHED_USER_AGENT_CHARACTERS);
  const browser = findNameInUserAgent(BROWSER_NAME_PATTERNS, text) ?? 'Browser';
  const system = findNameInUserAgent(SYSTEM_NAME_PATTERNS, text);
  return system === undefined ? browser : `${browser} on ${system}`;
}
