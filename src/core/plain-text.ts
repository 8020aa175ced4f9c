/** Words of people in markdown of our own: nothing in them is read as marks. Pure. */

/** Of one line. */
export function plain(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()<>#|~!&]/g, (sign) => `\\${sign}`);
}
