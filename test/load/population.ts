/**
 * Members of each stream. People are in departments as large as the largest stream; each stream has members of one
 * department, and sizes are spread evenly over their orders of magnitude. More people make more departments (and more
 * members in the last one). Members never leave a stream, so an organization can grow while it is measured.
 */
import { randomOf } from './schedule.js';

export interface Shape {
  readonly seed: number;
  readonly users: number;
  /** All there may be; undefined: as many as departments have. */
  readonly streams: number | undefined;
  readonly perDepartment: number;
  /** Of subscribers. */
  readonly smallest: number;
  readonly largest: number;
}

/** Streams per person: about eight, as the number of streams follows from their mean size. */
const STREAMS_EACH = 8;

const meanSize = (smallest: number, largest: number): number =>
  smallest === largest ? largest : (largest - smallest) / Math.log(largest / smallest);

/** @param streams asked for, with the number of users at the beginning */
export function shapeOf(options: {
  readonly seed: number;
  readonly users: number;
  readonly streams: number | undefined;
  readonly smallest: number;
  readonly largest: number;
  /** The number of streams follows that of users. */
  readonly grows: boolean;
}): Shape {
  const { seed, users, streams, grows } = options;
  const largest = grows ? options.largest : Math.min(options.largest, users);
  const smallest = Math.min(options.smallest, largest);
  const auto = Math.max(1, Math.round((largest * STREAMS_EACH) / meanSize(smallest, largest)));
  const departments = Math.ceil(users / largest);
  const perDepartment = streams === undefined ? auto : Math.ceil(streams / departments);
  return { seed, users, streams: grows ? undefined : streams, perDepartment, smallest, largest };
}

export const departmentsOf = ({ users, largest }: Shape): number => Math.ceil(users / largest);

export function streamsOf(shape: Shape): number {
  const all = departmentsOf(shape) * shape.perDepartment;
  return shape.streams === undefined ? all : Math.min(all, shape.streams);
}

/** Of a full department. */
function sizeOf({ smallest, largest, perDepartment }: Shape, nth: number): number {
  if (perDepartment === 1) return largest;
  return Math.round(largest * (smallest / largest) ** (nth / (perDepartment - 1)));
}

/** Indices of the users in a stream, ascending. */
export function membersOf(shape: Shape, stream: number): number[] {
  const { seed, users, largest, perDepartment } = shape;
  const department = Math.floor(stream / perDepartment);
  const from = department * largest;
  const people = Array.from({ length: largest }, (_, i) => from + i);
  const random = randomOf(seed + 1, stream);
  const wanted = sizeOf(shape, stream % perDepartment);
  const chosen: number[] = [];
  for (let i = 0; i < wanted; i++) {
    const at = i + random.below(people.length - i);
    [people[i], people[at]] = [people[at]!, people[i]!];
    if (people[i]! < users) chosen.push(people[i]!);
  }
  return chosen.sort((a, b) => a - b);
}

/** Recipients of a person's direct messages: people of the same department. */
export function colleaguesOf(
  { users, largest }: Shape,
  user: number,
): { readonly from: number; readonly count: number } {
  const from = Math.floor(user / largest) * largest;
  return { from, count: Math.min(largest, users - from) };
}
