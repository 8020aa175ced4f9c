/** What an address that a person copied on a platform says of a thread. */

/** Reads the addresses of one platform: parts of the ids that it may mean, several sets where it could be either; none for others. */
export type ReadAddress = (address: string) => readonly (readonly string[])[];
