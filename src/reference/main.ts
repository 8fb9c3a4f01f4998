/** `npm run docs`. */
import { writeFile } from 'node:fs/promises';
import { documents } from './documents.js';

for (const [name, text] of documents()) await writeFile(`docs/${name}`, text);
