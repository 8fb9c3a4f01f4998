/** A recorded call and the peer's answer, in the form of the fixtures (test/fixtures/api/recorded/README.md). */
import type { Skeleton } from './skeleton.js';

/** Name of the upload → its contents. */
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
  /** The whole body of a refusal, or the form of a success. */
  readonly body: Skeleton;
  /** Ids that the peer returned for made objects. */
  readonly made?: Readonly<Record<string, string | number | readonly number[]>>;
}
