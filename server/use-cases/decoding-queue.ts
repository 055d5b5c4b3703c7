/** Decoding a picture takes up to 500 MB, and the cores are needed for answers: one picture at a time, whosever it is. */
let last: Promise<unknown> = Promise.resolve()

export function decodeInTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work)
  last = turn.catch(() => undefined)
  return turn
}
