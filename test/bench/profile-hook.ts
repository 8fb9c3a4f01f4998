/**
 * Hook for CPU profiles of a server process, loaded by `node --import`. SIGUSR2 starts a profile; the next SIGUSR2 ends
 * the profile and writes it to `PROFILE_DIR/<pid>.cpuprofile`. Thus a profile excludes start and preparation.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const { PROFILE_DIR } = process.env;
const SAMPLE_MICROS = 500;

if (PROFILE_DIR !== undefined) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
  let running = false;
  const writeWhole = (what: string, text: string): void => {
    const path = join(PROFILE_DIR, `${process.pid}.${what}`);
    writeFileSync(`${path}.part`, text);
    renameSync(`${path}.part`, path);
  };
  process.on('SIGUSR2', () => {
    running = !running;
    if (running) session.post('Profiler.start', () => writeWhole('started', ''));
    else session.post('Profiler.stop', (_error, { profile }) => writeWhole('cpuprofile', JSON.stringify(profile)));
  });
}
