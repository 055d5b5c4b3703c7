export const isOpenError = (error: unknown) => error instanceof Error && error.name === 'OpenFailedError'

/**
 * Names of errors after which the database must be opened again. WebKit reports a broken connection ("Connection to Indexed Database server
 * lost") as UnknownError.
 */
const closedNames: readonly string[] = ['DatabaseClosedError', 'InvalidStateError', 'UnknownError']

export const isClosedError = (error: unknown): boolean =>
  isOpenError(error) || (error instanceof Error && closedNames.includes(error.name))

/**
 * Returns true for the error of a full disk. Chromium reports it at the write or only at the end of the transaction, and Dexie wraps it.
 */
export function isFullError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { name, inner, failures } = error as { name?: unknown; inner?: unknown; failures?: unknown[] }
  return name === 'QuotaExceededError' || isFullError(inner) || (Array.isArray(failures) && failures.some(isFullError))
}

/** For writes that are optional: returns false if there is no space. */
export async function resolveUnlessFull(promise: Promise<unknown>): Promise<boolean> {
  try {
    await promise
    return true
  } catch (error) {
    if (!isFullError(error)) throw error
    return false
  }
}
