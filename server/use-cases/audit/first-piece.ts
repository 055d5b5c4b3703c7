/** Reads the first piece, and then returns all pieces. If reading the first piece fails, nothing has been sent yet. */
export async function withFirstPiece<T>(pieces: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const source = pieces[Symbol.asyncIterator]()
  const first = await source.next()
  async function* readAll(): AsyncGenerator<T> {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return readAll()
}
