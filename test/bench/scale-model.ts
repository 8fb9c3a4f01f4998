/**
 * A model of a large cluster, computed with Conclave's own code: which host has a person's event queues (hash of the
 * partition, equal shares of the hosts), and which processes need an entry of the log (head of the entry, index of
 * queues). CPU costs are constants from measurements. The program starts no server and asserts nothing: `node
 * dist/test/bench/scale-model.js [--people N] [--hosts N]`, about a minute.
 */
import { parseArgs } from 'node:util';
import type { Json, JsonObject } from '#base';
import { type EventFeedSubscriber, EventQueueCursor } from '#delivery';
import type { StreamMembershipRecord } from '#domain/streams';
import {
  type LogEntry,
  type LogEntryHead,
  type LogItem,
  makeLogEntryHead,
  PARTITION_COUNT,
  type Partition,
  partitionOfActor,
  streamActorKey,
  toLogSeq,
  toPartition,
  toRealmId,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import { EventQueueIndex } from '../../src/delivery/queue-index.js';
import { encodeLogEntry } from '../../src/ports/log/entry-codec.js';
import { DesiredPartitionOwners } from '../../src/ports/placement/desired-owners.js';
import { Random } from '../cluster/scheduler.js';

/**
 * CPU of each operation, µs, from docs/performance.md and docs/scaling.md. All values are of one kind of machine: 2
 * cores of a Xeon, on which a bare server needs 7 to 10 µs for a request. Other machines are two or three times as fast
 * at all operations. The cost of a log entry is `entry`, the cost of a bare subscription, plus the receiver's work:
 * `unneeded` or `needed`.
 */
const CPU_MICROS = {
  entry: { message: 3.5, flags: 3.5, typing: 3 },
  unneeded: { host: 2, frontend: 2 },
  /** Decoding, memberships, and the search for recipients among 200 members; deliveries have their own cost. */
  needed: { message: 30, flags: 30, typing: 9 },
  send: { host: 364, frontend: 182 },
  delivery: { host: 59.5, frontend: 59.5 },
  heartbeat: { host: 50, frontend: 50 },
  presence: { host: 75, frontend: 75 },
  otherRequest: { host: 150, frontend: 150 },
} as const;

/** Requests per second of one person online: ten messages an hour, and five other requests for each message. */
const REQUESTS_PER_SECOND = { messages: 10 / 3_600, otherRequests: 50 / 3_600, heartbeats: 1 / 50, presence: 1 / 60 };
/** Log values per message: the message, two changes of flags and two typing notices. The fifth request only reads. */
const VALUES_PER_MESSAGE = { message: 1, flags: 2, typing: 2 } as const;
/** Share of direct messages to one other person; all other messages go to streams. */
const DIRECT_SHARE = 0.2;
/** Number of subscribers of each stream. */
const STREAM_AUDIENCE = 250;
const SAMPLED_MESSAGES = 1_000;
/** Bytes that NATS adds to each value: subject, headers and framing. */
const NATS_BYTES = { stored: 170, transient: 40 };
/** Planned CPU use of a frontend, as a share of its core. */
const MAX_CORE_USE = 0.6;
const SEED = 1;

type ValueKind = keyof typeof VALUES_PER_MESSAGE;
const VALUE_KINDS = Object.keys(VALUES_PER_MESSAGE) as ValueKind[];

class ModelQueue implements EventFeedSubscriber {
  readonly allPublic = false;
  readonly cursor = CURSOR;

  constructor(readonly user: number) {}

  push(): void {}
  pushTransient(): void {}
  wentLive(): void {}
  trimmed(): void {}
}
const CURSOR = new EventQueueCursor(toLogSeq(0), {});

const hostNames = (count: number): string[] => Array.from({ length: count }, (_, i) => `host${i + 1}`);
const HEALTHY_HOST = {
  draining: false,
  leaving: false,
  unable: false,
  store: null,
  end: null,
  sharing: 'even',
} as const;

/** @param before current owners of the partitions. @returns the owners once all partitions have moved to these hosts */
function placePartitions(hosts: readonly string[], before: readonly string[] = []): readonly string[] {
  const candidates = hosts.map((id) => ({ id, value: HEALTHY_HOST, isFresh: true }));
  const owners = new DesiredPartitionOwners(candidates, { ownerOf: (p) => before[p] });
  return Array.from({ length: PARTITION_COUNT }, (_, p) => owners.chooseHomeHost(toPartition(p))!);
}

/** @returns the owners of the partitions after the hosts have joined one by one */
const placeAfterJoins = (hosts: readonly string[]): readonly string[] =>
  hosts.reduce<readonly string[]>((owners, _, i) => placePartitions(hosts.slice(0, i + 1), owners), []);

interface Organizations {
  readonly count: number;
  readonly peopleEach: number;
}

interface SampledValue {
  readonly kind: ValueKind;
  readonly head: LogEntryHead;
  readonly bytes: number;
  readonly recipients: readonly number[];
}

const partitionOfPerson = (realm: number, user: number): Partition =>
  partitionOfActor(userActorKey(toRealmId(realm), toUserId(user)));

function makeMessage(stream: number | undefined, users: readonly number[]): LogItem {
  const common: JsonObject = {
    ...{ id: 123_456_789, sender_id: users[0]!, content_type: 'text/html', recipient_id: 12, timestamp: 1_700_000_000 },
    ...{ client: 'website', subject: 'lunch', topic_links: [], is_me_message: false, reactions: [], submessages: [] },
    ...{ sender_full_name: 'King Hamlet', sender_email: 'user7@example.com', sender_realm_str: 'team' },
    ...(stream === undefined
      ? { type: 'private', display_recipient: users.map((id) => ({ id, email: '', full_name: 'King Hamlet' })) }
      : { type: 'stream', stream_id: stream, display_recipient: 'Denmark' }),
  };
  const content = 'Shall we meet at **noon**, as usual? I would bring what is left of the cake.';
  const to = stream === undefined ? { users } : { stream, mv: 1 };
  return { t: 'message', to, message: { common, content, html: `<p>${content}</p>` }, flags: {} };
}

/** Random log values of one organization with their recipients, in the proportions of `VALUES_PER_MESSAGE`. */
class SampledOrganization {
  readonly membersByStream = new Map<number, Map<number, StreamMembershipRecord>>();

  constructor(
    private readonly people: number,
    private readonly random: Random,
  ) {}

  sample(messages: number): SampledValue[] {
    return Array.from({ length: messages }, (_, i) => this.#valuesOfMessage(i + 1)).flat();
  }

  #person = (): number => 1 + this.random.below(this.people);

  #valuesOfMessage(stream: number): SampledValue[] {
    const isDirect = this.random.chance(DIRECT_SHARE);
    const users = isDirect ? [this.#person(), this.#person()] : this.#makeStream(stream);
    const message = makeMessage(isDirect ? undefined : stream, users);
    const to = isDirect ? { users } : { stream, mv: 1 };
    const typing: LogItem = { t: 'event', to, event: { type: 'typing', op: 'start', sender: { user_id: users[0]! } } };
    const actor = streamActorKey(toRealmId(1), toStreamId(stream));
    const value = (kind: ValueKind, item: LogItem, recipients: readonly number[]): SampledValue => {
      const groups = [{ v: 100_000, p: 0, items: [item] }];
      const entry = kind === 'typing' ? item : ({ actor, groups } satisfies LogEntry);
      const bytes =
        encodeLogEntry(entry as unknown as Json).byteLength + NATS_BYTES[kind === 'typing' ? 'transient' : 'stored'];
      return { kind, head: makeLogEntryHead(groups), bytes, recipients };
    };
    const flags = (): SampledValue => {
      const reader = this.random.pick(users);
      const event = { type: 'update_message_flags', op: 'add', flag: 'read', messages: [123_456_789], all: false };
      return value('flags', { t: 'event', to: { users: [reader] }, event }, [reader]);
    };
    return [
      value('message', message, users),
      ...Array.from({ length: VALUES_PER_MESSAGE.flags }, flags),
      ...Array.from({ length: VALUES_PER_MESSAGE.typing }, () => value('typing', typing, users)),
    ];
  }

  #makeStream(id: number): number[] {
    const members = new Map<number, StreamMembershipRecord>();
    const size = Math.min(this.people, STREAM_AUDIENCE);
    const stays = [{ from: 1, to: 0, after: 0, until: 0 }];
    if (size === this.people) for (let user = 1; user <= size; user++) members.set(user, { stays });
    while (members.size < size) members.set(this.#person(), { stays });
    this.membersByStream.set(id, members);
    return [...members.keys()];
  }
}

interface HostNeeds {
  /** Number of hosts that read a value of each kind. */
  readonly reading: Record<ValueKind, number>;
  /** Mean number of these hosts that need the items of the value, because they have queues of its audience. */
  readonly needing: Record<ValueKind, number>;
  readonly bytes: Record<ValueKind, number>;
  readonly deliveriesPerMessage: number;
}

/** Counts the hosts of one organization that need each of the sampled values. */
function countHostNeeds(realm: number, people: number, owners: readonly string[], random: Random): HostNeeds {
  const conversations = new SampledOrganization(people, random);
  const values = conversations.sample(Math.max(20, Math.round(SAMPLED_MESSAGES / Math.max(1, 10_000 / people))));
  const indexByHost = new Map<string, EventQueueIndex>();
  for (let user = 1; user <= people; user++) {
    const host = owners[partitionOfPerson(realm, user)]!;
    let index = indexByHost.get(host);
    if (!index) {
      index = new EventQueueIndex((stream) => conversations.membersByStream.get(stream));
      indexByHost.set(host, index);
    }
    index.addQueue(new ModelQueue(user));
  }
  const zero = (): Record<ValueKind, number> => ({ message: 0, flags: 0, typing: 0 });
  const [needing, bytes, counts] = [zero(), zero(), zero()];
  let deliveries = 0;
  for (const { kind, head, bytes: size, recipients } of values) {
    counts[kind]++;
    bytes[kind] += size;
    deliveries += kind === 'message' ? recipients.length : 0;
    for (const index of indexByHost.values()) if (index.mayAudienceHaveQueues(head)) needing[kind]++;
  }
  for (const kind of VALUE_KINDS) {
    needing[kind] /= counts[kind];
    bytes[kind] /= counts[kind];
  }
  const reading = { message: indexByHost.size, flags: indexByHost.size, typing: indexByHost.size };
  return { reading, needing, bytes, deliveriesPerMessage: deliveries / counts.message };
}

const rangeText = (counts: readonly number[]): string => {
  const mean = counts.reduce((a, b) => a + b, 0) / counts.length;
  return `${Math.min(...counts)} to ${Math.max(...counts)}, mean ${mean.toFixed(1)}`;
};

/** Prints partitions and people per host, and how many of them move when a host joins or leaves. */
function reportPlacement(people: number, hosts: number): void {
  const names = hostNames(hosts);
  const owners = placeAfterJoins(names);
  const peopleOf = new Array<number>(PARTITION_COUNT).fill(0);
  for (let user = 1; user <= people; user++) peopleOf[partitionOfPerson(1, user)]!++;
  const partitions = names.map((name) => owners.filter((owner) => owner === name).length);
  const load = names.map((name) => owners.reduce((sum, owner, p) => sum + (owner === name ? peopleOf[p]! : 0), 0));
  const moved = (to: readonly string[]): string => {
    const others = owners.flatMap((owner, p) => (to[p] === owner ? [] : [p]));
    return `${others.length} partitions, ${others.reduce((sum, p) => sum + peopleOf[p]!, 0)} people`;
  };
  const most = names[load.indexOf(Math.max(...load))]!;
  const print = (what: string, value: string): void => void process.stdout.write(`| ${hosts} | ${what} | ${value} |\n`);
  print('partitions of a host', rangeText(partitions));
  print('people of a host', rangeText(load));
  print('busiest host over the mean', (Math.max(...load) / (people / hosts)).toFixed(2));
  print('moves when a host joins', moved(placePartitions([...names, 'newcomer'], owners)));
  print(
    'moves when the busiest host leaves',
    moved(
      placePartitions(
        names.filter((name) => name !== most),
        owners,
      ),
    ),
  );
}

interface Scenario extends Organizations {
  readonly hosts: number;
}

/** Prints the load of a cluster, from the costs above and from the needs of hosts in a sample of organizations. */
function reportLoad({ count, peopleEach, hosts }: Scenario): void {
  const random = new Random(SEED);
  const owners = placeAfterJoins(hostNames(hosts));
  const needsByOrganization = Array.from({ length: Math.min(count, peopleEach >= 100_000 ? 1 : 10) }, (_, i) =>
    countHostNeeds(i + 1, peopleEach, owners, random),
  );
  const mean = (of: (needs: HostNeeds) => number): number =>
    needsByOrganization.reduce((sum, needs) => sum + of(needs), 0) / needsByOrganization.length;
  const people = count * peopleEach;
  const messages = people * REQUESTS_PER_SECOND.messages;
  const deliveries = messages * mean((needs) => needs.deliveriesPerMessage);
  const coresForRequests = (side: 'host' | 'frontend'): number =>
    (messages * CPU_MICROS.send[side] +
      deliveries * CPU_MICROS.delivery[side] +
      people * REQUESTS_PER_SECOND.heartbeats * CPU_MICROS.heartbeat[side] +
      people * REQUESTS_PER_SECOND.presence * CPU_MICROS.presence[side] +
      people * REQUESTS_PER_SECOND.otherRequests * CPU_MICROS.otherRequest[side]) /
    1e6;
  // The number of frontends follows from their requests. Clients of any organization may use any frontend, so each
  // frontend reads the log of every organization.
  const frontends = Math.max(2, Math.ceil(coresForRequests('frontend') / MAX_CORE_USE));
  let [read, needed, natsBytes, natsUnneededBytes, natsMessages] = [0, 0, 0, 0, 0];
  let [hostUnneeded, hostNeeded, frontendReading] = [0, 0, 0];
  for (const kind of VALUE_KINDS) {
    const perSecond = messages * VALUES_PER_MESSAGE[kind];
    const [reading, needing] = [mean((needs) => needs.reading[kind]), mean((needs) => needs.needing[kind])];
    read += perSecond * reading;
    needed += perSecond * needing;
    hostNeeded += perSecond * needing * CPU_MICROS.entry[kind];
    hostUnneeded += perSecond * (reading - needing) * (CPU_MICROS.entry[kind] + CPU_MICROS.unneeded.host);
    hostNeeded += perSecond * needing * CPU_MICROS.needed[kind];
    frontendReading += perSecond * frontends * (CPU_MICROS.entry[kind] + CPU_MICROS.unneeded.frontend);
    natsMessages += perSecond * (reading + frontends);
    const bytes = mean((needs) => needs.bytes[kind]);
    natsBytes += perSecond * (reading + frontends) * bytes;
    natsUnneededBytes += perSecond * (reading - needing + frontends) * bytes;
  }
  // NATS subjects per conversation and person would save this cost: reading values that a process does not need.
  const unneeded = (hostUnneeded + frontendReading) / 1e6;
  const cores = coresForRequests('host') + coresForRequests('frontend');
  const log = (hostUnneeded + hostNeeded + frontendReading) / 1e6;
  const formatNumber = (n: number, digits = 1): string => n.toFixed(digits);
  const row = [
    `${count} × ${peopleEach}`,
    String(hosts),
    String(frontends),
    formatNumber(messages * 5, 0),
    formatNumber(read / hosts, 0),
    formatNumber((100 * needed) / read, 0),
    formatNumber(cores),
    formatNumber(log),
    formatNumber(unneeded),
    formatNumber((100 * unneeded) / (cores + log)),
    formatNumber(natsBytes / 1e6, 0),
    formatNumber(natsUnneededBytes / 1e6, 0),
    formatNumber(natsMessages / 1e6, 2),
  ];
  process.stdout.write(`| ${row.join(' | ')} |\n`);
}

const { values } = parseArgs({
  options: { people: { type: 'string', default: '1000000' }, hosts: { type: 'string', default: '100' } },
});
const [people, hosts] = [Number(values.people), Number(values.hosts)];
process.stdout.write('| hosts | | |\n|---:|---|---|\n');
for (const count of [hosts, Math.round(hosts * 0.6)]) reportPlacement(people, count);
const HEADINGS = [
  ...['organizations × people', 'hosts', 'frontends', 'values / s', 'values / s and host', 'needed there, %'],
  ...['cores: requests, deliveries', 'cores: log', 'of these for what is not needed', '% of all'],
  ...['NATS to processes, MB / s', 'of these not needed', 'million messages / s'],
];
process.stdout.write(`\n| ${HEADINGS.join(' | ')} |\n|${HEADINGS.map(() => '---:|').join('')}\n`);
for (const peopleEach of [people, people / 100, people / 1_000, people / 20_000])
  reportLoad({ count: people / peopleEach, peopleEach, hosts });
