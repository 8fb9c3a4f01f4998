/** Records of the organization itself: settings, pictures, domains, linkifiers and playgrounds. */
import type { RealmId, UserSettings } from '#model';

/** One realm of the server, as realm 0 (the server's own) lists it. */
export interface DirectoryRealmEntry {
  readonly id: RealmId;
  /** Subdomain of the organization; '' for the organization at the external host name itself. */
  readonly subdomain: string;
  readonly deactivated: boolean;
  /** True while the organization is being deleted: only the command line sees it, until its last record is gone. */
  readonly isBeingDeleted?: true;
}

/** Settings that new accounts start with (users.md § Settings), where they differ from the program's defaults. */
export type NewUserSettingDefaults = Partial<UserSettings>;

export type RealmPictureName = 'icon' | 'logo' | 'night_logo';

interface RealmPicture {
  /** Number of the picture's upload; 0 stands for the default picture. */
  readonly number: number;
  /** Version of the picture; grows by one with each change. */
  readonly version: number;
}

/** The pictures of an organization. A picture that was never changed is absent. */
export type RealmPictures = { readonly [N in RealmPictureName]?: RealmPicture };

/** A domain that e-mail addresses of accounts may have. */
export interface DirectoryEmailDomain {
  readonly id: number;
  /** Name of the e-mail domain in lower case. */
  readonly domain: string;
  readonly allowSubdomains: boolean;
}

export interface DirectoryLinkifier {
  readonly id: number;
  /** Pattern of the linkifier (RE2). */
  readonly pattern: string;
  /** URL template of the linkifier's links (RFC 6570). */
  readonly urlTemplate: string;
}

/** A site on which code blocks of a language can be run. */
export interface DirectoryPlayground {
  readonly id: number;
  readonly name: string;
  /** Language of the playground, as the highlighter names it. */
  readonly language: string;
  readonly urlPrefix: string;
}
