const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats bytes as "640 kB" or "1.2 MB". Uses factors of 1000, as the operating systems of tablets do. */
export function formatBytes(bytes: number): string {
  let [size, unitIndex] = [bytes, 0]
  while (size >= 999.5 && unitIndex < units.length - 1) {
    size /= 1000
    unitIndex += 1
  }
  return `${unitIndex > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unitIndex]}`
}
