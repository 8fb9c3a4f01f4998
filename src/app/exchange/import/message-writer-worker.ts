/** Script of a thread that renders and stores messages (message-threads.ts). */
import { workerData } from 'node:worker_threads';
import { serveThreadPoolJobs } from '#base/threads';
import { type MessageWriterContext, StoringMessageWriter, type UnrenderedMessage } from './message-writer.js';

/** Messages of a file, a number of flushed files, or a request: to wait for those before, or to close the Store. */
export type MessageWriterJob = readonly UnrenderedMessage[] | { readonly storedFiles: number } | 'flush' | 'close';

// A build runs this file without data, to cache its code.
const opening = workerData ? StoringMessageWriter.open(workerData as MessageWriterContext) : undefined;
// A failure is reported by the first job.
opening?.catch(() => undefined);

serveThreadPoolJobs(async (job: MessageWriterJob): Promise<void> => {
  const writer = await opening!;
  if (job === 'flush') await writer.flush();
  else if (job === 'close') await writer.close();
  else if ('storedFiles' in job) await writer.recordStoredFiles(job.storedFiles);
  else await writer.storeMessages(job);
});
