/** Decodes one picture at a time: one takes up to 500 MB, and other requests need the CPU cores. */
let lastDecoding: Promise<unknown> = Promise.resolve()

export function queueDecoding<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastDecoding.then(work)
  lastDecoding = turn.catch(() => undefined)
  return turn
}
