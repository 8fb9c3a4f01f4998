/**
 * Families that depend on the HTTP server, and every operation once, on node:http. With API_TEST_ADAPTER=auto they run
 * on the adapter that this Node loads: CI does so under Node 22 and Node 24.
 */

import { runSuite } from './run.js';
import { startEmbedded } from './support/faces.js';

const adapter = process.env.API_TEST_ADAPTER === 'auto' ? 'auto' : 'node';

await runSuite(`embedded face, HTTP adapter ${adapter}`, () => startEmbedded({ httpAdapter: adapter }), [
  'authentication',
  'the frontend',
  'every role',
  'registering again',
  'queues',
  'contents of queues',
  'server information',
  'uploaded files',
  'files as they are served',
  'files that are attacks',
  'files on the web',
  'signing up',
  'custom emoji',
  'avatars',
  'restart',
]);
