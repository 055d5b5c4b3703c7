/**
 * The last queued decoding. Pictures are decoded one after the other: a decoding takes up to 500 MB, and other requests need the CPU cores.
 */
let lastDecoding: Promise<unknown> = Promise.resolve()

export function queueDecoding<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastDecoding.then(work)
  lastDecoding = turn.catch(() => undefined)
  return turn
}
