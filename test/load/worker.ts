/** Worker process of the load harness: runs a share of the clients and reports every second. */
import type { Report, WorkerCommand } from './protocol.js';
import { WorkerState } from './worker-state.js';

const REPORT_INTERVAL_MS = 1_000;
/** Time limit for the deletion of all queues at the end, ms. */
const STOP_TIMEOUT_MS = 10_000;

// The main process handles signals and tells the workers to stop.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit(1));

const sendReport = (report: Report): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(report, undefined, undefined, () => resolve());
  });

let state: WorkerState | undefined;
let reportTimer: NodeJS.Timeout | undefined;

const report = (): Promise<void> =>
  state ? sendReport(state.recorder.takeInterval(state.currentCounts)) : Promise.resolve();

async function stop(): Promise<void> {
  clearInterval(reportTimer);
  if (state) {
    for (const client of state.clients.values()) client.stop();
    const until = performance.now() + STOP_TIMEOUT_MS;
    while (state.pool.inFlight > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20));
    state.pool.close();
  }
  await report();
  await sendReport({ kind: 'ended' });
  process.exit(0);
}

function handleCommand(command: WorkerCommand): void {
  if (command.kind === 'setup') {
    state = new WorkerState(command.setup);
    reportTimer = setInterval(() => void report(), REPORT_INTERVAL_MS);
  } else if (command.kind === 'stop') void stop();
  else if (!state) throw new Error(`${command.kind} before setup`);
  else if (command.kind === 'population')
    state.setPopulation(command.from, command.accounts, command.streams, command.shape);
  else if (command.kind === 'clients') state.setClients(command.count, command.from, command.at, command.ms);
  else state.stopActions();
}

process.on('message', (command: WorkerCommand) => {
  try {
    handleCommand(command);
  } catch (error) {
    void sendReport({ kind: 'failed', error: String(error instanceof Error ? error.stack : error) }).then(() =>
      process.exit(1),
    );
  }
});
process.on('uncaughtException', (error) => {
  void sendReport({ kind: 'failed', error: String(error.stack) }).then(() => process.exit(1));
});
