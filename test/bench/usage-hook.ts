/**
 * Hook for CPU and memory of a command, loaded by `node --import`: writes both into `USAGE_FILE` at the exit. Resident
 * memory includes pages of the memory-mapped database, as long as the kernel keeps them; anonymous memory does not.
 */
import { readFileSync, writeFileSync } from 'node:fs';

export interface ProcessUsage {
  readonly cpuMs: number;
  /** Peak of resident memory, with mapped files. */
  readonly rssBytes: number;
  /** Peak of anonymous resident memory, without mapped files. */
  readonly ownBytes: number;
}

const { USAGE_FILE } = process.env;
const SAMPLE_MS = 50;
const OWN_MEMORY_PATTERN = /^RssAnon:\s+(\d+) kB/m;

if (USAGE_FILE !== undefined) {
  let ownBytes = 0;
  const sample = (): void => {
    const [, kib = '0'] = OWN_MEMORY_PATTERN.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    ownBytes = Math.max(ownBytes, Number(kib) * 1_024);
  };
  setInterval(sample, SAMPLE_MS).unref();
  process.once('exit', () => {
    sample();
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage: ProcessUsage = { cpuMs: (userCPUTime + systemCPUTime) / 1_000, rssBytes: maxRSS * 1_024, ownBytes };
    writeFileSync(USAGE_FILE, JSON.stringify(usage));
  });
}
