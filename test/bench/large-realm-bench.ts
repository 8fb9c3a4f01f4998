/**
 * Cost of requests in a large organization: `node dist/test/bench/large-realm-bench.js [--accounts N] [--streams N]
 * [--own N] [--each N] [--runs N] [--face embedded|cluster] [--only PART,…]`, about two minutes. The program creates an
 * organization, fills it through the Store, and measures registrations, `GET /users`, changes and messages. The stream
 * `hall` has all accounts as subscribers. Parts: `changes`, `hall`, `subscribers`, `bare`. CPU figures of the part
 * `bare` are those of the server, because the load generator is another process; all other CPU figures include the
 * client, which reads the answer in the server's process. The program prints figures and asserts nothing.
 */
import { parseArgs } from 'node:util';
import type { ProcessPorts } from '#app/server';
import type { Store } from '#ports/store';
import { startCluster, startEmbedded, type TestServer } from '../api/support/faces.js';
import {
  makeOrganization,
  type Organization,
  type Person,
  streamIdOf,
  subscribe,
} from '../api/support/organization.js';
import { BarePrograms } from './bare-programs.js';
import { Bench } from './case.js';
import { Connection, requestText } from './connection.js';
import type { Face } from './faces.js';
import { median } from './figures.js';
import { FIRST_GENERATED_ID } from './large-directory.js';
import { fillLargeRealm } from './large-realm-fill.js';
import { measureRate } from './measure-rate.js';
import { type BenchOptions, readOptions } from './options.js';
import { usersRequest } from './prepare.js';
import { BareHttpServer, LoadGenerator } from './processes.js';
import { figureTable, machineText } from './report.js';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100000' },
    streams: { type: 'string', default: '10000' },
    own: { type: 'string', default: '100' },
    each: { type: 'string', default: '20' },
    runs: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '3' },
    face: { type: 'string', default: 'embedded' },
    only: { type: 'string', default: '' },
  },
});
const ACCOUNTS = Number(values.accounts);
const STREAMS = Number(values.streams);
const READER_STREAMS = Number(values.own);
const SUBSCRIBERS_PER_STREAM = Number(values.each);
const RUNS = Number(values.runs);

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** Sends the requests of one account on one connection, one at a time. */
class Requester {
  #answered: (bytes: number) => void = () => {};
  #failed: (error: Error) => void = () => {};

  private constructor(
    private readonly connection: Connection,
    private readonly person: Person,
  ) {
    connection.onAnswer = ({ ok, text }) => (ok ? this.#answered(text.length) : this.#failed(new Error(text)));
    connection.onGone = (error) => this.#failed(error ?? new Error('connection closed'));
  }

  static async open(person: Person): Promise<Requester> {
    return new Requester(await Connection.open(person.api.target.nextPort()), person);
  }

  send(method: 'GET' | 'POST' | 'PATCH', path: string, form?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.connection.write(requestText(method, `/api/v1${path}`, this.person.api.headers.authorization!, form));
    });
  }
}

/**
 * Measures a request and prints its times; prints an error instead if the request fails.
 *
 * @param before unmeasured work before each request, such as a change that invalidates cached answers
 */
async function measure(title: string, ask: () => Promise<unknown>, before?: () => Promise<unknown>): Promise<void> {
  try {
    await measureOrThrow(title, ask, before);
  } catch (error) {
    print(`${title} | FAILED: ${error}`);
  }
}

async function measureOrThrow(
  title: string,
  ask: () => Promise<unknown>,
  before?: () => Promise<unknown>,
): Promise<void> {
  const first = performance.now();
  await ask();
  const cold = performance.now() - first;
  const times: number[] = [];
  const cpus: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await before?.();
    const begun = performance.now();
    const cpu = process.cpuUsage();
    await ask();
    const { user, system } = process.cpuUsage(cpu);
    cpus.push((user + system) / 1_000);
    times.push(performance.now() - begun);
  }
  const memory = process.memoryUsage();
  print(
    `${title} | first ${ms(cold)} | median ${ms(median(times))} | CPU ${ms(median(cpus))} each` +
      ` | heap ${mib(memory.heapUsed)}, buffers ${mib(memory.external)}, rss ${mib(memory.rss)}`,
  );
}

/** Measures a request beside a bare server that sends equal bytes; each server has a process of its own. */
async function measureBesideBare(face: Face, id: string, request: string): Promise<void> {
  const ceiling = await BareHttpServer.start();
  const load = new LoadGenerator();
  const options: BenchOptions = {
    ...readOptions([], {})!,
    runs: 3,
    ms: Number(values.seconds) * 1_000,
    warmUpMs: 500,
    firstWarmUpMs: 1_000,
  };
  try {
    const bench = new Bench(face, ceiling, new BarePrograms({}), load, options);
    for (const connections of [1, 16]) {
      try {
        print(figureTable(await measureRate(bench, { id, title: id, requests: [request], connections }), false));
      } catch (error) {
        print(`${id}, ${connections} at once | FAILED: ${error}`);
      }
    }
  } finally {
    await load.stop();
    await ceiling.stop();
  }
}

/** Measures compressed responses. The server caches their parts compressed, so a bare server is no ceiling for them. */
async function measureCompressed(face: Face, request: string): Promise<void> {
  const load = new LoadGenerator();
  const job = { kind: 'rate', port: face.port, pids: face.pids, requests: [request], connections: 16 } as const;
  try {
    for (const title of ['warm up', 'register, gzip, 16 at once']) {
      const { count, seconds, cpuMs, failed } = await load.run({ ...job, warmUpMs: 500, ms: 4_000 });
      print(`${title} | ${(count / seconds).toFixed(1)} per second | CPU ${ms(cpuMs / count)} each | failed ${failed}`);
    }
  } finally {
    await load.stop();
  }
}

/**
 * Makes each frontend open its directory replica. With a slow Store this takes longer than the timeout of a request, so
 * a refused request is repeated.
 */
async function openReplicasOfFrontends(server: TestServer, person: Person): Promise<void> {
  for (let frontend = 0; frontend < (server.kind === 'cluster' ? 2 : 1); frontend++) {
    const requester = await Requester.open(person);
    for (let refused = 0; ; refused++) {
      try {
        await requester.send('GET', '/users/me');
        if (refused > 0) print(`frontend ${frontend} refused ${refused} times`);
        break;
      } catch (error) {
        if (refused > 20) throw error;
      }
    }
  }
}

async function runTimed<T>(title: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const made = await work();
  const { user, system } = process.cpuUsage(cpu);
  const { heapUsed, external, rss } = process.memoryUsage();
  print(
    `${title} | ${ms(performance.now() - begun)} | CPU ${ms((user + system) / 1_000)}` +
      ` | heap ${mib(heapUsed)}, buffers ${mib(external)}, rss ${mib(rss)}`,
  );
  return made;
}

let store: Store | undefined;
const adjust = (ports: ProcessPorts): ProcessPorts => {
  store ??= ports.actors?.store;
  return ports;
};

async function start(): Promise<TestServer> {
  if (values.face === 'embedded') return startEmbedded({ adjust });
  const { NATS_URL: nats, MONGODB_URL: mongodb } = process.env;
  if (!nats || !mongodb) throw new Error('NATS_URL and MONGODB_URL are not set');
  return startCluster({ nats, mongodb }, adjust);
}

async function fill(server: TestServer, org: Organization): Promise<number> {
  await subscribe(org.owner, 'hall', { principals: [org.owner, org.member, org.admin] });
  const hall = await streamIdOf(org.owner, 'hall');
  const size = {
    accounts: ACCOUNTS,
    streams: STREAMS,
    subscribers: SUBSCRIBERS_PER_STREAM,
    own: READER_STREAMS,
    reader: org.member.id,
    hall,
  };
  await fillLargeRealm(store!, org.realm, size);
  await server.restart();
  return hall;
}

const server = await start();
try {
  const org = await makeOrganization(server, ['member', 'admin']);
  await runTimed(`${ACCOUNTS} accounts, ${STREAMS} streams, straight into the Store`, () => fill(server, org));
  const isSelected = (name: string): boolean => values.only === '' || values.only.split(',').includes(name);
  await runTimed('first request: opens actor and replica', () => openReplicasOfFrontends(server, org.member));
  // The connections are opened just before their use, because servers close a connection that is idle for ten seconds.
  const member = await Requester.open(org.member);
  const admin = await Requester.open(org.admin);
  const register = (): Promise<number> => member.send('POST', '/register', '');
  let requests = 0;
  const rename = (): Promise<unknown> =>
    admin.send('PATCH', '/settings', `timezone=Europe/${['Paris', 'Berlin'][requests++ % 2]}`);
  await measure('POST /register, every section', register);
  if (isSelected('changes')) {
    await measure('PATCH /settings: a change of an account', rename);
    await measure('POST /register, after a change of an account', register, rename);
    await measure('GET /users', () => member.send('GET', '/users'));
    await measure('GET /users, after a change of an account', () => member.send('GET', '/users'), rename);
    await measure('a change of a role', () =>
      admin.send('PATCH', `/users/${FIRST_GENERATED_ID + 4}`, `role=${[300, 400][requests++ % 2]}`),
    );
    const { group } = await makeGroup(org);
    await measure('a change of a group', () =>
      admin.send(
        'POST',
        `/user_groups/${group}/members`,
        `${['add', 'delete'][requests++ % 2]}=[${FIRST_GENERATED_ID + 4}]`,
      ),
    );
    await measure('POST /users', () =>
      admin.send('POST', '/users', `email=new${requests++}@example.com&full_name=New&password=sadly-walrus-tempo-81`),
    );
  }
  if (isSelected('hall')) {
    const message = 'type=stream&to=hall&topic=news&content=hello';
    await measure('a message to a stream of all accounts', () => member.send('POST', '/messages', message));
    await measure('subscribers of that stream', async () =>
      admin.send('GET', `/streams/${await streamIdOf(org.owner, 'hall')}/members`),
    );
    await measure('joining it, and leaving', () =>
      requests++ % 2 === 0
        ? admin.send('POST', '/users/me/subscriptions', `subscriptions=${encodeURIComponent('[{"name":"hall"}]')}`)
        : admin.send('PATCH', '/users/me/subscriptions', `delete=${encodeURIComponent('["hall"]')}`),
    );
  }
  if (isSelected('subscribers'))
    await measure('POST /register with subscribers', () =>
      member.send('POST', '/register', 'include_subscribers=true'),
    );
  if (isSelected('bare')) {
    const port = org.owner.api.target.nextPort();
    const face: Face = {
      name: 'embedded',
      port,
      ports: [port],
      ops: [],
      pids: [process.pid],
      roles: ['embedded'],
      owner: org.owner.api.headers.authorization!,
      commandEnvironment: {},
      stop: async () => {},
    };
    const registerText = requestText('POST', '/api/v1/register', org.member.api.headers.authorization!, '');
    await measureBesideBare(face, 'large-register', registerText);
    await measureBesideBare(face, 'large-users', usersRequest(face.owner));
    await measureCompressed(face, registerText.replace('\r\n', '\r\nAccept-Encoding: gzip\r\n'));
  }
  print(machineText());
} finally {
  await server.close();
}
process.exit(0);

async function makeGroup({ owner }: Organization): Promise<{ readonly group: number }> {
  await owner.api.ok('POST /user_groups/create', { name: 'crew', description: '', members: [owner.id] });
  const { user_groups } = await owner.api.ok<{ user_groups: { id: number; name: string }[] }>('GET /user_groups');
  return { group: user_groups.find(({ name }) => name === 'crew')!.id };
}
