import { type BuildInfo, wordPath } from '#contract/client-build.ts'

const patienceMs = 5_000

/** What the server says of builds; null: it cannot be asked now. */
export async function askWord(): Promise<BuildInfo | null> {
  try {
    const answer = await fetch(wordPath, { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })
    return answer.ok ? ((await answer.json()) as BuildInfo) : null
  } catch {
    return null
  }
}
