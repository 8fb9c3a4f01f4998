export { Encoded, encodeFields, encodeParts, type Fields, ReadyFields } from './encode-fields.js';
export { type CatalogueEntry, catalogue, type ErrorName } from './error-catalogue/index.js';
export * from './errors.js';
export * from './operation.js';
