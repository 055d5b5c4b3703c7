/** Page size of app info and of version conflicts (contracts 9). */
export const pageSize = 5

export function getPage<T>(
  all: readonly T[],
  requestedPage: number,
): { page: number; pageCount: number; pageEntries: readonly T[] } {
  const pageCount = Math.max(1, Math.ceil(all.length / pageSize))
  const page = Math.min(requestedPage, pageCount)
  return { page, pageCount, pageEntries: all.slice((page - 1) * pageSize, page * pageSize) }
}

/** Formats a file size: 40 kB, 0.4 MB, 12 MB. Uses factors of 1024. */
export function formatFileSize(bytes: number): string {
  const value = bytes / (1024 * 1024)
  if (bytes < 100 * 1024) return `${Math.ceil(bytes / 1024)} kB`
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} MB`
}
