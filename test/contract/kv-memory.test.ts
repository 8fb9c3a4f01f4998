import t from 'tap';
import { MemoryKv, MemoryKvServer } from '../support/memory-kv.js';
import { kvContract } from './kv.js';

kvContract(t, 'MemoryKv', async () => {
  const server = new MemoryKvServer();
  return { a: new MemoryKv(server), b: new MemoryKv(server), close: async () => {} };
});
