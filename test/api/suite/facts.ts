import type { Test } from 'tap';
import type { TestServer } from '../support/faces.js';

/** Facts of one family, told of any face. */
export type Facts = (t: Test, server: TestServer) => Promise<void>;
