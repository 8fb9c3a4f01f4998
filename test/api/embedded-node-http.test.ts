/**
 * What differs with the HTTP server, and every operation once, on node:http. Where uWebSockets.js can't load `embedded.test.ts` is the whole
 * suite on node:http: CI runs that under Node 24.
 */
import { startEmbedded } from './harness.js';
import { runSuite } from './run.js';

await runSuite('embedded face on node:http', () => startEmbedded({ httpAdapter: 'node' }), [
  'authentication',
  'the frontend',
  'every role',
  'registering again',
  'queues',
  'contents of queues',
  'facts of the server',
  'uploaded files',
  'files as they are served',
  'files that are attacks',
  'files on the web',
  'signing up',
  'custom emoji',
  'avatars',
  'restart',
]);
