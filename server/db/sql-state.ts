/**
 * Returns the SQLSTATE of a database error, or the code of a network error such as ECONNREFUSED. Returns null for an error without a code.
 */
export const getSqlState = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

/** Returns whether the server itself sent the error. Codes of network errors are longer than the five characters of an SQLSTATE. */
const isServerResponse = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test(getSqlState(error) ?? '') && error instanceof Error && 'severity' in error

/**
 * Classes of SQLSTATE: 08 connection, 28 refused login, 3D000 missing database, 53 out of connections or memory, 57P shutting down or
 * starting.
 */
const unavailableStates = /^(08|28|3D000|53|57P)/

const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
])

/** Errors of the driver have no code, so they are recognised by their message. */
const driverMessages =
  /timeout exceeded when trying to connect|Query read timeout|^timeout expired|Connection terminated|Client has encountered|Client was closed/

/** Returns whether the database could not be reached, or could not do any work. Callers respond with 503. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = getSqlState(error) ?? ''
  if (unavailableStates.test(state) || networkCodes.has(state)) return true
  // The socket of a database on this machine is missing.
  const isMissingSocket = state === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect'
  return isMissingSocket || (!isServerResponse(error) && driverMessages.test(error.message))
}

/** SQLSTATE of a write on a standby, or on a primary that accepts no writes. */
export const readOnlyState = '25006'
