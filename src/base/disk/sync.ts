import { open } from 'node:fs/promises';

/** A name is durable when its folder was flushed, not when its file was. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const syncFile = (file: string): Promise<void> => syncFolder(file);
