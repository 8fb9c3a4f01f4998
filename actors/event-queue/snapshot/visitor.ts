/**
 * Who reads without an account (conventions.md § Authentication): the state that POST /register shows to nobody in
 * particular is that of a guest who is in nothing, without what is not for the web.
 */

import type { OwnState } from '#actors/shared';
import type { Fields } from '#base';
import { FRESH_ACCOUNT, ROLE } from '#domain/people';
import { userId } from '#model';
import type { OwnSection } from '#model/commands';
import type { DirectoryUser } from '#model/records';

/** No account has this id: callers without credentials are 0. */
export const VISITOR: DirectoryUser = {
  id: userId(0),
  recipient: 0,
  deliveryEmail: '',
  email: 'username@example.com',
  fullName: 'Anonymous User',
  ...FRESH_ACCOUNT,
  role: ROLE.guest,
  emailVisibility: 4,
};

/** Nothing of one's own: there is no actor to ask. */
export const nothingOwn = (sections: readonly OwnSection[]): OwnState<OwnSection> =>
  ({ version: 0, ...Object.fromEntries(sections.map((section) => [section, []])) }) as unknown as OwnState<OwnSection>;

/** What replaces fields that depend on being somebody; undefined = left out. */
const SHOWN: Fields = {
  streams: undefined,
  custom_profile_fields: [],
  realm_allow_message_editing: false,
  realm_edit_topic_policy: 2,
  realm_delete_own_message_policy: 2,
  realm_presence_disabled: true,
  presences: {},
  user_status: {},
};

export const forTheWeb = (part: Fields): Fields =>
  Object.fromEntries(Object.entries(part).map(([name, value]) => [name, name in SHOWN ? SHOWN[name] : value]));
