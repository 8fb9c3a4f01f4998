/** Script of a thread that renders and stores messages (message-threads.ts). */
import { serveThreadPoolJobs } from '#base/threads';
import { decodeMessageSlice } from './message-slices.js';
import { type MessageWriterContext, StoringMessageWriter } from './message-writer.js';

/**
 * The context of all messages, which comes first; messages of a slice (message-slices.ts); a number of flushed files;
 * the begin or end of a flush; or a request to close the Store.
 */
export type MessageWriterJob =
  | { readonly open: MessageWriterContext }
  | { readonly slice: string }
  | { readonly storedFiles: number }
  | 'begin-flush'
  | 'end-flush'
  | 'close';

let opening: Promise<StoringMessageWriter> | undefined;

serveThreadPoolJobs(async (job: MessageWriterJob): Promise<void> => {
  if (typeof job === 'object' && 'open' in job) {
    opening = StoringMessageWriter.open(job.open);
    await opening;
    return;
  }
  const writer = await opening;
  if (!writer) {
    if (job === 'close') return;
    // A thread that takes the place of a failed one has no context, and must not pass over its messages.
    throw new Error('the thread was not opened');
  }
  if (job === 'begin-flush') await writer.beginFlush();
  else if (job === 'end-flush') await writer.endFlush();
  else if (job === 'close') await writer.close();
  else if ('storedFiles' in job) await writer.recordStoredFiles(job.storedFiles);
  else await writer.storeMessages(decodeMessageSlice(job.slice));
});
