/**
 * One round of sending: finds the receivers of the pushes that are due, sends to each in the order of the pushes, and
 * says how it went. Receivers do not wait for each other.
 */
import type { JsonObject } from '#base';
import {
  decryptWebPushSubscription,
  makeBrowserPushMessage,
  makeBrowserRemovalMessage,
  makeGatewayPushMessage,
  makeGatewayRemovalMessage,
  type PushDeliveryOutcome,
  type PushDevice,
  type PushedMessage,
  type PushNotificationSender,
  type WebPushSubscription,
} from '#domain/push';
import { isSessionAlive } from '#domain/secrets';
import {
  type ActorKey,
  type ActorParts,
  parseActorKey,
  type RealmId,
  toUserId,
  type UserId,
  userActorKey,
} from '#model';
import { type PushFacts, userActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { ActorInputSources } from '../services.js';
import { listWaitingPushes, type PushActorState, type WaitingPush } from './state.js';

export const accountOfPushActorKey = (key: ActorKey): UserId => toUserId(Number(parseActorKey(key).rest));

/** The result of one push at all its receivers. */
export interface SentPushResult {
  readonly push: WaitingPush;
  /** Receivers that are to get it later. */
  readonly left: readonly string[];
  /** True if an attempt failed; otherwise the receivers in `left` wait for an earlier push. */
  readonly failed: boolean;
  /** Pause that a receiver asks for, ms. */
  readonly afterMs: number;
  /** The push was delivered to some receiver. */
  readonly delivered: boolean;
}

export interface PushSendingRound {
  readonly results: readonly SentPushResult[];
  /** Hashes of the endpoints of subscriptions that have ended. */
  readonly endedEndpoints: readonly string[];
  readonly goneTokens: readonly string[];
}

/** nothing: there is nothing to say to this receiver. behind: an earlier push has to be sent first. */
type Attempt = PushDeliveryOutcome | { readonly is: 'nothing' } | { readonly is: 'behind' };

interface Receiver {
  /** Stable over attempts. */
  readonly name: string;
  send(push: WaitingPush): Promise<Attempt>;
}

const GATEWAY = 'gateway';
const NOTHING: Attempt = { is: 'nothing' };
const BEHIND: Attempt = { is: 'behind' };
/** Number of pushes per round; further ones follow at once. */
const BATCH = 16;

export async function sendDuePushes(
  key: ActorKey,
  realm: RealmId,
  { parts, state }: { readonly parts: ActorParts; readonly state: PushActorState },
  sources: ActorInputSources,
): Promise<PushSendingRound> {
  const now = sources.services.clock.now();
  const waiting = listWaitingPushes(parts);
  const pushes = waiting.filter(({ next }) => next <= now).slice(0, BATCH);
  const early = waiting.filter(({ next }) => next > now);
  const user = accountOfPushActorKey(key);
  const directory = await sources.directory(realm);
  const goneTokens: string[] = [];
  const endedEndpoints: string[] = [];
  if (pushes.length === 0) return { results: [], endedEndpoints, goneTokens };
  if (!directory.user(user)?.isActive || directory.deactivated)
    return { results: pushes.map(dropped), endedEndpoints, goneTokens };
  const ids = [...new Set(pushes.flatMap(({ event, messages }) => (event === 'message' ? messages : [])))];
  const facts = await sources.ask(userActorKey(realm, user), userActorCommands.pushFacts, { ids }, user);
  const said = new Sayings(facts, user, directory, sources.services.push, state.shown);
  const receivers = [
    ...browsersOf(user, directory, said, sources, endedEndpoints),
    ...gatewayOf(key, facts.devices as readonly PushDevice[], directory, said, sources.services.push, goneTokens),
  ];
  const fates = await Promise.all(receivers.map((receiver) => sendInOrder(receiver, pushes, early)));
  const results = pushes.map((push, i): SentPushResult => {
    const own = receivers.map(({ name }, r) => ({ name, fate: fates[r]![i]! }));
    const failed = own.flatMap(({ fate }) => (fate.is === 'later' ? [fate.afterMs] : []));
    return {
      push,
      left: own.filter(({ fate }) => fate.is === 'later' || fate.is === 'behind').map(({ name }) => name),
      failed: failed.length > 0,
      afterMs: Math.max(0, ...failed),
      delivered: own.some(({ fate }) => fate.is === 'done'),
    };
  });
  return { results, endedEndpoints, goneTokens };
}

const dropped = (push: WaitingPush): SentPushResult => ({
  push,
  left: [],
  failed: false,
  afterMs: 0,
  delivered: false,
});

/**
 * Sends to one receiver, in order: a push waits behind an earlier one that the receiver did not take yet.
 * @param early waiting pushes that are not due yet
 */
async function sendInOrder(
  { name, send }: Receiver,
  pushes: readonly WaitingPush[],
  early: readonly WaitingPush[],
): Promise<Attempt[]> {
  const fates: Attempt[] = [];
  const [first] = early.filter(({ left }) => left?.includes(name));
  let stopped: Attempt | undefined;
  for (const push of pushes) {
    if (first && first.number < push.number) stopped ??= BEHIND;
    if (push.left !== null && !push.left.includes(name)) fates.push(NOTHING);
    else if (stopped) fates.push(stopped);
    else {
      const fate = await send(push);
      fates.push(fate);
      if (fate.is === 'later') stopped = BEHIND;
      else if (fate.is === 'gone') stopped = NOTHING;
    }
  }
  return fates;
}

/** The content of pushes at this moment. */
class Sayings {
  constructor(
    private readonly facts: PushFacts,
    private readonly user: UserId,
    private readonly directory: DirectoryView,
    private readonly sender: PushNotificationSender,
    private readonly shown: readonly number[],
  ) {}

  /** @returns undefined if there is nothing to say: the message was read or deleted, or no notification shows it */
  forBrowser(push: WaitingPush): JsonObject | undefined {
    if (push.event === 'remove') return this.#removed(push, makeBrowserRemovalMessage);
    const message = this.#message(push);
    return message && makeBrowserPushMessage(message, this.user, this.directory, this.sender.options.content);
  }

  forGateway(push: WaitingPush): JsonObject | undefined {
    if (push.event === 'remove') return this.#removed(push, makeGatewayRemovalMessage);
    const message = this.#message(push);
    return message && makeGatewayPushMessage(message, push.trigger, this.sender.options.content);
  }

  #message({ messages: [id] }: WaitingPush): PushedMessage | undefined {
    return this.facts.messages[String(id)] as PushedMessage | undefined;
  }

  #removed({ messages }: WaitingPush, say: (messages: readonly number[]) => JsonObject): JsonObject | undefined {
    const ids = messages.filter((id) => this.shown.includes(id));
    return ids.length === 0 ? undefined : say(ids);
  }
}

function browsersOf(
  user: UserId,
  directory: DirectoryView,
  said: Sayings,
  { services: { clock, push: sender, secrets } }: ActorInputSources,
  ended: string[],
): Receiver[] {
  if (!sender.options.browsers) return [];
  const now = clock.now();
  return (directory.sessionsOf(user)?.sessions ?? []).flatMap((session): Receiver[] => {
    const { push: stored } = session;
    if (!stored || !isSessionAlive(session, now)) return [];
    const subscription: WebPushSubscription | undefined = decryptWebPushSubscription(secrets, stored.sealed);
    if (!subscription) return [];
    const send = async (push: WaitingPush): Promise<Attempt> => {
      const payload = said.forBrowser(push);
      if (!payload) return NOTHING;
      const topic = secrets.sign(`push-topic/${payload.tag ?? `remove/${push.number}`}`);
      const fate = await sender.toBrowser(subscription, payload, topic);
      if (fate.is === 'gone') ended.push(stored.endpointHash);
      return fate;
    };
    return [{ name: stored.endpointHash, send }];
  });
}

function gatewayOf(
  key: ActorKey,
  devices: readonly PushDevice[],
  directory: DirectoryView,
  said: Sayings,
  sender: PushNotificationSender,
  goneTokens: string[],
): Receiver[] {
  const { gateway, site } = sender.options;
  if (!gateway || devices.length === 0) return [];
  const { realm } = parseActorKey(key);
  const user = accountOfPushActorKey(key);
  const send = async (push: WaitingPush): Promise<Attempt> => {
    const saying = said.forGateway(push);
    if (!saying) return NOTHING;
    const { fate, gone } = await sender.toGateway(gateway, {
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
  return [{ name: GATEWAY, send }];
}
