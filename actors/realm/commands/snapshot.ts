/** The whole directory, for replicas. */
import type { JsonObject } from '../../../src/core/index.js';
import { value } from '../../shared/replies.js';
import {
  botsOf,
  domainsOf,
  emojiOf,
  groupsOf,
  linkifiersOf,
  personalsOf,
  picturesOf,
  playgroundsOf,
  profileFieldsOf,
  profilesOf,
  realmsOf,
  streamGroupsOf,
  streamsOf,
  trafficOf,
  userDefaultsOf,
  usersOf,
} from '../state.js';
import type { RealmCommand } from './command.js';

export const snapshot: RealmCommand<JsonObject> = {
  lane: 'snapshot',
  read: true,
  handle: ({ state, parts }, _args, _inputs, { version }) => ({
    reply: value({
      // Not of the newest commit: one that leaves the directory alone puts nothing into the log for replicas to reach.
      // (They are equal, or this one is smaller; asking for the other closes the commit that this reply shows.)
      version: Math.min(state.directoryVersion, version),
      subdomain: state.subdomain,
      deactivated: state.phase === 'deactivated',
      settings: state.settings,
      users: [...usersOf(parts)] as never,
      streams: [...streamsOf(parts)] as never,
      realms: [...realmsOf(parts)] as never,
      personals: [...personalsOf(parts)] as never,
      fullMembersAt: state.fullMembersAt,
      groups: [...groupsOf(parts)] as never,
      linkifiers: linkifiersOf(parts) as never,
      playgrounds: playgroundsOf(parts) as never,
      domains: domainsOf(parts) as never,
      streamGroups: streamGroupsOf(parts) as never,
      traffic: trafficOf(parts),
      emoji: [...emojiOf(parts)] as never,
      userDefaults: userDefaultsOf(parts),
      profileFields: profileFieldsOf(parts) as never,
      profiles: [...profilesOf(parts)] as never,
      // By id: the order of parts is that of their names.
      bots: [...botsOf(parts)].sort((a, b) => a.user - b.user) as never,
      pictures: picturesOf(parts) as never,
    }),
  }),
};
