export { type StaticFile, staticFile } from './files.js';
