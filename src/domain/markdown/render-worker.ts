/** A thread that renders what off-thread.ts sends it. */
import { serveJobs } from '#base/threads';
import { type Rendered, renderMarkdown } from './render.js';
import { contextOf, type Snapshot, type Wanted } from './snapshot.js';

export interface Job {
  readonly text: string;
  readonly snapshot: Snapshot;
}

export type Outcome =
  | { readonly rendered: Rendered }
  /** The snapshot lacked something: the rendering is not right yet. */
  | { readonly wanted: Wanted };

serveJobs(({ text, snapshot }: Job): Outcome => {
  const { context, missing } = contextOf(snapshot);
  const rendered = renderMarkdown(text, context);
  const wanted = missing();
  return wanted ? { wanted } : { rendered };
});
