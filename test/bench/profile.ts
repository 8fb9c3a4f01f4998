/**
 * Prints a .cpuprofile as text: self time by function, by file and by folder, as shares of the busy time. `node
 * dist/test/bench/profile.js FILE [N]` prints N rows of each; `npm run bench -- --profile DIR` writes such files.
 */
import { readFileSync } from 'node:fs';
import { fileOf, folderOf, IDLE, type Profile } from './cpuprofile.js';

function addTime(to: Map<string, number>, name: string, time: number): void {
  to.set(name, (to.get(name) ?? 0) + time);
}

function print(title: string, times: ReadonlyMap<string, number>, total: number, most: number): void {
  process.stdout.write(`\n${title}\n`);
  const sorted = [...times].sort(([, a], [, b]) => b - a).slice(0, most);
  for (const [name, time] of sorted)
    process.stdout.write(`${((time * 100) / total).toFixed(1).padStart(5)} %  ${name}\n`);
}

const [file, count = '25'] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('usage: profile.js FILE.cpuprofile [N]\n');
  process.exit(2);
}
const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
const functions = new Map<string, number>();
const files = new Map<string, number>();
const folders = new Map<string, number>();
let total = 0;
let idle = 0;
profile.samples.forEach((id, i) => {
  const { functionName, url, lineNumber } = frames.get(id)!;
  const time = profile.timeDeltas[i]!;
  if (functionName === IDLE) {
    idle += time;
    return;
  }
  total += time;
  const at = fileOf(url);
  const nameOfOwner = url === '' && functionName.startsWith('(') ? functionName : at;
  addTime(functions, url === '' ? functionName : `${functionName || '(anonymous)'}  ${at}:${lineNumber + 1}`, time);
  addTime(files, nameOfOwner, time);
  addTime(folders, folderOf(nameOfOwner), time);
});
process.stdout.write(`busy ${(total / 1000).toFixed(0)} ms, idle ${(idle / 1000).toFixed(0)} ms\n`);
print('by function', functions, total, Number(count));
print('by file', files, total, Number(count));
print('by folder or module', folders, total, Number(count));
