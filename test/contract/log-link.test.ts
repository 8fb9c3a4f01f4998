import t from 'tap';
import { LinkEventLog, serveEventLogOverLink } from '#ports/log';
import { openLinkPair } from '../support/link-pair.js';
import { MemoryLog } from '../support/memory-log.js';
import { logContract } from './log.js';

const limits = { maxAgeMs: 3_600_000, maxBytes: 4 * 1024 * 1024 };

logContract(t, 'LinkEventLog', async () => {
  const { main, worker } = await openLinkPair();
  const log = new MemoryLog({ limits });
  serveEventLogOverLink(main, log);
  return {
    limits,
    open: async () => new LinkEventLog(worker),
    close: async () => {
      worker.close();
      await log.close();
    },
  };
});
