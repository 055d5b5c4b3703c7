/** What an error of the browser's database means: closed, or no space left. */

export const isOpenError = (error: unknown) => error instanceof Error && error.name === 'OpenFailedError'

/** WebKit tells of a connection that broke down ("Connection to Indexed Database server lost") by UnknownError. */
const closedNames: readonly string[] = ['DatabaseClosedError', 'InvalidStateError', 'UnknownError']

export const isClosedError = (error: unknown): boolean =>
  isOpenError(error) || (error instanceof Error && closedNames.includes(error.name))

/** Chromium names it at the write or only when the transaction ends, and then inside of what Dexie makes of that. */
export function isFullError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { name, inner, failures } = error as { name?: unknown; inner?: unknown; failures?: unknown[] }
  return name === 'QuotaExceededError' || isFullError(inner) || (Array.isArray(failures) && failures.some(isFullError))
}

/** For what may stay unwritten where there is no room: false. */
export async function resolveUnlessFull(promise: Promise<unknown>): Promise<boolean> {
  try {
    await promise
    return true
  } catch (error) {
    if (!isFullError(error)) throw error
    return false
  }
}
