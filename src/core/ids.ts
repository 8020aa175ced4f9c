/** Branded ids of the vocabulary that are not a thread's. Ids and hashes are made by functions that come in as arguments. */

declare const runBrand: unique symbol;
export type RunId = string & { readonly [runBrand]: true };

declare const inboundBrand: unique symbol;
/** Identity of an inbound: two deliveries of one thing have the same id. Made by `inboundIdOf`. */
export type InboundId = string & { readonly [inboundBrand]: true };

/** Makes a new unique id (letters and digits, sortable by time where the maker can). */
export type NewId = () => string;

/** SHA-256 of the UTF-8 text, as lower-case hex. */
export type Hash = (text: string) => string;
