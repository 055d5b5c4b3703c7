/** Runs the function for each item, at most `limit` at once, and returns the results in the order of the items. After the first error no further item begins. */
export async function runLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  let hasFailed = false
  async function work(): Promise<void> {
    for (const [index, item] of queue) {
      if (hasFailed) return
      try {
        results[index] = await run(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
