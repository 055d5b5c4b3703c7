/**
 * Rows as this process last saw them. A write that names the version it means may begin on such a row instead of asking
 * for it first: the statement that writes then fails unless the row is still in that version (`updateUser`), and the write
 * is done anew on what is read. Nothing is told or refused on a row from here.
 */
interface Versioned {
  id: number
  row_version: number
}

const most = 10_000

export class RecentRows<R extends Versioned> {
  /** The one that was seen longest ago first. */
  readonly #rows = new Map<number, R>()

  find(id: number, version: number): R | null {
    const row = this.#rows.get(id)
    return row?.row_version === version ? row : null
  }

  /** Only what is committed. */
  keep(row: R): void {
    const known = this.#rows.get(row.id)
    if (known && known.row_version > row.row_version) return
    this.#rows.delete(row.id)
    this.#rows.set(row.id, row)
    const [oldest] = this.#rows.size > most ? this.#rows.keys() : []
    if (oldest !== undefined) this.#rows.delete(oldest)
  }
}
