/** Headers that may come once: of two, a proxy before us might go by the one and we by the other (S-57, decision 71). */
import { headers } from '#contract/headers.ts'

const single: ReadonlySet<string> = new Set(
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

/** The name of the first that came twice, with the same value or another; null: none did. `raw`: names and values by turns, as they came. */
export function findRepeatedHeader(raw: readonly string[]): string | null {
  const seen = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    if (!single.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return null
}
