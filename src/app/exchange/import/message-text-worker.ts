/** Script of a thread that renders texts of messages (message-threads.ts). */
import { workerData } from 'node:worker_threads';
import { serveThreadPoolJobs } from '#base/threads';
import {
  type MessageTextContext,
  MessageTextRenderer,
  type MessageTextToRender,
  type RenderedMessageText,
} from './message-jobs.js';

// A build runs this file without data, to cache its code.
const renderer = workerData ? new MessageTextRenderer(workerData as MessageTextContext) : undefined;

serveThreadPoolJobs(
  async (texts: readonly MessageTextToRender[]): Promise<RenderedMessageText[]> => renderer!.renderTexts(texts),
);
