/** The public Python package, unmodified. */
import { readFileSync } from 'node:fs';
import { chatOnBothFaces, source } from './support/chat.js';
import { pythonWith } from './support/install.js';

const requirements = source('requirements.txt');
const version = /^zulip==(\S+)$/m.exec(readFileSync(requirements, 'utf8'))?.[1] ?? '';
const python = await pythonWith(version, requirements);
if (python) await chatOnBothFaces([python, source('python-chat.py')]);
