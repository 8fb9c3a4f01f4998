/** Script of a render thread: renders the texts that off-thread.ts sends. */
import { serveThreadPoolJobs } from '#base/threads';
import type { MarkdownRenderResult } from '#model';
import { renderMarkdown } from './render.js';
import { type MarkdownContextSnapshot, type MarkdownLookupKeys, makeRecordingContextFromSnapshot } from './snapshot.js';

export interface SnapshotRenderJob {
  readonly text: string;
  readonly snapshot: MarkdownContextSnapshot;
}

export type SnapshotRenderOutcome =
  | { readonly rendered: MarkdownRenderResult }
  /** Look-up keys that the snapshot lacked. The text must be rendered again with them. */
  | { readonly missing: MarkdownLookupKeys };

serveThreadPoolJobs(({ text, snapshot }: SnapshotRenderJob): SnapshotRenderOutcome => {
  const { context, missing } = makeRecordingContextFromSnapshot(snapshot);
  const rendered = renderMarkdown(text, context);
  const keys = missing();
  return keys ? { missing: keys } : { rendered };
});
