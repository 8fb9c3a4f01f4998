import t from 'tap';
import { MemoryStore } from '../support/memory-store.js';
import { storeContract } from './store.js';

storeContract(t, 'MemoryStore', async () => new MemoryStore({ atomicRecords: false }));
storeContract(t, 'MemoryStore with atomic records', async () => new MemoryStore({ atomicRecords: true }));
