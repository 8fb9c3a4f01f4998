/** The faults of test/cluster/mutant-table.ts change what they mean to change: their texts are in the build. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { MUTANTS } from '../../cluster/mutant-table.js';

const build = new URL('../../../', import.meta.url);

t.strictSame(
  MUTANTS.filter(({ file, find }) => !readFileSync(new URL(file, build), 'utf8').includes(find)).map(
    ({ name }) => name,
  ),
  [],
  'the text of each fault is in the built file',
);
