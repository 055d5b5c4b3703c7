/** Decoding a picture takes up to 500 MB, and the cores are needed for answers: one picture at a time, whosever it is. */
let lastDecoding: Promise<unknown> = Promise.resolve()

export function queueDecoding<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastDecoding.then(work)
  lastDecoding = turn.catch(() => undefined)
  return turn
}
