import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const temporary = (name: string): string => mkdtempSync(join(tmpdir(), `conclave-${name}-`));
export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });
