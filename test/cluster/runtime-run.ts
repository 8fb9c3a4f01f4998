/** One run of the runtime simulation: clients send commands, hosts fail, all work finishes, the history is checked. */
import { realmActorKey } from '#model';
import { ActorClient, CommandTimeoutError } from '#runtime';
import { ledgerKey, type OpArgs, REALM } from './kinds.js';
import { type CommandRecord, checkHistory } from './runtime-history.js';
import { RuntimeSimulation } from './runtime-simulation.js';
import { settlePromises } from './scheduler.js';

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

export interface RuntimeRunResult {
  readonly problems: readonly string[];
  readonly trace: readonly string[];
  readonly fingerprint: string;
  readonly steps: number;
  readonly responses: number;
}

export class RuntimeRun {
  readonly simulation: RuntimeSimulation;
  readonly commands: CommandRecord[] = [];
  readonly problems: string[] = [];
  readonly #ledgers: number[];
  #openCommands = 0;
  #startedCommands = 0;
  #commandsToSend: number;

  constructor(seed: number) {
    const count = 2 + (seed % 3);
    this.#ledgers = Array.from({ length: count }, (_, i) => i + 1);
    this.simulation = new RuntimeSimulation({ seed, keys: [...this.#ledgers.map(ledgerKey), realmActorKey(REALM)] });
    this.#commandsToSend = 15 + this.simulation.random.below(25);
  }

  async run(): Promise<RuntimeRunResult> {
    const { simulation } = this;
    const { random } = simulation;
    simulation.start();
    simulation.frameFaultRate = random.pick([0, 0.02, 0.1]);
    simulation.faults.failureRate = random.pick([0, 0, 0.02]);
    const faultRate = random.pick([0, 0.01, 0.04]);
    const clients = Array.from(
      { length: 1 + random.below(3) },
      (_, i) => new ActorClient(simulation.newBus(`c${i}`), simulation.clock),
    );
    let stepsLeft = 3_000;
    while (stepsLeft-- > 0 && (this.#commandsToSend > 0 || (this.#openCommands > 0 && random.chance(0.995)))) {
      if (this.#commandsToSend > 0 && random.chance(0.1)) {
        const burst = 1 + random.below(4);
        for (let i = 0; i < burst && this.#commandsToSend > 0; i++) this.#send(random.pick(clients));
      }
      if (random.chance(faultRate)) simulation.injectFault();
      await simulation.step();
    }
    await this.#settle();
    this.problems.push(...checkHistory(simulation, this.commands, this.#ledgers.map(ledgerKey)));
    const { scheduler } = simulation;
    return {
      problems: this.problems,
      trace: scheduler.trace,
      fingerprint: scheduler.fingerprint,
      steps: scheduler.steps,
      responses: this.commands.filter((a) => a.outcome === 'value').length,
    };
  }

  #send(client: ActorClient): void {
    const { random, scheduler } = this.simulation;
    this.#commandsToSend--;
    this.#openCommands++;
    const command = random.chance(0.06)
      ? random.pick(['refuse', 'boom', 'readLogged'] as const)
      : random.pick(COMMANDS);
    const to = ledgerKey(random.pick(this.#ledgers));
    const op = `${command}${++this.#startedCommands}`;
    const randomStage = (): number[] => Array.from({ length: 1 + random.below(2) }, () => random.pick(this.#ledgers));
    const args: OpArgs = {
      op,
      ...(command === 'move' && { stages: [randomStage(), randomStage()] }),
      ...(command === 'hold' && { stages: [randomStage()] }),
      ...(command === 'schedule' && { after: random.below(3_000) }),
    };
    const record: CommandRecord = {
      command,
      to,
      args,
      startStep: scheduler.steps,
      endStep: 0,
      outcome: 'open',
      value: null,
    };
    this.commands.push(record);
    record.knownBefore = this.commands
      .filter((a) => a.to === to && a.outcome === 'value' && a.value !== 'waiting')
      .map((a) => a.args.op);
    const finish = (outcome: CommandRecord['outcome'], value: unknown): void => {
      this.#openCommands--;
      Object.assign(record, { outcome, value, endStep: scheduler.steps });
      scheduler.note(`${op} ${outcome} ${JSON.stringify(value)}`);
      if (outcome === 'value') this.#onAnswer(record);
    };
    client.send(to, command, args).reply.then(
      (reply) => ('value' in reply ? finish('value', reply.value) : finish('refused', reply)),
      (error: unknown) => finish(error instanceof CommandTimeoutError ? 'timeout' : 'failed', String(error)),
    );
  }

  /** Checks at the moment of a response that the Store already contains the operations that the response confirms. */
  #onAnswer({ command, to, args, value }: CommandRecord): void {
    const ops = (key: typeof to): readonly string[] => this.simulation.roots.ops(key);
    if (command === 'read' || command === 'readLogged' || value === 'waiting') return;
    if (!ops(to).includes(args.op)) this.problems.push(`${args.op} was answered but is not committed`);
    if (command !== 'move') return;
    args.stages?.forEach((targets, s) => {
      targets.forEach((n, i) => {
        const credit = `${args.op}.${s}.${i}`;
        if (!ops(ledgerKey(n)).includes(credit)) this.problems.push(`${args.op} was answered before ${credit}`);
      });
    });
  }

  /** Ends all faults, then waits until every command has a response and no actor is left in memory. */
  async #settle(): Promise<void> {
    const { simulation } = this;
    simulation.heal();
    const deadline = simulation.clock.monotonic() + 900_000;
    const maxSteps = simulation.scheduler.steps + 60_000;
    const waitUntil = async (condition: string, done: () => boolean): Promise<void> => {
      while (!done()) {
        if (simulation.clock.monotonic() > deadline || simulation.scheduler.steps > maxSteps) {
          this.problems.push(`did not happen: ${condition}`);
          return;
        }
        await simulation.step();
      }
    };
    await waitUntil('every command has a response', () => this.#openCommands === 0);
    const restEnd = simulation.clock.monotonic() + 10_000;
    await waitUntil('timers have fired', () => simulation.clock.monotonic() > restEnd);
    // Two rounds: an actor that was fenced during its passivation is loaded again a little later.
    for (const round of [1, 2]) {
      let passive = 0;
      for (const { host } of simulation.hosts) void host.passivateIdleActors(0).then(() => passive++);
      await waitUntil(`passivation ${round}`, () => passive === simulation.hosts.length);
      const wakeEnd = simulation.clock.monotonic() + 6_000;
      await waitUntil('actors are loaded again', () => simulation.clock.monotonic() > wakeEnd);
      await waitUntil('no actor is left in memory', () =>
        simulation.hosts.every(({ host }) => host.activeActorCount === 0),
      );
    }
    await settlePromises();
  }
}
