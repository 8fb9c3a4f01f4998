/** A thread that renders what off-thread.ts sends it. */
import { serveJobs } from '#base/threads';
import { type RenderResult, renderMarkdown } from './render.js';
import { type ContextSnapshot, contextFromSnapshot, type LookupKeys } from './snapshot.js';

export interface RenderJob {
  readonly text: string;
  readonly snapshot: ContextSnapshot;
}

export type RenderOutcome =
  | { readonly rendered: RenderResult }
  /** The snapshot lacked something: the rendering is not right yet. */
  | { readonly wanted: LookupKeys };

serveJobs(({ text, snapshot }: RenderJob): RenderOutcome => {
  const { context, missing } = contextFromSnapshot(snapshot);
  const rendered = renderMarkdown(text, context);
  const wanted = missing();
  return wanted ? { wanted } : { rendered };
});
