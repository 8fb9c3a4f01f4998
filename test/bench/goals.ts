/** Goals of the figures. The table shows a missed goal; the run does not fail. */
import { type Figure, median, ratioOfMedians } from './figures.js';

export interface Goal {
  /** Id of the figure. */
  readonly id: string;
  /** Title in the table; the face has a column of its own. */
  readonly title: string;
  /** Quantity with the goal: the median of the figure, or its ratio to the median of the first bare program. */
  readonly quantity: 'value' | 'ratio';
  readonly min?: number;
  readonly max?: number;
}

export const GOALS: readonly Goal[] = [
  { id: 'me/64/embedded/rate', title: '`GET /users/me`, 64 at once', quantity: 'ratio', min: 0.5 },
  { id: 'me/64/cluster/rate', title: '`GET /users/me`, 64 at once', quantity: 'ratio', min: 0.2 },
  { id: 'send/64/embedded/rate', title: '`POST /messages` per second, 64 at once', quantity: 'value', min: 5_000 },
  { id: 'send/64/cluster/rate', title: '`POST /messages` per second, 64 at once', quantity: 'value', min: 2_000 },
  { id: 'send/64/embedded/cpu', title: 'CPU of `POST /messages`, 64 at once', quantity: 'ratio', max: 25 },
  { id: 'fanout/2000/embedded/rate', title: 'deliveries to 2,000 polls', quantity: 'ratio', min: 0.75 },
  { id: 'fanout/2000/embedded/cpu', title: 'CPU per delivery to 2,000 polls', quantity: 'ratio', max: 2 },
  { id: 'fanout/2000/cluster/rate', title: 'deliveries to 2,000 polls', quantity: 'ratio', min: 0.5 },
  { id: 'fanout/2000/cluster/cpu', title: 'CPU per delivery to 2,000 polls', quantity: 'ratio', max: 1.67 },
  // Ratio of the newest API level to the base level, measured by turns on one server.
  { id: 'levels/2000/embedded/cpu', title: 'CPU per delivery at the newest API level', quantity: 'ratio', max: 1.05 },
  { id: 'levels/2000/cluster/cpu', title: 'CPU per delivery at the newest API level', quantity: 'ratio', max: 1.05 },
  // Time from the planned send to the last of 500 deliveries, at 20 messages per second.
  {
    id: 'fanout-rate/500/embedded/p99',
    title: 'p99 to the last of 500 polls at 20 messages/s, ms',
    quantity: 'value',
    max: 50,
  },
  {
    id: 'fanout-rate/500/cluster/p99',
    title: 'p99 to the last of 500 polls at 20 messages/s, ms',
    quantity: 'value',
    max: 100,
  },
  // Registration of 20,000 queues, and CPU of their idle polls. queue-memory-bench.ts measures their memory.
  { id: 'held/20000/embedded/registered', title: '20,000 polls registered, s', quantity: 'value', max: 60 },
  { id: 'held/20000/cluster/registered', title: '20,000 polls registered, s', quantity: 'value', max: 60 },
  { id: 'held/20000/embedded/cpu', title: 'CPU of 20,000 held polls', quantity: 'ratio', max: 1.3 },
  { id: 'held/20000/cluster/cpu', title: 'CPU of 20,000 held polls', quantity: 'ratio', max: 2 },
  // Ratio of messages to requests of the bare server. With 50,000 bare requests/s, the goals are 5,000 and 20,000
  // messages/s.
  { id: 'exchange/import/50000/embedded/rate', title: 'imported messages per second', quantity: 'ratio', min: 0.1 },
  { id: 'exchange/export/50000/embedded/rate', title: 'exported messages per second', quantity: 'ratio', min: 0.4 },
  {
    id: 'exchange/import/1000000/embedded/memory',
    title: 'memory of an import of a million, MB',
    quantity: 'value',
    max: 500,
  },
  { id: 'exchange/import/50000/embedded/p99', title: 'p99 of sends during an import', quantity: 'ratio', max: 2 },
  { id: 'exchange/export/50000/embedded/p99', title: 'p99 of sends during an export', quantity: 'ratio', max: 2 },
  // Clients fetch the newest messages most often, and the server caches them. A fetch anywhere in a million messages
  // reads messages that are rarely in a cache.
  {
    id: 'history/everything-newest/16/embedded/rate',
    title: 'the newest 100 of a million messages per second, 16 at once',
    quantity: 'value',
    min: 4_000,
  },
  {
    id: 'history/mixed-narrows-newest-and-anywhere/16/embedded/rate',
    title: '100 of a million messages, any narrow, a quarter anywhere, per second, 16 at once',
    quantity: 'value',
    min: 4_000,
  },
  { id: 'register/16/embedded/rate', title: '`POST /register` per second, 16 at once', quantity: 'value', min: 2_000 },
  // The bare server sends as many bytes: 43 KB for a registration, 75 KB for 100 messages.
  { id: 'register/16/embedded/cpu', title: 'CPU of `POST /register`', quantity: 'ratio', max: 45 },
  ...['everything', 'a stream', 'a topic', 'a conversation'].map(
    (narrow): Goal => ({
      id: `history/${narrow.replaceAll(' ', '-')}-anywhere/16/embedded/cpu`,
      title: `CPU of 100 messages anywhere in a million: ${narrow}`,
      quantity: 'ratio',
      max: 20,
    }),
  ),
  { id: 'users1000/64/embedded/rate', title: '`GET /users` of 1,000, 64 at once', quantity: 'ratio', min: 0.5 },
  { id: 'users1000/64/cluster/rate', title: '`GET /users` of 1,000, 64 at once', quantity: 'ratio', min: 0.5 },
  // The web client, in an organization of 2,000 people, 200 streams and 100,000 messages; milliseconds.
  { id: 'web/script/embedded/all', title: 'web: all scripts, KiB compressed', quantity: 'value', max: 200 },
  {
    id: 'web/cold/embedded/painted',
    title: 'web: cold load of a topic, 4× slower processor, ms',
    quantity: 'value',
    max: 1_500,
  },
  { id: 'web/warm/embedded/painted', title: 'web: warm load of a topic, ms', quantity: 'value', max: 600 },
  {
    id: 'web/send/embedded/p95',
    title: 'web: p95 from Enter to painted in another page, ms',
    quantity: 'value',
    max: 100,
  },
  {
    id: 'web/key/embedded/without-wait',
    title: 'web: p95 of the work for a key, without the wait for a frame, ms',
    quantity: 'value',
    max: 16,
  },
];

export interface GoalResult {
  readonly goal: Goal;
  /** Value that is compared with the bound of the goal. */
  readonly value: number;
  readonly met: boolean;
}

export const boundText = ({ min, max }: Goal): string =>
  min === undefined ? `≤ ${max!.toLocaleString('en-US')}` : `≥ ${min.toLocaleString('en-US')}`;

export const isMet = ({ min = -Infinity, max = Infinity }: Goal, value: number): boolean =>
  value >= min && value <= max;

/** @returns undefined when the figure has no goal, or was not measured */
export function judgeFigure(figure: Figure, goals: readonly Goal[] = GOALS): GoalResult | undefined {
  const goal = goals.find(({ id }) => id === figure.id);
  if (!goal || figure.ours.length === 0) return undefined;
  const [bare] = figure.bare;
  if (goal.quantity === 'ratio' && !bare) return undefined;
  const value = goal.quantity === 'ratio' ? ratioOfMedians(figure, bare!) : median(figure.ours);
  return { goal, value, met: isMet(goal, value) };
}
