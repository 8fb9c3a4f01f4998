/** Values that the store, the log and the bus return unchanged: JSON and bytes. */
export type Json =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };
export type JsonObject = { readonly [key: string]: Json | undefined };
