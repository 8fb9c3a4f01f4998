/** Public client packages for Python, JavaScript and Rust, unmodified. */
import { readFileSync } from 'node:fs';
import { runOnBothFaces, type Script, source } from './support/chat.js';
import { asyncSdk, npmPackage, pythonWith, rustProgram } from './support/install.js';

const requirements = source('requirements.txt');
const version = /^zulip==(\S+)$/m.exec(readFileSync(requirements, 'utf8'))?.[1] ?? '';
const python = await pythonWith(version, requirements);
const folder = await npmPackage('zulip-js', '2.1.0');
const asyncPython = await asyncSdk(source('requirements-async-sdk.txt'));
const rust = await rustProgram(source('rust-zulip-api/Cargo.toml'));

const limited: Script[] = [];
const unlimited: Script[] = [];
if (python) {
  // Chat scripts call as rarely as people do, so they run under the default rate limits.
  limited.push({
    fact: 'python: two clients talk to each other',
    words: [python, source('python-chat.py')],
    chat: true,
  });
  unlimited.push({ fact: 'python: every method of the client works', words: [python, source('python-day.py')] });
}
if (asyncPython) {
  limited.push({
    fact: 'async-zulip-bot-sdk: a person at level 184 and a bot at level 371 talk to each other',
    words: [asyncPython, source('async-sdk-chat.py')],
    chat: true,
  });
}
if (rust) limited.push({ fact: 'rust: two clients of API level 371 use the crate', words: [rust], chat: true });
if (folder) {
  const js = (name: string): readonly string[] => [process.execPath, source(name), folder];
  unlimited.push({ fact: 'zulip-js: two clients talk to each other', words: js('zulip-js-chat.mjs'), chat: true });
  unlimited.push({ fact: 'zulip-js: every call of the package works', words: js('zulip-js-day.mjs') });
}
if (limited.length + unlimited.length > 0) await runOnBothFaces({ limited, unlimited });
