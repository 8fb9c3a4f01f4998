/**
 * Takes the state that POST /register sends, and notes which commits it contains (actor → version). So the queue can
 * leave out exactly the events that the client has already seen as state (architecture/delivery.md § Snapshots).
 */

import { readOwnState, VISITOR_ACCOUNT } from '#actors/shared';
import { encodeFieldParts, type Json, type ResponseFields } from '#base';
import { findNewestMessageId, listRecentConversations } from '#domain/messages';
import { presenceReplicaOf } from '#domain/presence';
import { type ActorKey, presenceKey, type RealmId, realmKey, type Seq, userId } from '#model';
import { type OwnStateSection, presenceCommands, type RegisterArgs, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryBot } from '#model/records';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../services.js';
import type { CountedMessages, QueueState } from '../state.js';
import type { QueueVolatile } from '../volatile.js';
import type { IsSectionWanted, SnapshotInputs } from './inputs.js';
import { awaitFirstMessages, readOwnStateAndSubscribers } from './memberships.js';
import { chooseMessageSource, readStarredIds, readUnreadSection } from './message-sections.js';
import { presenceSection, userSections, visitorPresenceSection } from './people-sections.js';
import { ownSections } from './preference-sections.js';
import { encodeSharedSections, makePersonalSections, makeSharedSections } from './sections.js';
import { streamSections, subscriptionSections } from './stream-sections.js';
import { emptyOwnState, hideFromVisitor } from './visitor.js';

export interface RegistrationSnapshot {
  /** Log position at which the new queue starts. */
  readonly start: Seq;
  /** Log position up to which the lists of subscribers show every change. */
  readonly subscribersAsOf: Seq;
  /** Incarnation of the log at the snapshot. */
  readonly incarnation: string;
  /** Versions of the commits that the snapshot contains, by actor. */
  readonly versions: Record<ActorKey, number>;
  /** Messages up to which the snapshot has counted unread ones; null = the client asked for no counts. */
  readonly countedMessages: CountedMessages | null;
  /** Encoded fields of the response. */
  readonly parts: readonly Uint8Array[];
}

/** Part of the user's own state → sections of the response that are made from it. */
const OWN: { readonly [S in OwnStateSection]: readonly string[] } = {
  subscriptions: ['subscription', 'message', 'stream'],
  drafts: ['drafts'],
  scheduled: ['scheduled_messages'],
  topics: ['muted_topics', 'user_topic', 'message'],
  reading: ['message', 'starred_messages'],
  hotspots: ['hotspots'],
};

const MESSAGE_SECTIONS = ['message', 'recent_private_conversations', 'starred_messages'];

const ownNeeded = (wanted: IsSectionWanted): OwnStateSection[] =>
  (Object.keys(OWN) as OwnStateSection[]).filter((section) => OWN[section].some(wanted));

/**
 * Maximum number of attempts at a snapshot. An attempt fails if accounts change meanwhile, except the last: its lists
 * may briefly show a deactivated subscriber.
 */
const MAX_ATTEMPTS = 4;

/** Takes the snapshot of a registration: the inputs of the `register` and `visit` commands. */
export async function takeRegistrationSnapshot(
  args: RegisterArgs,
  context: InputContext<QueueState, QueueVolatile>,
  sources: InputSources,
): Promise<RegistrationSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const taken = await takeOnce(args, context, sources, attempt === MAX_ATTEMPTS);
    if (taken) return taken;
  }
}

/**
 * Replaces API keys of bots that were sealed under a former server secret, so that a user with a right to the key gets
 * a new one.
 */
async function renewKeys(realm: RealmId, bots: ReadonlySet<DirectoryBot>, { ask }: InputSources): Promise<void> {
  for (const { user, keySealed } of bots) {
    await ask(realmKey(realm), realmCommands.renewBotKey, { user, instead: keySealed });
  }
}

/**
 * Takes the snapshot once.
 * @param last true for the last attempt, which succeeds in any case
 * @returns undefined if another attempt is needed: API keys were replaced, or accounts changed after the subscribers
 * were read, so that the snapshot's versions would suppress the event that removes one
 */
async function takeOnce(
  args: RegisterArgs,
  { realm, caller }: InputContext<QueueState, QueueVolatile>,
  sources: InputSources,
  last: boolean,
): Promise<RegistrationSnapshot | undefined> {
  // Changes that an earlier response showed are in the log after this wait. Otherwise the client could get them again
  // as new events.
  await sources.published(realm);
  // The log's end is read first: whatever the reads below lack is in the log after it.
  const { end, incarnation } = await sources.log.position(realm);
  const wanted = (section: string): boolean => args.fetch === null || args.fetch.includes(section);
  const versions: Record<ActorKey, number> = {};
  const directory = await sources.directory(realm);
  // The queue gets no event from before the log's end that was read above, so the replica must show all of those.
  const feed = await sources.services.feeds.of(realm);
  await feed.reach(end);
  const isVisitor = caller === VISITOR_ACCOUNT.id;
  const user = isVisitor ? VISITOR_ACCOUNT : directory.user(userId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  const sections = ownNeeded(wanted);
  const withSubscribers = wanted('subscription') && args.options.includeSubscribers;
  const { usersVersion } = directory;
  const { own, subscribers } = await readOwnStateAndSubscribers(
    realm,
    user.id,
    withSubscribers,
    () => {
      if (sections.length === 0) return undefined;
      return isVisitor ? emptyOwnState(sections) : readOwnState(realm, user.id, sections, sources);
    },
    feed,
    sources,
    versions,
  );
  // Sections that were not asked for are absent, and so are the response fields made of them.
  const { subscriptions = [] } = own ?? {};
  const parts: ResponseFields[] = [];
  let countedMessages: CountedMessages | null = null;
  // The messages are read after the versions of the user and the streams, because the counts must include every message
  // that those versions cover.
  const { reading = [] } = own ?? {};
  const reads = MESSAGE_SECTIONS.some(wanted)
    ? await chooseMessageSource(feed.recentMessages, reading, sources)
    : sources.store;
  if (own && wanted('message')) {
    if (wanted('update_message_flags')) {
      const unread = await readUnreadSection(realm, user.id, own, reads, sources);
      parts.push({ unread_msgs: unread.section });
      countedMessages = unread.counted;
      await awaitFirstMessages(realm, countedMessages.streams, sources);
    }
    const streams = subscriptions.map((own) => own.stream);
    parts.push({ max_message_id: await findNewestMessageId(reads, realm, user.id, streams) });
  }
  if (wanted('recent_private_conversations')) {
    const recent = isVisitor ? [] : await listRecentConversations(reads, realm, user.id);
    parts.push({ recent_private_conversations: recent as unknown as Json });
  }
  if (own && wanted('starred_messages')) {
    parts.push({ starred_messages: await readStarredIds(realm, user.id, own, reads) });
  }
  if (wanted('presence') && !isVisitor) {
    const to = presenceKey(realm);
    // Presence has no version: the next report brings changes in between (architecture/actors.md § Presence).
    await presenceReplicaOf(directory).sync((known) => sources.ask(to, presenceCommands.presenceChanges, { known }));
  }
  // Nothing is awaited from here on, so the replica stays at the version that is noted.
  if (withSubscribers && directory.usersVersion !== usersVersion && !last) return undefined;
  versions[realmKey(realm)] = directory.version;
  const account = directory.user(user.id) ?? user;
  if (!account.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  const unreadable = new Set<DirectoryBot>();
  const inputs: SnapshotInputs = {
    user: account,
    directory,
    args,
    now: sources.services.clock.now(),
    limits: sources.services.limits,
    unseal: (sealed) => sources.services.secrets.tryOpen(sealed),
    unreadable,
    subscriptions,
    subscribers: subscribers.of,
  };
  if (wanted('realm_user')) parts.push(userSections(inputs));
  parts.push(...makePersonalSections(inputs, wanted));
  if (unreadable.size > 0 && !last) {
    await renewKeys(realm, unreadable, sources);
    return undefined;
  }
  if (wanted('subscription')) parts.push(subscriptionSections(inputs));
  if (wanted('stream')) parts.push(streamSections(inputs));
  if (own) parts.push(ownSections(inputs, own, wanted));
  if (wanted('presence')) parts.push(isVisitor ? visitorPresenceSection(inputs) : presenceSection(inputs));
  const encoded = isVisitor
    ? [...makeSharedSections(inputs, wanted), ...parts].map(hideFromVisitor).flatMap(encodeFieldParts)
    : [...encodeSharedSections(inputs, wanted), ...parts.flatMap(encodeFieldParts)];
  return { start: end, subscribersAsOf: subscribers.position, incarnation, versions, countedMessages, parts: encoded };
}
