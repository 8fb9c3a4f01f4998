/** Flushes files and folders to disk. */
import { open } from 'node:fs/promises';

/** Makes the names in a folder durable; flushing a file does not flush its name. */
export async function fsyncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const fsyncFile = (file: string): Promise<void> => fsyncFolder(file);
