import { type Word, wordPath } from '#contract/build.ts'

const patienceMs = 5_000

/** What the server says of builds; null: it cannot be asked now. */
export async function askWord(): Promise<Word | null> {
  try {
    const answer = await fetch(wordPath, { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })
    return answer.ok ? ((await answer.json()) as Word) : null
  } catch {
    return null
  }
}
