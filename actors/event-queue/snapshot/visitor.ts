/**
 * The visitor: a reader without an account (conventions.md § Authentication). POST /register shows a visitor the state
 * of a guest without subscriptions, minus everything that is not open to the web.
 */

import type { UserOwnState } from '#actors/shared';
import type { ResponseFields } from '#base';
import type { OwnStateSection } from '#model/commands';

/** The state of a visitor in place of a user actor's sections: all of them are empty, as there is no actor to ask. */
export const makeEmptyVisitorOwnState = (sections: readonly OwnStateSection[]): UserOwnState<OwnStateSection> =>
  ({
    version: 0,
    ...Object.fromEntries(sections.map((section) => [section, []])),
  }) as unknown as UserOwnState<OwnStateSection>;

/** Values that a visitor gets for fields that depend on an account. Fields with the value undefined are left out. */
const VISITOR_SNAPSHOT_FIELD_OVERRIDES: ResponseFields = {
  streams: undefined,
  custom_profile_fields: [],
  realm_allow_message_editing: false,
  realm_edit_topic_policy: 2,
  realm_delete_own_message_policy: 2,
  realm_presence_disabled: true,
  presences: {},
  user_status: {},
};

export const overrideSnapshotFieldsForVisitor = (part: ResponseFields): ResponseFields =>
  Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      name in VISITOR_SNAPSHOT_FIELD_OVERRIDES ? VISITOR_SNAPSHOT_FIELD_OVERRIDES[name] : value,
    ]),
  );
