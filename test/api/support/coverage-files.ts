/** The coverage of several programs, collected in a folder. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addWatched, type Watched, watchedOperations } from './actions.js';
import { triedOf, triedOperations } from './coverage.js';
import { errorsOf } from './wire.js';

interface Saved {
  readonly operation: string;
  readonly successes: number;
  readonly errors: readonly string[];
  /** Indexes into `errorsOf(operation)`. */
  readonly entries: readonly number[];
  readonly roles: readonly string[];
  readonly watched: Watched;
}

const PREFIX = 'api-coverage-';

export function writeCoverage(folder: string): void {
  const saved = [...new Set([...triedOperations(), ...watchedOperations().keys()])].map((operation): Saved => {
    const { successes, errors, entries, roles } = triedOf(operation);
    const declared = errorsOf(operation);
    return {
      ...{ operation, successes, errors: [...errors], roles: [...roles] },
      entries: [...entries].map((entry) => declared.indexOf(entry)).filter((index) => index >= 0),
      watched: watchedOperations().get(operation) ?? { acting: false, bystander: false },
    };
  });
  writeFileSync(join(folder, `${PREFIX}${process.pid}.json`), JSON.stringify(saved));
}

/** @returns how many files there were */
export function readCoverage(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.startsWith(PREFIX));
  for (const file of files) {
    for (const { operation, successes, errors, entries, roles, watched } of JSON.parse(
      readFileSync(join(folder, file), 'utf8'),
    ) as Saved[]) {
      const of = triedOf(operation);
      of.successes += successes;
      for (const error of errors) of.errors.add(error);
      for (const index of entries) of.entries.add(errorsOf(operation)[index]!);
      for (const role of roles) of.roles.add(role);
      addWatched(operation, watched);
    }
  }
  return files.length;
}
