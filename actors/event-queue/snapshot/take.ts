/**
 * Takes the state that POST /register sends, and notes which commits it contains (actor → version). So the queue can
 * leave out exactly the events that the client has already seen as state (architecture/delivery.md § Snapshots).
 */

import { readUserOwnState, VISITOR_ACCOUNT } from '#actors/shared';
import { encodeAllResponseFieldParts, type Json, type ResponseFields } from '#base';
import { isStateSectionOfLevel } from '#domain/levels';
import { findNewestMessageIdOfUser, listRecentDirectConversations } from '#domain/messages';
import { presenceReplicaOfDirectory } from '#domain/presence';
import { type ActorKey, type LogSeq, presenceActorKey, type RealmId, realmActorKey, toUserId } from '#model';
import {
  type OwnStateSection,
  presenceActorCommands,
  type RegisterEventQueueArgs,
  realmActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryBot } from '#model/records';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../services.js';
import type { EventQueueActorState, SnapshotCountedMessages } from '../state.js';
import type { EventQueueMemoryState } from '../volatile.js';
import type { IsSnapshotSectionWanted, RegistrationSnapshotInputs } from './inputs.js';
import { makeSnapshotTranslator } from './levels.js';
import { awaitFirstMessageIdsInDirectory, readOwnStateAndSubscribers } from './memberships.js';
import { chooseSnapshotMessageSource, readStarredMessageIds, readUnreadSnapshotSection } from './message-sections.js';
import {
  makeEmptyPresenceSnapshotSection,
  makePresenceSnapshotSection,
  makeRealmUsersSnapshotSection,
} from './people-sections.js';
import { makeUserActorSnapshotSections } from './preference-sections.js';
import { encodeSharedSnapshotSections, makePersonalSnapshotSections, makeSharedSnapshotSections } from './sections.js';
import { makeStreamSnapshotSection, makeSubscriptionsSnapshotSection } from './stream-sections.js';
import { makeEmptyVisitorOwnState, overrideSnapshotFieldsForVisitor } from './visitor.js';

export interface RegistrationSnapshot {
  /** Log position at which the new queue starts. */
  readonly startLogPosition: LogSeq;
  /** Log position up to which the lists of subscribers show every change. */
  readonly subscribersLogPosition: LogSeq;
  /** Incarnation of the log at the snapshot. */
  readonly logIncarnation: string;
  /** Versions of the commits that the snapshot contains, by actor. */
  readonly commitVersionByActor: Record<ActorKey, number>;
  /** Messages up to which the snapshot has counted unread ones; null = the client asked for no counts. */
  readonly countedMessages: SnapshotCountedMessages | null;
  /** Encoded fields of the response. */
  readonly encodedParts: readonly Uint8Array[];
}

/** Part of the user's own state → sections of the response that are made from it. */
const RESPONSE_SECTIONS_BY_OWN_STATE: { readonly [S in OwnStateSection]: readonly string[] } = {
  subscriptions: ['subscription', 'message', 'stream', 'muted_topics'],
  drafts: ['drafts'],
  snippets: ['saved_snippets'],
  scheduled: ['scheduled_messages'],
  topics: ['muted_topics', 'user_topic', 'message'],
  reading: ['message', 'starred_messages'],
  hotspots: ['hotspots'],
};

const SECTIONS_MADE_FROM_MESSAGES = ['message', 'recent_private_conversations', 'starred_messages'];

const listNeededOwnStateSections = (wanted: IsSnapshotSectionWanted): OwnStateSection[] =>
  (Object.keys(RESPONSE_SECTIONS_BY_OWN_STATE) as OwnStateSection[]).filter((section) =>
    RESPONSE_SECTIONS_BY_OWN_STATE[section].some(wanted),
  );

/**
 * Maximum number of attempts at a snapshot. An attempt fails if accounts change meanwhile, except the last: its lists
 * may briefly show a deactivated subscriber.
 */
const MAX_SNAPSHOT_ATTEMPTS = 4;

/** Takes the snapshot of a registration: the inputs of the `register` and `visit` commands. */
export async function takeRegistrationSnapshot(
  args: RegisterEventQueueArgs,
  context: CommandInputContext<EventQueueActorState, EventQueueMemoryState>,
  sources: ActorInputSources,
): Promise<RegistrationSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const taken = await tryTakeRegistrationSnapshot(args, context, sources, attempt === MAX_SNAPSHOT_ATTEMPTS);
    if (taken) return taken;
  }
}

/**
 * Replaces API keys of bots that were sealed under a former server secret, so that a user with a right to the key gets
 * a new one.
 */
async function renewUnreadableBotApiKeys(
  realm: RealmId,
  bots: ReadonlySet<DirectoryBot>,
  { askActor }: ActorInputSources,
): Promise<void> {
  for (const { user, keySealed } of bots) {
    await askActor(realmActorKey(realm), realmActorCommands.renewBotKey, { user, instead: keySealed });
  }
}

/**
 * Takes the snapshot once.
 * @param last true for the last attempt, which succeeds in any case
 * @returns undefined if another attempt is needed: API keys were replaced, or accounts changed after the subscribers
 * were read, so that the snapshot's versions would suppress the event that removes one
 */
async function tryTakeRegistrationSnapshot(
  args: RegisterEventQueueArgs,
  { realm, caller }: CommandInputContext<EventQueueActorState, EventQueueMemoryState>,
  sources: ActorInputSources,
  last: boolean,
): Promise<RegistrationSnapshot | undefined> {
  // Changes that an earlier response showed are in the log after this wait. Otherwise the client could get them again
  // as new events.
  await sources.waitUntilPublished(realm);
  // The log's end is read first: whatever the reads below lack is in the log after it.
  const { end, incarnation } = await sources.log.readBounds(realm);
  const wanted = (section: string): boolean =>
    (args.fetch === null || args.fetch.includes(section)) && isStateSectionOfLevel(section, args.options.apiLevel);
  const versions: Record<ActorKey, number> = {};
  const directory = await sources.loadDirectory(realm);
  // The queue gets no event from before the log's end that was read above, so the replica must show all of those.
  const feed = await sources.services.feeds.of(realm);
  await feed.waitForDirectoryAtPosition(end);
  const isVisitor = caller === VISITOR_ACCOUNT.id;
  const user = isVisitor ? VISITOR_ACCOUNT : directory.user(toUserId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  const sections = listNeededOwnStateSections(wanted);
  const withSubscribers = wanted('subscription') && args.options.includeSubscribers;
  const { usersVersion } = directory;
  const { own, subscribers } = await readOwnStateAndSubscribers(
    realm,
    user.id,
    withSubscribers,
    () => {
      if (sections.length === 0) return undefined;
      return isVisitor ? makeEmptyVisitorOwnState(sections) : readUserOwnState(realm, user.id, sections, sources);
    },
    feed,
    sources,
    versions,
  );
  // Sections that were not asked for are absent, and so are the response fields made of them.
  const { subscriptions = [] } = own ?? {};
  const parts: ResponseFields[] = [];
  let countedMessages: SnapshotCountedMessages | null = null;
  // The messages are read after the versions of the user and the streams, because the counts must include every message
  // that those versions cover.
  const { reading = [] } = own ?? {};
  const reads = SECTIONS_MADE_FROM_MESSAGES.some(wanted)
    ? await chooseSnapshotMessageSource(feed.recentMessageIndex, reading, sources)
    : sources.store;
  if (own && wanted('message')) {
    if (wanted('update_message_flags')) {
      const unread = await readUnreadSnapshotSection(realm, user.id, own, reads, sources);
      parts.push({ unread_msgs: unread.section });
      countedMessages = unread.countedMessages;
      await awaitFirstMessageIdsInDirectory(realm, countedMessages.streams, sources);
    }
    const streams = subscriptions.map((own) => own.stream);
    parts.push({ max_message_id: await findNewestMessageIdOfUser(reads, realm, user.id, streams) });
  }
  if (wanted('recent_private_conversations')) {
    const recent = isVisitor ? [] : await listRecentDirectConversations(reads, realm, user.id);
    parts.push({ recent_private_conversations: recent as unknown as Json });
  }
  if (own && wanted('starred_messages')) {
    parts.push({ starred_messages: await readStarredMessageIds(realm, user.id, own, reads) });
  }
  if (wanted('presence') && !isVisitor) {
    const to = presenceActorKey(realm);
    // Presence has no version: the next report brings changes in between (architecture/actors.md § Presence).
    await presenceReplicaOfDirectory(directory).fetchAtLeastNow((known) =>
      sources.askActor(to, presenceActorCommands.presenceChanges, { known }),
    );
  }
  // Nothing is awaited after this point, so the replica stays at the noted version.
  if (withSubscribers && directory.usersVersion !== usersVersion && !last) return undefined;
  versions[realmActorKey(realm)] = directory.version;
  const account = directory.user(user.id) ?? user;
  if (!account.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  const unreadable = new Set<DirectoryBot>();
  const inputs: RegistrationSnapshotInputs = {
    user: account,
    directory,
    args,
    nowMs: sources.services.clock.now(),
    fileUploadLimits: sources.services.limits,
    pushesToDevices: sources.services.push.options.gateway !== undefined,
    tryUnsealText: (sealed) => sources.services.secrets.unsealOrUndefined(sealed),
    botsWithUnreadableKey: unreadable,
    subscriptions,
    subscriberIdsByStream: subscribers.of,
  };
  if (wanted('realm_user')) parts.push(makeRealmUsersSnapshotSection(inputs));
  parts.push(...makePersonalSnapshotSections(inputs, wanted));
  if (unreadable.size > 0 && !last) {
    await renewUnreadableBotApiKeys(realm, unreadable, sources);
    return undefined;
  }
  if (wanted('subscription')) parts.push(makeSubscriptionsSnapshotSection(inputs));
  if (wanted('stream')) parts.push(makeStreamSnapshotSection(inputs));
  if (own) parts.push(makeUserActorSnapshotSections(inputs, own, wanted));
  if (wanted('presence'))
    parts.push(isVisitor ? makeEmptyPresenceSnapshotSection(inputs) : makePresenceSnapshotSection(inputs));
  const translate = makeSnapshotTranslator(args);
  const encoded = isVisitor
    ? encodeAllResponseFieldParts(
        [...makeSharedSnapshotSections(inputs, wanted), ...parts].map(overrideSnapshotFieldsForVisitor).map(translate),
      )
    : [...encodeSharedSnapshotSections(inputs, wanted), ...encodeAllResponseFieldParts(parts.map(translate))];
  return {
    startLogPosition: end,
    subscribersLogPosition: subscribers.position,
    logIncarnation: incarnation,
    commitVersionByActor: versions,
    countedMessages,
    encodedParts: encoded,
  };
}
