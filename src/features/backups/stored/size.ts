const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** "640 kB", "1.2 GB": thousands, as traffic is charged. */
export function sizeOf(bytes: number): string {
  let [size, at] = [bytes, 0]
  while (size >= 999.5 && at < units.length - 1) {
    size /= 1000
    at += 1
  }
  return `${at > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[at]}`
}
