import type { Call } from '../api/index.js';
import { type RealmId, type UserId, userId } from '../core/index.js';
import type { DirectoryView } from '../directory/index.js';
import type { FrontendOptions } from './frontend.js';
import type { AnonymousCaller, Caller, FrontendServices } from './services.js';

// biome-ignore lint/suspicious/noExplicitAny: an operation declares the type of its parameters, the table of operations cannot
type AnyValues = any;

/** What an operation sees of a request. */
export class CallOf implements Call<AnyValues> {
  readonly realm: RealmId;
  readonly caller: UserId;
  readonly directory: DirectoryView;

  constructor(
    readonly params: AnyValues,
    at: AnonymousCaller,
    caller: Caller | undefined,
    readonly client: string,
    private readonly host: string,
    private readonly options: FrontendOptions,
    private readonly services: FrontendServices,
  ) {
    this.realm = at.realm;
    this.caller = caller ? caller.user.id : userId(0);
    this.directory = at.directory;
  }

  get origin(): string {
    const { scheme = 'http', externalHost = 'localhost' } = this.options;
    // Goes into answers, so only what can be a host name or address passes.
    return `${scheme}://${/^[a-z0-9.\-_]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/.test(this.host) ? this.host : externalHost}`;
  }

  get webPublicStreams(): boolean {
    return this.options.webPublicStreams ?? false;
  }

  get now(): number {
    return this.services.clock.now();
  }

  refresh(): Promise<void> {
    return this.services.refresh(this.realm);
  }
}
