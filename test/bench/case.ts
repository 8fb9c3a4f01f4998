/** Definition of a benchmark case. To add one: a file in `cases/`, and a line in its index. */
import type { BareTools } from './bare.js';
import type { Face, FaceOptions } from './faces.js';
import type { Figure } from './figures.js';
import type { BenchOptions, FaceName } from './options.js';
import { type Account, makeAccounts, makeHistory, makeStream } from './prepare.js';
import type { Ceiling, Load } from './processes.js';

/** Ten accounts in the stream `ten`, which has some past. */
export const TEN = 'ten';
const SUBSCRIBERS = 10;
const HISTORY = 200;

/** A running server and what measures it. */
export class Bench {
  #ten: Promise<Account[]> | undefined;
  #people = 1;

  constructor(
    readonly face: Face,
    /** The bare HTTP server. */
    readonly ceiling: Ceiling,
    readonly bare: BareTools,
    readonly load: Load,
    readonly options: BenchOptions,
  ) {}

  /** New accounts of this server. */
  accounts(count: number): Promise<Account[]> {
    const from = this.#people;
    this.#people += count;
    return makeAccounts(this.face, from, count);
  }

  /** Made once. */
  ten(): Promise<Account[]> {
    this.#ten ??= (async () => {
      const accounts = await this.accounts(SUBSCRIBERS);
      await makeStream(this.face, TEN, accounts);
      await makeHistory(this.face, TEN, accounts, HISTORY);
      return accounts;
    })();
    return this.#ten;
  }
}

export interface Case<P = unknown> {
  /** Value of `--case`, and first part of the ids of the figures. */
  readonly name: string;
  /** Description in `--help`. */
  readonly about: string;
  /** Faces on which the case runs. [both] */
  readonly faces?: readonly FaceName[];
  /** Options of a server that only this case uses. Absent: the case uses the server that the other cases fill, too. */
  readonly server?: Partial<FaceOptions>;
  /** Preparation before the server of the case is started. */
  before?(options: BenchOptions): Promise<void>;
  /** Cleanup after the server of the case was stopped, or failed to start. */
  after?(): Promise<void>;
  /** Whether the case runs only if `--case` names it, because it takes long. */
  readonly onlyNamed?: boolean;
  /** Preparation of the data, outside the measurement and the profile. */
  prepare(bench: Bench): Promise<P>;
  /** Measures Conclave and the bare programs alternately. goals.ts sets goals by the ids of the figures. */
  measure(bench: Bench, prepared: P): Promise<readonly Figure[]>;
}

/** Keeps the type of what is prepared between its two halves, and forgets it outside. */
export const defineCase = <P>(of: Case<P>): Case => of as Case;
