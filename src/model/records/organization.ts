/** Records of the organization itself: settings, pictures, domains, linkifiers and playgrounds. */
import type { RealmId, UserSettings } from '#model';

/** One realm of the server, as realm 0 (the server's own) lists it. */
export interface RealmEntry {
  readonly id: RealmId;
  /** '' = the realm at the external host itself. */
  readonly subdomain: string;
  readonly deactivated: boolean;
}

/** Settings that new accounts start with (users.md § Settings), where they differ from the program's defaults. */
export type UserDefaults = Partial<UserSettings>;

export type RealmPictureName = 'icon' | 'logo' | 'night_logo';

interface RealmPicture {
  /** Number of the upload; 0 is the default picture. */
  readonly number: number;
  /** Grows by one with each change. */
  readonly version: number;
}

/** The pictures of an organization. A picture that was never changed is absent. */
export type RealmPictures = { readonly [N in RealmPictureName]?: RealmPicture };

/** A domain that e-mail addresses of accounts may have. */
export interface DirectoryDomain {
  readonly id: number;
  /** Lower-case. */
  readonly domain: string;
  readonly allowSubdomains: boolean;
}

export interface DirectoryLinkifier {
  readonly id: number;
  /** RE2. */
  readonly pattern: string;
  /** RFC 6570. */
  readonly urlTemplate: string;
}

/** A site on which code blocks of a language can be run. */
export interface DirectoryPlayground {
  readonly id: number;
  readonly name: string;
  /** As the highlighter names it. */
  readonly language: string;
  readonly urlPrefix: string;
}
