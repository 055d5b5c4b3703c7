/**
 * Reads statements in a worker thread, one after the other: reading a large file takes up to some seconds, during which the server must
 * answer others. Each file has its own thread, so that a file cannot affect the next one.
 */
import { Worker } from 'node:worker_threads'
import { createUnavailableProblem } from '#server/problems/problem-error.ts'
import { type Statement, StatementError } from '#server/drivers/statements/statement.ts'
import type { StatementAnswer } from '#server/drivers/statements/worker.ts'

export interface StatementLimits {
  /** Time for one file, including the start of its thread. */
  wallMs: number
  heapMb: number
  /** Maximum number of files that wait or are read. */
  files: number
}

const defaultLimits: StatementLimits = { wallMs: 30_000, heapMb: 256, files: 4 }
/** For the header Retry-After. */
const retrySeconds = 5

let fileCount = 0
let lastTurn: Promise<unknown> = Promise.resolve()

/** Throws StatementError, and UNAVAILABLE with a time if too many files wait. */
export async function parseStatement(content: string, limits: Partial<StatementLimits> = {}): Promise<Statement> {
  const { wallMs, heapMb, files } = { ...defaultLimits, ...limits }
  if (fileCount >= files) throw createUnavailableProblem(retrySeconds)
  fileCount++
  const turn = lastTurn.then(() => runThread(content, { wallMs, heapMb }))
  lastTurn = turn.catch(() => undefined)
  const answer = await turn.finally(() => fileCount--)
  if ('statement' in answer) return answer.statement
  const { code, line, column } = answer.fault
  throw new StatementError(code, { ...(line === null ? {} : { line }), ...(column === null ? {} : { column }) })
}

async function runThread(
  content: string,
  { wallMs, heapMb }: Pick<StatementLimits, 'wallMs' | 'heapMb'>,
): Promise<StatementAnswer> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: content,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // The thread needs none of the server's variables, which may contain secrets.
    env: {},
    name: 'statement',
  })
  const { promise, resolve, reject } = Promise.withResolvers<StatementAnswer>()
  const timer = setTimeout(() => reject(new StatementError('TOO_COMPLEX')), wallMs)
  worker.once('message', resolve)
  worker.once('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new StatementError('TOO_COMPLEX') : error),
  )
  worker.once('exit', () => reject(new StatementError('TOO_COMPLEX')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
