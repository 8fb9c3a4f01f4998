/** First streams of a new organization (realm.md § Other): one for all members, one for its core team. */

import { renderContextFreeMarkdownOrEmpty } from '#domain/markdown';
import { SYSTEM_GROUP_IDS } from '#domain/people';
import { type LogItem, toStreamId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { encodeDirectoryRecord, type RealmActorState, STREAM_PART_PREFIX } from '../../state.js';
import type { RealmActorView } from '../command.js';
import { makeSubscribeNoticeCommands } from '../subscriptions/subscribe-notices.js';
import { SubscribePlan } from '../subscriptions/subscription-plan.js';
import { makeStreamCreatedLogItems } from './stream-events.js';

const INITIAL_STREAMS = [
  {
    name: 'general',
    description: 'For everybody: new members are subscribed to it.',
    inviteOnly: false,
    setting: 'notifications_stream_id',
  },
  {
    name: 'core team',
    description: 'For those who run this organization; tells of new accounts.',
    inviteOnly: true,
    setting: 'signup_notifications_stream_id',
  },
] as const;

/**
 * State, parts, log items and commands that create the streams.
 * @param state of the new realm
 * @param owner first account, which creates the streams and is subscribed to them
 * @param origin base URL of the organization
 */
export function makeInitialStreamsCommit(
  state: RealmActorState,
  owner: DirectoryUser,
  { parts, volatile }: Pick<RealmActorView, 'parts' | 'volatile'>,
  origin: string,
  { now, realm, version }: CommandContext,
) {
  const plan = new SubscribePlan(realm, [owner], owner.id, new Map(), new Map());
  const created = INITIAL_STREAMS.map(({ name, description, inviteOnly }, i): DirectoryStream => {
    const stream: DirectoryStream = {
      id: toStreamId(state.nextStream + i),
      recipient: state.nextRecipient + i,
      name,
      description,
      renderedDescription: renderContextFreeMarkdownOrEmpty(description),
      created: Math.floor(now / 1000),
      creator: owner.id,
      inviteOnly,
      historyPublic: !inviteOnly,
      webPublic: false,
      postPolicy: 1,
      retentionDays: null,
      canRemoveGroup: SYSTEM_GROUP_IDS.administrators,
      firstMessage: null,
      archived: false,
      isDefault: !inviteOnly,
    };
    volatile.indexStreamName(stream.id, stream.name);
    plan.planJoinsToStream(stream, true);
    return stream;
  });
  const settings = {
    ...state.settings,
    ...Object.fromEntries(INITIAL_STREAMS.map(({ setting }, i) => [setting, created[i]!.id])),
  };
  const notices = makeSubscribeNoticeCommands({
    realm,
    acting: owner,
    createdStreams: created,
    joinedStreamNamesByUser: plan.joinedExistingStreamNamesByUser,
    announce: false,
    settings,
    parts,
    origin,
    after: version,
  });
  return {
    state: {
      ...state,
      settings,
      nextStream: state.nextStream + created.length,
      nextRecipient: state.nextRecipient + created.length,
    },
    parts: Object.fromEntries(
      created.map((stream) => [`${STREAM_PART_PREFIX}${stream.id}`, encodeDirectoryRecord(stream)]),
    ),
    events: created.flatMap((stream) => makeStreamCreatedLogItems(stream, version)) as LogItem[],
    commands: [...plan.makeCommandStages(version), notices] as OutboxCommand[][],
  };
}
