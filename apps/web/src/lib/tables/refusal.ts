/** A file that cannot be imported as a whole; the message is the French sentence shown to staff. */
export class TableRefusal extends Error {
  override name = 'TableRefusal';
}
