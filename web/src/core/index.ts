/** State core of the web client: no DOM, compiled by the root tsconfig too, so that tests in Node import it. */
export {};
