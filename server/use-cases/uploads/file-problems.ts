import type { AppContext } from '#server/context/context.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { readStoreTime } from '#server/use-cases/uploads/upload-pieces.ts'
import { createUnavailableProblem, ProblemError } from '#server/problems/problem-error.ts'

/** Returns FILES_FULL or UNAVAILABLE for an error of the file store, and any other error unchanged. Logs what the operator has to repair. */
export function toFileProblem(app: Pick<AppContext, 'log'>, error: unknown): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.fault === 'no_room') return new ProblemError('FILES_FULL', null, 60)
  logUnavailable(app, error)
  return createUnavailableProblem(5)
}

const logUnavailable = ({ log }: Pick<AppContext, 'log'>, error: unknown): void =>
  log.warn(
    { event: 'file_store_unavailable', err: error },
    'the store of files does not respond, or refuses or lost a file',
  )

export async function withFileProblems<T>(app: Pick<AppContext, 'log'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFileProblem(app, error)
  }
}

/** Writes to a bucket once, so that the log of the start shows whether uploads will work. Does nothing for a folder. */
export async function checkFileStore({ files, log }: Pick<AppContext, 'files' | 'log'>): Promise<void> {
  if (files.location.kind === 'folder') return
  try {
    await readStoreTime(files)
  } catch (error) {
    logUnavailable({ log }, error)
  }
}
