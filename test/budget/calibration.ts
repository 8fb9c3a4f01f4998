/** Calibration: how much slower this machine is than the reference machine, on which the limit is 100 ms. */

/** Best CPU time in ms of `work` on the idle reference machine. */
const REFERENCE_MS = 15;
/** Cap of the factor: the limit never exceeds 400 ms, because figures of a slower machine mean nothing. */
const MAX_SLOWNESS = 4;
const RUN_COUNT = 9;

/** Typical work of a request: parsing, serializing and splitting of text. */
function work(): number {
  const items = Array.from({ length: 20_000 }, (_, i) => ({ name: `stream ${i}`, id: i, words: ['a', 'b'] }));
  const text = JSON.stringify(items);
  const again = JSON.parse(text) as { name: string }[];
  const sorted = again.map(({ name }) => name.toLowerCase()).sort();
  return sorted.length + text.split(',').length;
}

/** Factor by which this machine is slower than the reference machine; 1 if it is as fast or faster. */
export function slowness(): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUN_COUNT; i++) {
    const from = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(from);
    best = Math.min(best, (user + system) / 1000);
  }
  return Math.min(MAX_SLOWNESS, Math.max(1, best / REFERENCE_MS));
}
