/** A thread for the tests: doubles numbers, fails for negative ones, never returns from 0. */
import { serveJobs } from '#base/threads';

serveJobs((n: number): number => {
  if (n < 0) throw new Error('negative');
  if (n === 0) for (;;);
  return n * 2;
});
