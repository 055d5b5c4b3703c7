/** How far bytes are, told once a second at most, as a percent between the first and the last of a long request. */
import type { Progress } from '#server/use-cases/job-requests.ts'

const everyMs = 1000
const [from, upto] = [5, 90]
/** Half of the way where nobody knows how far it is, in bytes. */
const halfway = 20_000_000

export function progressTeller(tell: (percent: number, info?: Progress['info']) => Promise<void>) {
  let last = 0
  return (moved: number, expected: number | null): void => {
    const now = performance.now()
    if (now - last < everyMs) return
    last = now
    const part = expected ? Math.min(1, moved / expected) : moved / (moved + halfway)
    const message = `${(moved / 1_000_000).toFixed(1)} MB`
    tell(from + (upto - from) * part, { name: '', message }).catch(() => undefined)
  }
}
