/**
 * Who has been let in with which Authorization header. It says the same as asking again, not more: an entry counts while the
 * directory replica is the one that it was made from, at the same version. Whatever ends a right (another key, a deactivated account or
 * organization, another role) is a change of the directory.
 */
import type { Caller, FrontendServices } from './services.js';

interface Admission {
  readonly host: string;
  readonly version: number;
  readonly caller: Caller;
}

const MOST = 20_000;
/** Nobody's header is longer, but for one who wants to fill memory. */
const LONGEST = 512;

export class Admissions {
  #known = new Map<string, Admission>();

  constructor(private readonly services: Pick<FrontendServices, 'directoryNow'>) {}

  get size(): number {
    return this.#known.size;
  }

  find(authorization: string, host: string): Caller | undefined {
    const known = this.#known.get(authorization);
    if (!known || known.host !== host) return undefined;
    const { caller, version } = known;
    const { directory } = caller;
    if (directory.version === version && this.services.directoryNow(caller.realm) === directory) return caller;
    this.#known.delete(authorization);
    return undefined;
  }

  /** He was let in in this turn. */
  add(authorization: string, host: string, caller: Caller): void {
    if (authorization.length > LONGEST || host.length > LONGEST) return;
    if (this.#known.size >= MOST) this.#known = new Map();
    this.#known.set(authorization, { host, version: caller.directory.version, caller });
  }
}
