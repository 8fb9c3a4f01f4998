/** A recorded call and what the peer answered, as the fixtures keep it (test/fixtures/api/recorded/README.md). */
import type { Skeleton } from './skeleton.js';

/** Name of the upload → what it holds. */
export type Files = Readonly<Record<string, { readonly filename: string; readonly base64: string }>>;

export interface Entry {
  /** Number in the recording. */
  readonly n: number;
  readonly op: string | null;
  readonly role: string | null;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>> | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: { readonly body: string; readonly type: string };
  readonly files?: Files;
  readonly label: string;
  readonly status: number;
  /** A refusal is whole; of a success its form. */
  readonly body: Skeleton;
  /** Ids that the peer gave to what the call made. */
  readonly made?: Readonly<Record<string, string | number | readonly number[]>>;
}
