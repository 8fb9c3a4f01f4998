/**
 * Families that depend on the HTTP server, and every operation once, on node:http. With API_TEST_ADAPTER=auto they run
 * on the adapter that this Node loads: CI does so under Node 22 and Node 24.
 */

import { picked } from '../support/rounds.js';
import { runSuite } from './run.js';
import { startEmbedded } from './support/faces.js';

const adapter = process.env.API_TEST_ADAPTER === 'auto' ? 'auto' : 'node';

/** Families of every run: every operation, bodies, connections, serving of files. */
const ALWAYS = ['the frontend', 'every role', 'queues', 'files as they are served'];
const OTHERS = [
  'uploaded files',
  'signing up',
  'authentication',
  'registering again',
  'contents of queues',
  'server information',
  'files that are attacks',
  'files on the web',
  'custom emoji',
  'avatars',
  'restart',
];
/** How many of the others a short run tries. */
const PICKED = 2;

await runSuite(`embedded face, HTTP adapter ${adapter}`, () => startEmbedded({ httpAdapter: adapter }), [
  ...ALWAYS,
  ...picked(OTHERS, PICKED, (family) => family),
]);
