import t from 'tap';
import { MemoryLog } from '../support/memory-log.js';
import { logContract } from './log.js';

const limits = { maxAgeMs: 3_600_000, maxBytes: 4 * 1024 * 1024 };
logContract(t, 'MemoryLog', async () => ({ limits, open: async () => new MemoryLog({ limits }) }));
logContract(t, 'MemoryLog delivering in later turns', async () => ({
  limits,
  open: async () => new MemoryLog({ limits, schedule: setImmediate }),
}));
