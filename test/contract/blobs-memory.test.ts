import t from 'tap';
import { MemoryBlobs } from '../support/memory-blobs.js';
import { blobsContract } from './blobs.js';

const blobs = new MemoryBlobs();
blobsContract(t, 'MemoryBlobs', async () => blobs);
