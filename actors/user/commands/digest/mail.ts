/**
 * The weekly digest: one mail, when the planned time has come, to a user who was away. The commit that ends the plan
 * sends the mail, so neither a crash nor a hand-over doubles it.
 */
import { makeSendMailCommand } from '#actors/shared';
import type { Json } from '#base';
import { composeWeeklyDigestMail, type MailedDigestTopic } from '#domain/notifications';
import { compareByName, mayAccessStream } from '#domain/streams';
import { type ActorParts, toStreamId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { findContentWithheldReason, makeMailReceiver } from '../../mail-receiver.js';
import { isSubscribedToStream, userIdOfUserActorKey } from '../../state.js';
import {
  makePlannedAheadRemoval,
  makeWeeklyDigestPartChange,
  type PlannedDigest,
  readWeeklyDigestRecord,
} from '../../weekly-digest.js';
import { isDigestWanted, isTopicInDigests, type WeeklyDigestInputs } from './load.js';

/** Maximum number of new streams that a digest names. */
const MAX_NEW_STREAMS_SHOWN = 10;
/** Milliseconds until the next attempt when the user's last activity could not be read. */
const ACTIVITY_RETRY_MS = 60_000;

interface WeeklyDigestOutcome {
  readonly parts: Readonly<Record<string, Json>>;
  readonly commands: readonly OutboxCommand[];
}

/** Makes the digest that is due, or ends its plan without a mail. */
export function makeWeeklyDigest(
  parts: ActorParts,
  inputs: WeeklyDigestInputs,
  context: CommandContext,
): WeeklyDigestOutcome {
  const { directory, key, now } = context;
  const record = readWeeklyDigestRecord(parts, now);
  const { plan } = record;
  if (!plan || plan.at !== inputs.at || plan.due > now)
    return { parts: makePlannedAheadRemoval(parts, now), commands: [] };
  const user = directory.user(userIdOfUserActorKey(key));
  const ended = { parts: makeWeeklyDigestPartChange({ ...record, plan: null }), commands: [] };
  if (!isDigestWanted(plan, user, directory, now)) return ended;
  if (inputs.lastActive === null) {
    const again = { ...record, plan: { ...plan, due: now + ACTIVITY_RETRY_MS } };
    return { parts: makeWeeklyDigestPartChange(again), commands: [] };
  }
  const mail = inputs.lastActive > plan.inactiveSince ? undefined : makeDigestMail(plan, user, parts, inputs, context);
  if (!mail) return ended;
  const mailed = { lastMailed: { plannedAt: plan.at, toldUntil: now }, plan: null };
  return { parts: makeWeeklyDigestPartChange(mailed), commands: [mail] };
}

/** Returns the mail; undefined if there is nothing to tell. */
function makeDigestMail(
  { origin }: PlannedDigest,
  user: DirectoryUser,
  parts: ActorParts,
  inputs: WeeklyDigestInputs,
  { directory, realm }: CommandContext,
): OutboxCommand | undefined {
  const { sealedUnsubscribeUrl: unsubscribe, since } = inputs;
  const topics = inputs.topics
    .filter(({ stream, topic }) => isTopicInDigests(stream, topic, user, parts, directory))
    .map(
      (of): MailedDigestTopic => ({
        ...of,
        stream: { id: of.stream, name: directory.stream(toStreamId(of.stream))?.name ?? '' },
      }),
    );
  const isNew = (stream: DirectoryStream): boolean =>
    stream.created >= Math.floor(since / 1_000) &&
    mayAccessStream(user, stream, isSubscribedToStream(parts, stream.id));
  const newStreams = [...directory.streams()].filter(isNew).sort(compareByName);
  if (topics.length === 0 && newStreams.length === 0) return undefined;
  const mail = composeWeeklyDigestMail({
    topics,
    newStreams: newStreams.slice(0, MAX_NEW_STREAMS_SHOWN),
    moreNewStreams: Math.max(0, newStreams.length - MAX_NEW_STREAMS_SHOWN),
    withheld: findContentWithheldReason(user, directory),
    organization: directory.settings.name,
    origin,
    receiver: { id: user.id, ...makeMailReceiver(user, directory) },
    unsubscribe,
  });
  return makeSendMailCommand(realm, { to: user.deliveryEmail, ...mail, unsubscribe, bulk: true, needs: user.id });
}
