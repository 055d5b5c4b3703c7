/** Headers that may come once: of two, a proxy before us might go by the one and we by the other (S-57, decision 71). */
import { headers } from '#contract/headers.ts'

const singleHeaders: ReadonlySet<string> = new Set(
  [
    'authorization',
    'content-length',
    'content-type',
    'host',
    'if-match',
    'origin',
    'sec-fetch-site',
    'service-worker',
    'transfer-encoding',
    ...Object.values(headers),
  ].map((name) => name.toLowerCase()),
)

/** The name of the first that came twice, with the same value or another; null: none did. `rawHeaders`: names and values by turns, as they came. */
export function findRepeatedHeader(rawHeaders: readonly string[]): string | null {
  const seenNames = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!singleHeaders.has(name)) continue
    if (seenNames.has(name)) return name
    seenNames.add(name)
  }
  return null
}
