/**
 * Fills the data directory of `--case history` ahead of a measurement: `node dist/test/bench/history-prepare.js
 * DIRECTORY [MESSAGES]`.
 */
import { openOrFillHistory } from './history-fill.js';

const [directory, count = '1000000'] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: history-prepare.js DIRECTORY [MESSAGES]');
const { first, last } = await openOrFillHistory(directory, Number(count));
process.stdout.write(`messages ${first} to ${last}\n`);
