/** Script of a thread that reads files of messages (message-threads.ts). */
import { serveThreadPoolJobs } from '#base/threads';
import { ExportFormatError } from '../format/problem.js';
import { type MessageFileContent, type MessageFileJob, readMessageFile } from './message-files.js';

export type MessageFileAnswer = MessageFileContent | { readonly problem: string };

/** Answers with the content of a file, or with the reason for which the export can't be imported. */
serveThreadPoolJobs(async (job: MessageFileJob): Promise<MessageFileAnswer> => {
  try {
    return await readMessageFile(job);
  } catch (error) {
    if (error instanceof ExportFormatError) return { problem: error.message };
    throw error;
  }
});
