/** State that only this actor has, for snapshots and for the bots that the user owns. */

import { type OwnSections, valueReply } from '#actors/shared';
import type { Json } from '#base';
import { MARK_PART, presentScheduled, READ_PART, undelivered } from '#domain/messages';
import { nextHotspots } from '#domain/people';
import { userTopics } from '#domain/streams';
import type { Parts } from '#model';
import type { OwnSection, userCommands } from '#model/commands';
import { subscriptionsOf, type UserCommand, type UserState } from '../../state.js';
import { newestDrafts } from '../later/drafts.js';

const SECTIONS: { readonly [S in OwnSection]: (parts: Parts, state: UserState) => OwnSections[S] } = {
  subscriptions: subscriptionsOf,
  drafts: newestDrafts,
  scheduled: (parts) => undelivered(parts).map(presentScheduled),
  topics: userTopics,
  reading: (parts) => [...parts].filter(([name]) => name.startsWith(READ_PART) || name.startsWith(MARK_PART)),
  hotspots: (_parts, { tutorial = {} }) => nextHotspots(tutorial),
};

export const readOwnSections: UserCommand<typeof userCommands.ownState> = {
  lane: 'read',
  read: true,
  handle: ({ state, parts }, { sections }, _inputs, { version }) => ({
    reply: valueReply({
      version,
      ...Object.fromEntries(sections.map((name) => [name, SECTIONS[name](parts, state) as unknown as Json])),
    }),
  }),
};
