/** Script of a thread that renders and stores messages (message-threads.ts). */
import { workerData } from 'node:worker_threads';
import { serveThreadPoolJobs } from '#base/threads';
import { decodeMessageSlice } from './message-slices.js';
import { type MessageWriterContext, StoringMessageWriter } from './message-writer.js';

/**
 * Messages of a slice (message-slices.ts), a number of flushed files, the begin or end of a flush, or a request to
 * close the Store.
 */
export type MessageWriterJob =
  | { readonly slice: string }
  | { readonly storedFiles: number }
  | 'begin-flush'
  | 'end-flush'
  | 'close';

// A build runs this file without data, to cache its code.
const opening = workerData ? StoringMessageWriter.open(workerData as MessageWriterContext) : undefined;
// A failure is reported by the first job.
opening?.catch(() => undefined);

serveThreadPoolJobs(async (job: MessageWriterJob): Promise<void> => {
  const writer = await opening!;
  if (job === 'begin-flush') await writer.beginFlush();
  else if (job === 'end-flush') await writer.endFlush();
  else if (job === 'close') await writer.close();
  else if ('storedFiles' in job) await writer.recordStoredFiles(job.storedFiles);
  else await writer.storeMessages(decodeMessageSlice(job.slice));
});
