/**
 * Members of each stream. Users are in departments of the size of the largest stream; each stream has members of one
 * department, and stream sizes are spaced logarithmically. More users fill the last department and add departments.
 * Members never leave a stream, so an organization can grow during a search.
 */
import { makeRandom } from './schedule.js';

export interface Shape {
  readonly seed: number;
  readonly users: number;
  /** Largest number of streams; undefined for all streams of all departments. */
  readonly streams: number | undefined;
  readonly perDepartment: number;
  /** Smallest and largest number of subscribers of a stream. */
  readonly smallest: number;
  readonly largest: number;
}

/** Mean number of streams per user; the number of streams follows from it and their mean size. */
const STREAMS_PER_USER = 8;

const meanSize = (smallest: number, largest: number): number =>
  smallest === largest ? largest : (largest - smallest) / Math.log(largest / smallest);

/** @param options.users number of users at the start */
export function shapeOf(options: {
  readonly seed: number;
  readonly users: number;
  readonly streams: number | undefined;
  readonly smallest: number;
  readonly largest: number;
  /** Whether the number of streams grows with the number of users. */
  readonly grows: boolean;
}): Shape {
  const { seed, users, streams, grows } = options;
  const largest = grows ? options.largest : Math.min(options.largest, users);
  const smallest = Math.min(options.smallest, largest);
  const defaultPerDepartment = Math.max(1, Math.round((largest * STREAMS_PER_USER) / meanSize(smallest, largest)));
  const departments = Math.ceil(users / largest);
  const perDepartment = streams === undefined ? defaultPerDepartment : Math.ceil(streams / departments);
  return { seed, users, streams: grows ? undefined : streams, perDepartment, smallest, largest };
}

export const departmentsOf = ({ users, largest }: Shape): number => Math.ceil(users / largest);

export function streamsOf(shape: Shape): number {
  const all = departmentsOf(shape) * shape.perDepartment;
  return shape.streams === undefined ? all : Math.min(all, shape.streams);
}

/** @returns the number of subscribers of the nth stream in a full department */
function sizeOf({ smallest, largest, perDepartment }: Shape, nth: number): number {
  if (perDepartment === 1) return largest;
  return Math.round(largest * (smallest / largest) ** (nth / (perDepartment - 1)));
}

/** @returns the indices of the members of a stream, ascending */
export function membersOf(shape: Shape, stream: number): number[] {
  const { seed, users, largest, perDepartment } = shape;
  const department = Math.floor(stream / perDepartment);
  const from = department * largest;
  const candidates = Array.from({ length: largest }, (_, i) => from + i);
  const random = makeRandom(seed + 1, stream);
  const wanted = sizeOf(shape, stream % perDepartment);
  const chosen: number[] = [];
  for (let i = 0; i < wanted; i++) {
    const at = i + random.below(candidates.length - i);
    [candidates[i], candidates[at]] = [candidates[at]!, candidates[i]!];
    if (candidates[i]! < users) chosen.push(candidates[i]!);
  }
  return chosen.sort((a, b) => a - b);
}

/** @returns the range of users in the user's department, who are the recipients of the user's direct messages */
export function colleaguesOf(
  { users, largest }: Shape,
  user: number,
): { readonly from: number; readonly count: number } {
  const from = Math.floor(user / largest) * largest;
  return { from, count: Math.min(largest, users - from) };
}
