/** The organization itself: settings, pictures, and what it adds to messages and accounts. */
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

export interface RealmPicture {
  /** Of the upload; 0: the default picture. */
  readonly number: number;
  /** One more with each change. */
  readonly version: number;
}

/** Absent: never changed. */
export type RealmPictures = { readonly [N in RealmPictureName]?: RealmPicture };

/** Accounts may have addresses of it. */
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

/** Where code blocks of a language can be run. */
export interface DirectoryPlayground {
  readonly id: number;
  readonly name: string;
  /** As the highlighter names it. */
  readonly language: string;
  readonly urlPrefix: string;
}
