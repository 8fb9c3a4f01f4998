/**
 * Icon and logos of an organization: their addresses and API fields (realm.md § Icon and logo). The functions have no
 * side effects.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '#base';
import type { RealmId } from '#model';
import type { RealmPictureName, RealmPictures } from '#model/records';
import { realmPictureUrl } from './names.js';

/** Address of the default logo, a static file. The address has a query because clients append parameters to it. */
const DEFAULT_LOGO_URL = '/static/images/logo.svg?version=0';

interface OrganizationPicturesSource {
  readonly realm: RealmId;
  readonly subdomain: string;
  readonly pictures: RealmPictures;
}

const defaultIconUrl = (subdomain: string): string =>
  `https://secure.gravatar.com/avatar/${createHash('md5').update(subdomain).digest('hex')}?d=identicon`;

/** URL of an uploaded picture of the organization, or of its default. */
export function realmPictureOrDefaultUrl(of: OrganizationPicturesSource, name: RealmPictureName): string {
  const stored = of.pictures[name];
  if (stored && stored.number > 0) return realmPictureUrl(of.realm, name, stored.version);
  return name === 'icon' ? defaultIconUrl(of.subdomain) : DEFAULT_LOGO_URL;
}

/** The two fields of an organization's picture in events. The register response has them with the prefix `realm_`. */
export function formatRealmPictureFieldsForApi(of: OrganizationPicturesSource, name: RealmPictureName): JsonObject {
  const uploaded = (of.pictures[name]?.number ?? 0) > 0;
  const source = uploaded ? 'U' : name === 'icon' ? 'G' : 'D';
  return { [`${name}_url`]: realmPictureOrDefaultUrl(of, name), [`${name}_source`]: source };
}

const REALM_PICTURE_NAMES: readonly RealmPictureName[] = ['icon', 'logo', 'night_logo'];

/** The fields of all pictures of an organization. */
export const formatAllRealmPictureFieldsForApi = (of: OrganizationPicturesSource): JsonObject =>
  Object.assign({}, ...REALM_PICTURE_NAMES.map((name) => formatRealmPictureFieldsForApi(of, name)));
