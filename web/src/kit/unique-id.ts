import { useState } from 'preact/hooks';

let givenIds = 0;

/**
 * Id of an element, another one for each component of the page. Preact's `useId` numbers the components of one tree. A
 * dialog that `openLayer` shows is a tree of its own, whose labels would name fields of the page behind it.
 */
export const useUniqueId = (): string => useState(() => `id-${++givenIds}`)[0];
