/** Clients that are told apart by their User-Agent because they cannot be served (realm.md § GET /server_settings, § Other). */

/** With this name clients try out what they do when they are refused. */
const MARKED = /^(?:Zulip|Conclave)Invalid(?:\/|$)/;

/** Of the mobile app for Android: older ones cannot show what this API answers. */
const FIRST_ANDROID = [16, 2, 96];
const ANDROID = /^ZulipMobile\/([0-9.]+) \(Android\b/;

export const isMarkedIncompatible = (agent: string): boolean => MARKED.test(agent);

export function isTooOld(agent: string): boolean {
  if (isMarkedIncompatible(agent)) return true;
  const version = ANDROID.exec(agent)?.[1]?.split('.').map(Number);
  if (!version) return false;
  const at = FIRST_ANDROID.findIndex((part, i) => part !== (version[i] ?? 0));
  return at >= 0 && (version[at] ?? 0) < FIRST_ANDROID[at]!;
}
