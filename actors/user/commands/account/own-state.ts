/** Replies with state that only the user's own actor has: for snapshots, and for bots that the user owns. */

import { type OwnSections, valueReply } from '#actors/shared';
import type { Json } from '#base';
import {
  MESSAGE_MARK_PART_PREFIX,
  presentScheduled,
  READ_STATE_PART_PREFIX,
  undeliveredScheduled,
} from '#domain/messages';
import { nextHotspots } from '#domain/people';
import { storedUserTopics } from '#domain/streams';
import type { ActorParts } from '#model';
import type { OwnStateSection, userCommands } from '#model/commands';
import { subscriptionsOf, type UserCommand, type UserState } from '../../state.js';
import { newestDrafts } from '../later/drafts.js';

const SECTIONS: { readonly [S in OwnStateSection]: (parts: ActorParts, state: UserState) => OwnSections[S] } = {
  subscriptions: subscriptionsOf,
  drafts: newestDrafts,
  scheduled: (parts) => undeliveredScheduled(parts).map(presentScheduled),
  topics: storedUserTopics,
  reading: (parts) =>
    [...parts].filter(([name]) => name.startsWith(READ_STATE_PART_PREFIX) || name.startsWith(MESSAGE_MARK_PART_PREFIX)),
  hotspots: (_parts, { tutorial = {} }) => nextHotspots(tutorial),
};

export const readOwnSectionsHandler: UserCommand<typeof userCommands.ownState> = {
  lane: 'read',
  read: true,
  handle: ({ state, parts }, { sections }, _inputs, { version }) => ({
    reply: valueReply({
      version,
      ...Object.fromEntries(sections.map((name) => [name, SECTIONS[name](parts, state) as unknown as Json])),
    }),
  }),
};
