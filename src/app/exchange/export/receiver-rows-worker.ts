/** Script of a thread that makes the rows of receivers (receiver-threads.ts). */
import type { Json } from '#base';
import { serveThreadPoolJobs } from '#base/threads';
import type { StreamMembershipRecord } from '#domain/streams';
import type { UserId } from '#model';
import { type MessagesForReceivers, ReceiverRowMaker } from './receiver-rows.js';

/** Present and former subscribers of streams, and the flags of users. */
export interface ReceiverFacts {
  readonly streams: readonly (readonly [stream: number, members: ReadonlyMap<number, StreamMembershipRecord>])[];
  readonly users: readonly (readonly [user: UserId, parts: ReadonlyMap<string, Json>])[];
}

/** Facts for later files, a file that gets its rows of receivers, or a request to wait until all files are durable. */
export type ReceiverRowsJob =
  | ReceiverFacts
  | { readonly path: string; readonly messages: MessagesForReceivers }
  | 'finish';

const maker = new ReceiverRowMaker();

serveThreadPoolJobs(async (job: ReceiverRowsJob): Promise<void> => {
  if (job === 'finish') await maker.finish();
  else if ('path' in job) await maker.appendToFile(job.path, job.messages);
  else {
    for (const [stream, members] of job.streams) maker.addStream(stream, members);
    for (const [user, parts] of job.users) maker.addUser(user, parts);
  }
});
