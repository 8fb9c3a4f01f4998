/** Access without an account (conventions.md § Authentication). Pure. */
import type { RealmSettings } from '#model';
import type { DirectoryView } from '#model/records';

/** @param server the configuration allows web-public streams */
export const webPublicEnabled = (server: boolean, settings: RealmSettings): boolean =>
  server && settings.enable_spectator_access;

/** True if callers without credentials may read the web-public streams of the organization. */
export function hasPublicAccess(server: boolean, directory: DirectoryView): boolean {
  if (directory.deactivated || !webPublicEnabled(server, directory.settings)) return false;
  for (const stream of directory.streams()) if (stream.webPublic && !stream.archived) return true;
  return false;
}
