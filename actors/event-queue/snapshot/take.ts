/**
 * The state that POST /register sends, with what it contains named by actor and version, so that the queue can leave
 * out exactly the events that the snapshot already shows (design § 3).
 */

import { readOwnState } from '#actors/shared';
import type { Json } from '#base';
import { encodeParts, type Fields } from '#base';
import type { Limits } from '#domain/files';
import { newestMessage, recentConversations } from '#domain/messages';
import type { Unseal } from '#domain/people';
import { presencesIn } from '#domain/presence';
import type { Subscription } from '#domain/streams';
import type { DirectoryView } from '#model';
import { type ActorKey, presenceKey, type RealmId, realmKey, type Seq, userId } from '#model';
import { type OwnSection, presenceCommands, type RegisterArgs, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryBot, DirectoryUser } from '#model/records';
import type { NeedsContext, Suppliers } from '#runtime';
import type { QueueState, QueueVolatile } from '../state.js';
import { readWithSubscribers, untilFirstsAreShown } from './memberships.js';
import { messageReads, readStarred, readUnread, type ShownMessages } from './message-sections.js';
import { ownSections } from './own-sections.js';
import { presenceSection, visitorsPresence } from './presence-section.js';
import { encodedShared, personalSections, sharedSections } from './sections.js';
import { streamSections, subscriptionSections } from './stream-sections.js';
import { userSections } from './user-sections.js';
import { forTheWeb, nothingOwn, VISITOR } from './visitor.js';

export interface Snapshot {
  readonly start: Seq;
  /** Log position up to which lists of subscribers show everything. */
  readonly listed: Seq;
  readonly incarnation: string;
  readonly covers: Record<ActorKey, number>;
  /** Messages that it takes into account; null = it says nothing of single messages. */
  readonly shows: ShownMessages | null;
  /** Response fields, encoded. */
  readonly parts: readonly Uint8Array[];
}

/** What sections are made of. */
export interface SnapshotInputs {
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly args: RegisterArgs;
  readonly now: number;
  readonly limits: Limits;
  /** Makes keys readable for those who may read them. */
  readonly unseal: Unseal;
  /** Takes bots of which something could not be read. */
  readonly unreadable: Set<DirectoryBot>;
  readonly subscriptions: readonly Subscription[];
  /** Stream → subscribers; empty unless asked for. */
  readonly subscribers: ReadonlyMap<number, readonly number[]>;
}

/** Parts of the user's actor that make up the wanted sections of the response. */
const OWN: { readonly [S in OwnSection]: readonly string[] } = {
  subscriptions: ['subscription', 'message', 'stream'],
  drafts: ['drafts'],
  scheduled: ['scheduled_messages'],
  topics: ['muted_topics', 'user_topic', 'message'],
  reading: ['message', 'starred_messages'],
  hotspots: ['hotspots'],
};

const MESSAGE_SECTIONS = ['message', 'recent_private_conversations', 'starred_messages'];

const ownNeeded = (wanted: (section: string) => boolean): OwnSection[] =>
  (Object.keys(OWN) as OwnSection[]).filter((section) => OWN[section].some(wanted));

/** Accounts may change each time; then subscribers of deactivated ones are as wrong as anywhere for a moment. */
const MOST_ATTEMPTS = 4;

/** A queue's own command: its needs. */
export async function takeSnapshot(
  args: RegisterArgs,
  context: NeedsContext<QueueState, QueueVolatile>,
  suppliers: Suppliers,
): Promise<Snapshot> {
  for (let attempt = 1; ; attempt++) {
    const taken = await takeOnce(args, context, suppliers, attempt === MOST_ATTEMPTS);
    if (taken) return taken;
  }
}

/** Keys that were sealed under a former server secret open nothing. A reader with a right to such a key gets a new one. */
async function renewKeys(realm: RealmId, bots: ReadonlySet<DirectoryBot>, { ask }: Suppliers): Promise<void> {
  for (const { user, keySealed } of bots) {
    await ask(realmKey(realm), realmCommands.renewBotKey, { user, instead: keySealed });
  }
}

/**
 * @returns undefined where accounts changed meanwhile (subscribers were read before, and the event that removes one is
 * covered), or keys were replaced
 */
async function takeOnce(
  args: RegisterArgs,
  { realm, caller }: NeedsContext<QueueState, QueueVolatile>,
  suppliers: Suppliers,
  last: boolean,
): Promise<Snapshot | undefined> {
  // Whoever was answered before must not hear of what he did as of something new.
  await suppliers.told(realm);
  // The log's end comes first: whatever the parts below lack is in the log after it.
  const { end, incarnation } = await suppliers.log.position(realm);
  const wanted = (section: string): boolean => args.fetch === null || args.fetch.includes(section);
  const covers: Record<ActorKey, number> = {};
  const directory = await suppliers.directory(realm);
  // What is before that end will never come as an event: the replica must show it.
  const feed = await suppliers.services.feeds.of(realm);
  await feed.reach(end);
  const isVisitor = caller === VISITOR.id;
  const user = isVisitor ? VISITOR : directory.user(userId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  const sections = ownNeeded(wanted);
  const listed = wanted('subscription') && args.options.includeSubscribers;
  const { usersVersion } = directory;
  const { own, subscribers } = await readWithSubscribers(
    realm,
    user.id,
    listed,
    () => {
      if (sections.length === 0) return undefined;
      return isVisitor ? nothingOwn(sections) : readOwnState(realm, user.id, sections, suppliers);
    },
    feed,
    suppliers,
    covers,
  );
  // Sections that weren't asked for are absent, and so are the response fields made of them.
  const { subscriptions = [] } = own ?? {};
  const parts: Fields[] = [];
  let shown: ShownMessages | null = null;
  // After the versions of the user and the streams were read: what they cover must be counted.
  const { reading = [] } = own ?? {};
  const reads = MESSAGE_SECTIONS.some(wanted) ? await messageReads(feed.overview, reading, suppliers) : suppliers.store;
  if (own && wanted('message')) {
    if (wanted('update_message_flags')) {
      const unread = await readUnread(realm, user.id, own, reads, suppliers);
      parts.push({ unread_msgs: unread.section });
      shown = unread.shows;
      await untilFirstsAreShown(realm, shown.streams, suppliers);
    }
    const streams = subscriptions.map((own) => own.stream);
    parts.push({ max_message_id: await newestMessage(reads, realm, user.id, streams) });
  }
  if (wanted('recent_private_conversations')) {
    const recent = isVisitor ? [] : await recentConversations(reads, realm, user.id);
    parts.push({ recent_private_conversations: recent as unknown as Json });
  }
  if (own && wanted('starred_messages')) {
    parts.push({ starred_messages: await readStarred(realm, user.id, own, reads) });
  }
  if (wanted('presence') && !isVisitor) {
    const to = presenceKey(realm);
    // Not named by any version: what changes in between is told by the next report (docs/architecture.md § Presence).
    await presencesIn(directory).sync((known) => suppliers.ask(to, presenceCommands.presenceChanges, { known }));
  }
  // From here on nothing is awaited: the replica stands still, and its version says what it shows.
  if (listed && directory.usersVersion !== usersVersion && !last) return undefined;
  covers[realmKey(realm)] = directory.version;
  const account = directory.user(user.id) ?? user;
  if (!account.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  const unreadable = new Set<DirectoryBot>();
  const inputs: SnapshotInputs = {
    user: account,
    directory,
    args,
    now: suppliers.services.clock.now(),
    limits: suppliers.services.limits,
    unseal: (sealed) => suppliers.services.secrets.opened(sealed),
    unreadable,
    subscriptions,
    subscribers: subscribers.of,
  };
  if (wanted('realm_user')) parts.push(userSections(inputs));
  parts.push(...personalSections(inputs, wanted));
  if (unreadable.size > 0 && !last) {
    await renewKeys(realm, unreadable, suppliers);
    return undefined;
  }
  if (wanted('subscription')) parts.push(subscriptionSections(inputs));
  if (wanted('stream')) parts.push(streamSections(inputs));
  if (own) parts.push(ownSections(inputs, own, wanted));
  if (wanted('presence')) parts.push(isVisitor ? visitorsPresence(inputs) : presenceSection(inputs));
  const encoded = isVisitor
    ? [...sharedSections(inputs, wanted), ...parts].map(forTheWeb).flatMap(encodeParts)
    : [...encodedShared(inputs, wanted), ...parts.flatMap(encodeParts)];
  return { start: end, listed: subscribers.position, incarnation, covers, shows: shown, parts: encoded };
}
