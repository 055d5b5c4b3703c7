/** Runs the function for each item, at most `limit` at once, and returns the results in the order of the items. The first error ends it. */
export async function runLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  async function work(): Promise<void> {
    for (const [index, item] of queue) results[index] = await run(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
