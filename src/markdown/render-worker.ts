/** A thread that renders what off-thread.ts sends it. */
import { parentPort } from 'node:worker_threads';
import { type Rendered, renderMarkdown } from './render.js';
import { contextOf, type Snapshot, type Wanted } from './snapshot.js';

export interface Job {
  readonly text: string;
  readonly snapshot: Snapshot;
}

export type Outcome =
  | { readonly kind: 'rendered'; readonly rendered: Rendered }
  /** The snapshot lacked something: the rendering is not right yet. */
  | { readonly kind: 'missing'; readonly wanted: Wanted }
  | { readonly kind: 'failed'; readonly reason: string };

function run({ text, snapshot }: Job): Outcome {
  const { context, missing } = contextOf(snapshot);
  try {
    const rendered = renderMarkdown(text, context);
    const wanted = missing();
    return wanted ? { kind: 'missing', wanted } : { kind: 'rendered', rendered };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (job: Job) => parentPort?.postMessage(run(job)));
