import type { Test } from 'tap';
import type { TestServer } from '../support/faces.js';

/** The tests of one family, which run on any face. */
export type Facts = (t: Test, server: TestServer) => Promise<void>;
