/**
 * Makes PDFs in a worker thread, one after the other: reading fonts and laying out a long document takes up to a second, during which the
 * server must answer others. The thread starts with the first document, and ends when none was made for a while.
 */
import { Worker } from 'node:worker_threads'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import type { PdfAnswer } from '#server/drivers/pdf/worker.ts'
import { createUnavailableProblem } from '#server/problems/problem-error.ts'

export interface PdfLimits {
  /** Maximum number of requested documents that wait or are made. */
  documents: number
  /** The same for one user, so that nobody takes all places. */
  documentsPerUser: number
  /** Time for one document, including the start of the thread. */
  wallMs: number
  /** Limit of the thread's JavaScript heap. The fonts, some 20 MB, are outside it. */
  heapMb: number
  /** Time after which an unused thread ends. */
  idleMs: number
}

const defaultLimits: PdfLimits = { documents: 20, documentsPerUser: 2, wallMs: 30_000, heapMb: 256, idleMs: 60_000 }
/** For the header Retry-After. */
const retrySeconds = 5

/** Thrown if a document could not be made: it took too long or too much memory, or there is a fault in the program. */
export class PdfError extends Error {
  override readonly name = 'PdfError'
}

interface PdfRequester {
  /** Null for a mail. A mail is never refused: the jobs make only a few at a time, and downloads must not keep them from it. */
  userId: number | null
}

export class PdfWriter {
  readonly #limits: PdfLimits
  #worker: Worker | null = null
  #idleTimer: NodeJS.Timeout | null = null
  /** Number of documents that wait or are made, by user. */
  readonly #countsByUser = new Map<number, number>()
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(limits: Partial<PdfLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Throws UNAVAILABLE with a time if too many documents wait, in all or of this user, and PdfError. */
  async write(document: IssuedDocument, { userId }: PdfRequester): Promise<Buffer> {
    if (userId !== null) this.#takePlace(userId)
    const turn = this.#lastTurn.then(() => this.#run(document))
    this.#lastTurn = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      if (userId !== null) this.#freePlace(userId)
    }
  }

  #takePlace(userId: number): void {
    const count = this.#countsByUser.get(userId) ?? 0
    const totalCount = [...this.#countsByUser.values()].reduce((sum, each) => sum + each, 0)
    if (totalCount >= this.#limits.documents || count >= this.#limits.documentsPerUser)
      throw createUnavailableProblem(retrySeconds)
    this.#countsByUser.set(userId, count + 1)
  }

  #freePlace(userId: number): void {
    const count = (this.#countsByUser.get(userId) ?? 0) - 1
    if (count > 0) this.#countsByUser.set(userId, count)
    else this.#countsByUser.delete(userId)
  }

  /** Ends the thread. The next document starts another one. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    await worker?.terminate()
  }

  async #run(document: IssuedDocument): Promise<Buffer> {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    const worker = (this.#worker ??= this.#start())
    worker.ref()
    const answer = await waitForAnswer(worker, document, this.#limits.wallMs).catch(async (error: unknown) => {
      // A thread that took too long or failed is not used again.
      await this.close()
      throw error
    })
    worker.unref()
    this.#idleTimer = setTimeout(() => void this.close(), this.#limits.idleMs).unref()
    if ('failure' in answer) throw new PdfError(`a PDF could not be made: ${answer.failure}`)
    return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb },
      // The thread needs none of the server's variables, which may contain secrets.
      env: {},
      name: 'pdf',
    })
    // Without a listener, a thread that fails while it is idle would end the server.
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
    })
    return worker
  }
}

function waitForAnswer(worker: Worker, document: IssuedDocument, wallMs: number): Promise<PdfAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PdfAnswer>()
  const onError = (error: unknown) => reject(new PdfError('the thread that makes PDFs failed', { cause: error }))
  const onExit = () => reject(new PdfError('the thread that makes PDFs ended'))
  const timer = setTimeout(() => reject(new PdfError(`a PDF was not made within ${wallMs} ms`)), wallMs)
  worker.on('message', resolve).on('error', onError).on('exit', onExit)
  worker.postMessage(document)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', onError).off('exit', onExit)
  })
}

/** All documents of this server share one thread. */
const sharedWriter = new PdfWriter()

/** Returns the file. Throws UNAVAILABLE with a time if too many documents wait, in all or of this user, and PdfError. */
export const writePdf = (document: IssuedDocument, requester: PdfRequester): Promise<Buffer> =>
  sharedWriter.write(document, requester)
