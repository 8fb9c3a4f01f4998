/** One run: clients send commands, hosts fail, everything settles, and the history is checked. */
import { realmActorKey } from '#model';
import { ActorClient, CommandTimeoutError } from '#runtime';
import { type Answered, checkHistory } from './history.js';
import { ledgerKey, type OpArgs, REALM } from './kinds.js';
import { turn } from './scheduler.js';
import { World } from './world.js';

const COMMANDS = [
  'add',
  'add',
  'add',
  'move',
  'move',
  'hold',
  'hold',
  'schedule',
  'schedule',
  'cancel',
  'post',
  'post',
  'post',
  'read',
] as const;

export interface RunResult {
  readonly problems: readonly string[];
  readonly trace: readonly string[];
  readonly fingerprint: string;
  readonly steps: number;
  readonly answered: number;
}

export class Run {
  readonly world: World;
  readonly answers: Answered[] = [];
  readonly problems: string[] = [];
  readonly #ledgers: number[];
  #open = 0;
  #named = 0;
  #sends: number;

  constructor(seed: number) {
    const count = 2 + (seed % 3);
    this.#ledgers = Array.from({ length: count }, (_, i) => i + 1);
    this.world = new World({ seed, keys: [...this.#ledgers.map(ledgerKey), realmActorKey(REALM)] });
    this.#sends = 15 + this.world.random.below(25);
  }

  async run(): Promise<RunResult> {
    const { world } = this;
    const { random } = world;
    world.start();
    world.frameFaults = random.pick([0, 0.02, 0.1]);
    world.faults.unavailable = random.pick([0, 0, 0.02]);
    const faultRate = random.pick([0, 0.01, 0.04]);
    const clients = Array.from(
      { length: 1 + random.below(3) },
      (_, i) => new ActorClient(world.newBus(`c${i}`), world.clock),
    );
    let left = 3_000;
    while (left-- > 0 && (this.#sends > 0 || (this.#open > 0 && random.chance(0.995)))) {
      if (this.#sends > 0 && random.chance(0.1)) {
        const burst = 1 + random.below(4);
        for (let i = 0; i < burst && this.#sends > 0; i++) this.#send(random.pick(clients));
      }
      if (random.chance(faultRate)) world.fault();
      await world.step();
    }
    await this.#settle();
    this.problems.push(...checkHistory(world, this.answers, this.#ledgers.map(ledgerKey)));
    const { scheduler } = world;
    return {
      problems: this.problems,
      trace: scheduler.trace,
      fingerprint: scheduler.fingerprint,
      steps: scheduler.steps,
      answered: this.answers.filter((a) => a.outcome === 'value').length,
    };
  }

  #send(client: ActorClient): void {
    const { random, scheduler } = this.world;
    this.#sends--;
    this.#open++;
    const command = random.chance(0.06)
      ? random.pick(['refuse', 'boom', 'readLogged'] as const)
      : random.pick(COMMANDS);
    const to = ledgerKey(random.pick(this.#ledgers));
    const op = `${command}${++this.#named}`;
    const some = (): number[] => Array.from({ length: 1 + random.below(2) }, () => random.pick(this.#ledgers));
    const args: OpArgs = {
      op,
      ...(command === 'move' && { stages: [some(), some()] }),
      ...(command === 'hold' && { stages: [some()] }),
      ...(command === 'schedule' && { after: random.below(3_000) }),
    };
    const answer: Answered = { command, to, args, begun: scheduler.steps, ended: 0, outcome: 'open', value: null };
    this.answers.push(answer);
    answer.knownBefore = this.answers
      .filter((a) => a.to === to && a.outcome === 'value' && a.value !== 'waiting')
      .map((a) => a.args.op);
    const end = (outcome: Answered['outcome'], value: unknown): void => {
      this.#open--;
      Object.assign(answer, { outcome, value, ended: scheduler.steps });
      scheduler.note(`${op} ${outcome} ${JSON.stringify(value)}`);
      if (outcome === 'value') this.#onAnswer(answer);
    };
    client.send(to, command, args).reply.then(
      (reply) => ('value' in reply ? end('value', reply.value) : end('refused', reply)),
      (error: unknown) => end(error instanceof CommandTimeoutError ? 'timeout' : 'failed', String(error)),
    );
  }

  /** The Store must contain what a response promises at the moment of the response. */
  #onAnswer({ command, to, args, value }: Answered): void {
    const ops = (key: typeof to): readonly string[] => this.world.roots.ops(key);
    if (command === 'read' || command === 'readLogged' || value === 'waiting') return;
    if (!ops(to).includes(args.op)) this.problems.push(`${args.op} was answered but isn't committed`);
    if (command !== 'move') return;
    args.stages?.forEach((targets, s) => {
      targets.forEach((n, i) => {
        const credit = `${args.op}.${s}.${i}`;
        if (!ops(ledgerKey(n)).includes(credit)) this.problems.push(`${args.op} was answered before ${credit}`);
      });
    });
  }

  /** No more faults: every client gets its answer, and every actor comes to rest. */
  async #settle(): Promise<void> {
    const { world } = this;
    world.heal();
    const enough = world.clock.monotonic() + 900_000;
    const limit = world.scheduler.steps + 60_000;
    const wait = async (what: string, done: () => boolean): Promise<void> => {
      while (!done()) {
        if (world.clock.monotonic() > enough || world.scheduler.steps > limit) {
          this.problems.push(`never: ${what}`);
          return;
        }
        await world.step();
      }
    };
    await wait('every client is answered', () => this.#open === 0);
    const rest = world.clock.monotonic() + 10_000;
    await wait('timers have fired', () => world.clock.monotonic() > rest);
    // Twice: an actor that was fenced while it left memory is woken again a little later.
    for (const round of [1, 2]) {
      let passive = 0;
      for (const { host } of world.hosts) void host.passivateIdleActors(0).then(() => passive++);
      await wait(`passivation ${round}`, () => passive === world.hosts.length);
      const woken = world.clock.monotonic() + 6_000;
      await wait('actors are woken', () => world.clock.monotonic() > woken);
      await wait('no actor is left in memory', () => world.hosts.every(({ host }) => host.activeActorCount === 0));
    }
    await turn();
  }
}
