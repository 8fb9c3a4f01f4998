/** The public Python package, unmodified. */
import { readFileSync } from 'node:fs';
import { onBothFaces, source } from './support/chat.js';
import { pythonWith } from './support/install.js';

const requirements = source('requirements.txt');
const version = /^zulip==(\S+)$/m.exec(readFileSync(requirements, 'utf8'))?.[1] ?? '';
const python = await pythonWith(version, requirements);
if (python) {
  // As people do, so that they stay within the usual limits.
  const chat = { fact: 'two clients talk to each other', words: [python, source('python-chat.py')] };
  await onBothFaces([chat], ['--rate-limits', 'on']);
  await onBothFaces([{ fact: 'every method of the client works', words: [python, source('python-day.py')] }]);
}
