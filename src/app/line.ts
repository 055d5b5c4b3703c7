/**
 * Whether the server can be reached. The browser's word alone is not enough: it says "online" in a hotel's captive
 * network too. So what the corridor meets counts, and while nobody answers we knock by ourselves.
 */
import { headers } from '#contract/headers.ts'
import type { Api, Result } from '#request/result.ts'
import { type Line, lineChanged } from '#state/connection.ts'
import type { Store } from '#state/store.ts'

const KNOCK_MS = 10_000

/** What one answer says about the line; null: nothing. */
export function lineOf(result: Result<unknown>, browserOnline: boolean): Line | null {
  if (result.kind === 'fresh' || result.kind === 'started') return 'online'
  if (result.kind === 'problem' && result.problem.code !== 'OFFLINE') return result.problem.status > 0 ? 'online' : null
  if (result.kind === 'problem') return browserOnline ? 'unreachable' : 'offline'
  // Kept or queued: also how a slow answer or a busy lane looks, so only the browser's own "offline" is believed.
  return browserOnline ? null : 'offline'
}

/** The same api, listened to. */
export const observed = (api: Api, hear: (line: Line) => void): Api => ({
  async ask(endpoint, asked, asking) {
    const result = await api.ask(endpoint, asked, asking)
    const line = lineOf(result, navigator.onLine)
    if (line) hear(line)
    return result
  },
})

async function knock(): Promise<Line> {
  if (!navigator.onLine) return 'offline'
  const answer = await fetch('/health/live', { cache: 'no-store' }).catch(() => null)
  // Any numbered answer is our server's: what it says of its health it tells its own machine only (S-86).
  return answer && answer.status < 500 && answer.headers.has(headers.requestId) ? 'online' : 'unreachable'
}

/** Follows the browser's events, and knocks while the server does not answer. */
export function watchLine(store: Store) {
  const set = (line: Line) => {
    if (store.getState().connection.line !== line) store.dispatch(lineChanged(line))
  }
  const look = () => void knock().then(set)
  window.addEventListener('offline', () => set('offline'))
  window.addEventListener('online', look)
  if (!navigator.onLine) set('offline')
  setInterval(() => {
    if (store.getState().connection.line !== 'online' && document.visibilityState === 'visible') look()
  }, KNOCK_MS)
  return set
}
