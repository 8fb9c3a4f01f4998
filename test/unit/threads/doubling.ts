/** A thread for the tests: doubles numbers, fails for negative ones, never returns from 0. */
import { serveThreadPoolJobs } from '#base/threads';

serveThreadPoolJobs((n: number): number => {
  if (n < 0) throw new Error('negative');
  if (n === 0) for (;;);
  return n * 2;
});
