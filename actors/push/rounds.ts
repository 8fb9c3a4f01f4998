/**
 * One round of sending: finds the receivers of the pushes that are due, sends to each in the order of the pushes, and
 * says how it went. Receivers do not wait for each other.
 */
import type { JsonObject } from '#base';
import {
  makeBrowserNotificationRemoval,
  makeBrowserPushMessage,
  makeGatewayNotificationRemoval,
  makeGatewayPushBody,
  type PushDeliveryOutcome,
  type PushDevice,
  type PushedMessage,
  type PushNotificationSender,
  unsealWebPushSubscription,
  type WebPushSubscription,
} from '#domain/push';
import { isSessionUnexpired } from '#domain/secrets';
import {
  type ActorKey,
  type ActorParts,
  parseActorKey,
  type RealmId,
  toUserId,
  type UserId,
  userActorKey,
} from '#model';
import { type PushAccountFacts, userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { ActorInputSources } from '../services.js';
import { listWaitingPushes, type PushActorState, type WaitingPush } from './state.js';

export const userIdOfPushActorKey = (key: ActorKey): UserId => toUserId(Number(parseActorKey(key).idWithinRealm));

/** The result of one push at all its receivers. */
export interface PushResultAtAllReceivers {
  readonly push: WaitingPush;
  /** Receivers that are to get it later. */
  readonly receiversLeft: readonly string[];
  /** True if an attempt failed; otherwise the receivers in `left` wait for an earlier push. */
  readonly hasFailedAttempt: boolean;
  /** Pause that a receiver asks for, ms. */
  readonly requestedPauseMs: number;
  /** The push was delivered to some receiver. */
  readonly wasDelivered: boolean;
}

export interface PushSendingRoundResults {
  readonly results: readonly PushResultAtAllReceivers[];
  /** Hashes of the endpoints of subscriptions that have ended. */
  readonly endedEndpointHashes: readonly string[];
  readonly endedDeviceTokens: readonly string[];
}

/** nothing: there is nothing to say to this receiver. behind: an earlier push has to be sent first. */
type PushAttemptOutcome = PushDeliveryOutcome | { readonly is: 'nothing' } | { readonly is: 'behind' };

interface PushReceiver {
  /** Stable over attempts. */
  readonly name: string;
  send(push: WaitingPush): Promise<PushAttemptOutcome>;
}

const GATEWAY_RECEIVER_NAME = 'gateway';
const NOTHING_TO_SEND_OUTCOME: PushAttemptOutcome = { is: 'nothing' };
const BEHIND_EARLIER_PUSH_OUTCOME: PushAttemptOutcome = { is: 'behind' };
/** Number of pushes per round; further ones follow at once. */
const MAX_PUSHES_PER_ROUND = 16;

export async function sendDuePushes(
  key: ActorKey,
  realm: RealmId,
  { parts, state }: { readonly parts: ActorParts; readonly state: PushActorState },
  sources: ActorInputSources,
): Promise<PushSendingRoundResults> {
  const now = sources.services.clock.now();
  const waiting = listWaitingPushes(parts, now);
  const pushes = waiting.filter(({ next }) => next <= now).slice(0, MAX_PUSHES_PER_ROUND);
  const early = waiting.filter(({ next }) => next > now);
  const user = userIdOfPushActorKey(key);
  const directory = await sources.loadDirectory(realm);
  const goneTokens: string[] = [];
  const endedEndpoints: string[] = [];
  if (pushes.length === 0) return { results: [], endedEndpointHashes: endedEndpoints, endedDeviceTokens: goneTokens };
  if (!directory.user(user)?.isActive || directory.deactivated)
    return {
      results: pushes.map(makeDroppedPushResult),
      endedEndpointHashes: endedEndpoints,
      endedDeviceTokens: goneTokens,
    };
  const ids = [...new Set(pushes.flatMap(({ event, messages }) => (event === 'message' ? messages : [])))];
  const facts = await sources.askActor(userActorKey(realm, user), userActorCommands.pushFacts, { ids }, user);
  const said = new PushContentMaker(facts, user, directory, sources.services.push, state.shown);
  const receivers = [
    ...makeBrowserReceivers(user, directory, said, sources, endedEndpoints),
    ...makeGatewayReceivers(
      key,
      facts.devices as readonly PushDevice[],
      directory,
      said,
      sources.services.push,
      goneTokens,
    ),
  ];
  const fates = await Promise.all(receivers.map((receiver) => sendPushesInOrderToReceiver(receiver, pushes, early)));
  const results = pushes.map((push, i): PushResultAtAllReceivers => {
    const own = receivers.map(({ name }, r) => ({ name, fate: fates[r]![i]! }));
    const failed = own.flatMap(({ fate }) => (fate.is === 'later' ? [fate.afterMs] : []));
    return {
      push,
      receiversLeft: own.filter(({ fate }) => fate.is === 'later' || fate.is === 'behind').map(({ name }) => name),
      hasFailedAttempt: failed.length > 0,
      requestedPauseMs: Math.max(0, ...failed),
      wasDelivered: own.some(({ fate }) => fate.is === 'done'),
    };
  });
  return { results, endedEndpointHashes: endedEndpoints, endedDeviceTokens: goneTokens };
}

const makeDroppedPushResult = (push: WaitingPush): PushResultAtAllReceivers => ({
  push,
  receiversLeft: [],
  hasFailedAttempt: false,
  requestedPauseMs: 0,
  wasDelivered: false,
});

/**
 * Sends to one receiver, in order: a push waits behind an earlier one that the receiver did not take yet.
 * @param early waiting pushes that are not due yet
 */
async function sendPushesInOrderToReceiver(
  { name, send }: PushReceiver,
  pushes: readonly WaitingPush[],
  early: readonly WaitingPush[],
): Promise<PushAttemptOutcome[]> {
  const fates: PushAttemptOutcome[] = [];
  const [first] = early.filter(({ left }) => left?.includes(name));
  let stopped: PushAttemptOutcome | undefined;
  for (const push of pushes) {
    if (first && first.number < push.number) stopped ??= BEHIND_EARLIER_PUSH_OUTCOME;
    if (push.left !== null && !push.left.includes(name)) fates.push(NOTHING_TO_SEND_OUTCOME);
    else if (stopped) fates.push(stopped);
    else {
      const fate = await send(push);
      fates.push(fate);
      if (fate.is === 'later') stopped = BEHIND_EARLIER_PUSH_OUTCOME;
      else if (fate.is === 'gone') stopped = NOTHING_TO_SEND_OUTCOME;
    }
  }
  return fates;
}

/** The content of pushes at this moment. */
class PushContentMaker {
  constructor(
    private readonly facts: PushAccountFacts,
    private readonly user: UserId,
    private readonly directory: DirectoryView,
    private readonly sender: PushNotificationSender,
    private readonly shown: readonly number[],
  ) {}

  /** @returns undefined if there is nothing to say: the message was read or deleted, or no notification shows it */
  makeBrowserContent(push: WaitingPush): JsonObject | undefined {
    if (push.event === 'remove') return this.#makeRemovalContent(push, makeBrowserNotificationRemoval);
    const message = this.#findPushedMessage(push);
    return message && makeBrowserPushMessage(message, this.user, this.directory, this.sender.options.content);
  }

  makeGatewayContent(push: WaitingPush): JsonObject | undefined {
    if (push.event === 'remove') return this.#makeRemovalContent(push, makeGatewayNotificationRemoval);
    const message = this.#findPushedMessage(push);
    return message && makeGatewayPushBody(message, push.trigger, this.sender.options.content);
  }

  #findPushedMessage({ messages: [id] }: WaitingPush): PushedMessage | undefined {
    return this.facts.messages[String(id)] as PushedMessage | undefined;
  }

  #makeRemovalContent(
    { messages }: WaitingPush,
    say: (messages: readonly number[]) => JsonObject,
  ): JsonObject | undefined {
    const ids = messages.filter((id) => this.shown.includes(id));
    return ids.length === 0 ? undefined : say(ids);
  }
}

function makeBrowserReceivers(
  user: UserId,
  directory: DirectoryView,
  said: PushContentMaker,
  { services: { clock, push: sender, secrets } }: ActorInputSources,
  ended: string[],
): PushReceiver[] {
  if (!sender.options.browsers) return [];
  const now = clock.now();
  return (directory.sessionsOf(user)?.sessions ?? []).flatMap((session): PushReceiver[] => {
    const { push: stored } = session;
    if (!stored || !isSessionUnexpired(session, now)) return [];
    const subscription: WebPushSubscription | undefined = unsealWebPushSubscription(secrets, stored.sealed);
    if (!subscription) return [];
    const send = async (push: WaitingPush): Promise<PushAttemptOutcome> => {
      const payload = said.makeBrowserContent(push);
      if (!payload) return NOTHING_TO_SEND_OUTCOME;
      const topic = secrets.signPurposePrefixedText(`push-topic/${payload.tag ?? `remove/${push.number}`}`);
      const fate = await sender.pushToBrowser(subscription, payload, topic);
      if (fate.is === 'gone') ended.push(stored.endpointHash);
      return fate;
    };
    return [{ name: stored.endpointHash, send }];
  });
}

function makeGatewayReceivers(
  key: ActorKey,
  devices: readonly PushDevice[],
  directory: DirectoryView,
  said: PushContentMaker,
  sender: PushNotificationSender,
  goneTokens: string[],
): PushReceiver[] {
  const { gateway, site } = sender.options;
  if (!gateway || devices.length === 0) return [];
  const { realm } = parseActorKey(key);
  const user = userIdOfPushActorKey(key);
  const send = async (push: WaitingPush): Promise<PushAttemptOutcome> => {
    const saying = said.makeGatewayContent(push);
    if (!saying) return NOTHING_TO_SEND_OUTCOME;
    const { fate, gone } = await sender.postToGateway(gateway, {
      version: 1,
      id: `${realm}-${user}-${push.number}-${push.since.toString(36)}`,
      realm: { id: realm, name: directory.settings.name, url: site(directory.subdomain) },
      user_id: user,
      devices,
      ...saying,
    });
    goneTokens.push(...gone);
    return fate;
  };
  return [{ name: GATEWAY_RECEIVER_NAME, send }];
}
