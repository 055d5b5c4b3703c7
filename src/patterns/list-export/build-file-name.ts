import { toTimestamp } from '#domain/time.ts'

export const fileFormats = ['csv', 'xlsx'] as const
export type FileFormat = (typeof fileFormats)[number]

interface ExportedFile {
  format: FileFormat
  timeZone: string
  /** Time of the data, in epoch ms. */
  asOf: number
  /** Null if the file has all rows. */
  partialCount: { cachedCount: number; total: number | null } | null
}

/**
 * Returns a name such as `users-acme-2026-11-21-1405.csv`. If rows are missing, it also contains `-240-of-8431` or `-240-incomplete`. Without a company, the
 * name has no code.
 */
export function buildFileName(
  [listName, companyCode]: readonly [listName: string, companyCode: string | null],
  { format, timeZone, asOf, partialCount }: ExportedFile,
): string {
  const noun = listName
    .trim()
    .toLowerCase()
    .replaceAll(/[\p{C}\s"*/:<>?\\|]+/gu, '-')
  const time = toTimestamp(timeZone, asOf).slice(0, 16).replace(' ', '-').replace(':', '')
  const coverage = partialCount
    ? `-${partialCount.cachedCount}-${partialCount.total === null ? 'incomplete' : `of-${partialCount.total}`}`
    : ''
  const company = companyCode === null ? '' : `-${companyCode}`
  return `${noun}${company}-${time}${coverage}.${format}`
}
