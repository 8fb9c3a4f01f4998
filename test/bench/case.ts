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
  /** For `--case`; figures' ids begin with it. */
  readonly name: string;
  /** For `--help`. */
  readonly about: string;
  /** [both] */
  readonly faces?: readonly FaceName[];
  /** A server of its own, started with this. Absent: one that cases share, which others have filled. */
  readonly server?: Partial<FaceOptions>;
  /** Before that server is started. */
  before?(options: BenchOptions): Promise<void>;
  /** After that server was stopped, or failed to start. */
  after?(): Promise<void>;
  /** Takes so long that it runs only when it is named. */
  readonly onlyNamed?: boolean;
  /** Not measured, and in no profile. */
  prepare(bench: Bench): Promise<P>;
  /** Ours and what it is held against by turns. Goals are set by the figures' ids, in goals.ts. */
  measure(bench: Bench, prepared: P): Promise<readonly Figure[]>;
}

/** Keeps the type of what is prepared between its two halves, and forgets it outside. */
export const defineCase = <P>(of: Case<P>): Case => of as Case;
