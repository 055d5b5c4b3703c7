/** How many rows a list has, as this process last counted them: good until its company's rows change (protocol 34). */
const most = 1000

export class RecentCounts {
  /** The one that was counted longest ago first. */
  readonly #counts = new Map<string, { change: number; count: number }>()

  /** `change`: read before the rows are counted, so a count is never kept under a number that is older than what it knows. */
  async of(list: string, change: number, ask: () => Promise<number>): Promise<number> {
    const known = this.#counts.get(list)
    if (known?.change === change) return known.count
    const count = await ask()
    this.#counts.delete(list)
    this.#counts.set(list, { change, count })
    const [oldest] = this.#counts.size > most ? this.#counts.keys() : []
    if (oldest !== undefined) this.#counts.delete(oldest)
    return count
  }
}
