import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'

const diskFull = '53100'

const getCode = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

/** True if a table or schema is missing, because another task has deleted all data. */
export const isTableMissing = (error: unknown): boolean => ['42P01', '3F000'].includes(getCode(error))

/** Converts errors of the database. Other errors are returned unchanged. */
export function toDatabaseError(error: unknown): unknown {
  const [code, message] = [getCode(error), error instanceof Error ? error.message : String(error)]
  if (code === diskFull) return new HostingError('no_room', 'the disk of the database is full', { cause: error })
  // Classes of errors: data, constraints.
  if (/^(?:22|23)[0-9A-Z]{3}$/.test(code)) return new HostingError('bad_data', message, { cause: error })
  // Classes of errors: connection, resources, locks, shutdown.
  if (/^(?:08|53|55|57)[0-9A-Z]{3}$|^E[A-Z]+$/.test(code) || message.startsWith('Connection terminated'))
    return new HostingError('unreachable', 'the database does not respond or is in use', { cause: error })
  return error
}
