/** Streams pieces that are produced while the stream is sent. However the stream ends, its source is ended too. */
import { Readable } from 'node:stream'

export type StreamPiece = string | Uint8Array

export class PieceStream extends Readable {
  readonly #source: AsyncIterator<StreamPiece>
  readonly #maxWaitMs: number
  #firstResult: IteratorResult<StreamPiece> | null
  #waitTimer: NodeJS.Timeout | undefined

  private constructor(source: AsyncIterator<StreamPiece>, first: IteratorResult<StreamPiece>, maxWaitMs: number) {
    super()
    this.#source = source
    this.#firstResult = first
    this.#maxWaitMs = maxWaitMs
    // The sender adds a listener too, but later. An error without any listener would end the process.
    this.on('error', () => undefined)
  }

  /** Reads the first piece before anything is sent, so that an error of it becomes a problem and not half a file. */
  static async open(pieces: AsyncIterable<StreamPiece>, maxWaitMs: number): Promise<PieceStream> {
    const source = pieces[Symbol.asyncIterator]()
    return new PieceStream(source, await source.next(), maxWaitMs)
  }

  override _read(): void {
    clearTimeout(this.#waitTimer)
    void this.#pushNext()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#waitTimer)
    void this.#endSource(error, callback)
  }

  /** Ends the source. Waits until it has finished its work, because a running query holds its connection until then. */
  async #endSource(error: Error | null, callback: (error?: Error | null) => void): Promise<void> {
    let failure: Error | null = null
    try {
      await this.#source.return?.()
    } catch (sourceError) {
      failure = toError(sourceError)
    }
    callback(error ?? failure)
  }

  async #pushNext(): Promise<void> {
    try {
      let result = this.#firstResult ?? (await this.#source.next())
      this.#firstResult = null
      // Empty pieces are skipped: pushing one would not cause another read, so the stream would stop.
      while (!result.done && result.value.length === 0) result = await this.#source.next()
      if (this.destroyed) return
      if (result.done) return void this.push(null)
      this.#waitTimer = setTimeout(() => this.#cutOff(), this.#maxWaitMs).unref()
      this.push(typeof result.value === 'string' ? Buffer.from(result.value) : result.value)
    } catch (error) {
      this.destroy(toError(error))
    }
  }

  #cutOff(): void {
    this.destroy(new Error(`the client read nothing for ${this.#maxWaitMs} ms`))
  }
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
