/** Finds headers that are repeated. A proxy might use the first value and the portal the second (S-57, decision 71). */
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

/**
 * Returns the first repeated name of a header that must occur once, or null. `rawHeaders`: names and values alternately, in original order.
 */
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
