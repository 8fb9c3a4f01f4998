/** Definition of a benchmark case. A new case is a file in `cases/` and a line in the index of that folder. */
import type { BarePrograms } from './bare-programs.js';
import type { Face, FaceOptions } from './faces.js';
import type { Figure } from './figures.js';
import type { BenchOptions, FaceName } from './options.js';
import { type Account, makeAccounts, makeStream, sendMessages } from './prepare.js';
import type { BareHttpServer, LoadGenerator } from './processes.js';

/** Stream with ten subscribers and 200 messages, which several cases use. */
export const SHARED_STREAM = 'ten';
const SUBSCRIBERS = 10;
const HISTORY = 200;

/** A running server, and the tools with which a case measures it. */
export class Bench {
  #sharedSubscribers: Promise<Account[]> | undefined;
  #nextAccount = 1;

  constructor(
    readonly face: Face,
    readonly bareHttp: BareHttpServer,
    readonly bare: BarePrograms,
    readonly generator: LoadGenerator,
    readonly options: BenchOptions,
  ) {}

  /** Creates accounts that no other case uses. */
  makeAccounts(count: number): Promise<Account[]> {
    const from = this.#nextAccount;
    this.#nextAccount += count;
    return makeAccounts(this.face, from, count);
  }

  /** @returns the subscribers of `SHARED_STREAM`; the first call creates accounts, stream and messages */
  sharedSubscribers(): Promise<Account[]> {
    this.#sharedSubscribers ??= (async () => {
      const accounts = await this.makeAccounts(SUBSCRIBERS);
      await makeStream(this.face, SHARED_STREAM, accounts);
      await sendMessages(this.face, SHARED_STREAM, accounts, HISTORY);
      return accounts;
    })();
    return this.#sharedSubscribers;
  }
}

export interface Case<Prepared = unknown> {
  /** Value of `--case`, and first part of the ids of the figures. */
  readonly name: string;
  /** Description in `--help`. */
  readonly about: string;
  /** Faces on which the case runs. [both] */
  readonly faces?: readonly FaceName[];
  /** Options of a server that only this case uses. A case without options shares one server with the other cases. */
  readonly server?: Partial<FaceOptions>;
  /** Preparation before the server of the case is started. */
  beforeServer?(options: BenchOptions): Promise<void>;
  /** Cleanup after the server of the case was stopped, or failed to start. */
  afterServer?(): Promise<void>;
  /** Whether the case runs only if `--case` names it, because it takes long. */
  readonly onlyNamed?: boolean;
  /** Preparation of the data, outside the measurement and the profile. */
  prepare(bench: Bench): Promise<Prepared>;
  /** Measures Conclave and the bare programs by turns. goals.ts sets goals by the ids of the figures. */
  measure(bench: Bench, prepared: Prepared): Promise<readonly Figure[]>;
}

/** Checks that `prepare` returns the type that `measure` takes, and hides this type from the list of cases. */
export const defineCase = <P>(of: Case<P>): Case => of as Case;
