/** Script of a render thread: renders the texts that off-thread.ts sends. */
import { serveJobs } from '#base/threads';
import { type RenderResult, renderMarkdown } from './render.js';
import { type ContextSnapshot, contextFromSnapshot, type LookupKeys } from './snapshot.js';

export interface RenderJob {
  readonly text: string;
  readonly snapshot: ContextSnapshot;
}

export type RenderOutcome =
  | { readonly rendered: RenderResult }
  /** Look-up keys that the snapshot lacked. The text must be rendered again with them. */
  | { readonly missing: LookupKeys };

serveJobs(({ text, snapshot }: RenderJob): RenderOutcome => {
  const { context, missing } = contextFromSnapshot(snapshot);
  const rendered = renderMarkdown(text, context);
  const keys = missing();
  return keys ? { missing: keys } : { rendered };
});
