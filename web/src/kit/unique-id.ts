import { useState } from 'preact/hooks';

let givenIds = 0;

/**
 * Id of an element, unique in the page. Preact's own hook numbers the components of one tree. The dialogs of
 * `openLayer` are trees of their own, so their labels would name fields of the page behind them.
 */
export const useUniqueId = (): string => useState(() => `id-${++givenIds}`)[0];
