/**
 * Whether the server can be reached. The browser's word alone is not enough: it says "online" in a hotel's captive
 * network too. So what the corridor meets counts, and while nobody answers we knock by ourselves.
 */
import { isServerThere } from '#request/knock.ts'
import type { Ports } from '#request/ports.ts'
import type { Api, Result } from '#request/result.ts'
import { type Line, lineChanged } from '#state/connection.ts'
import type { Store } from '#state/store.ts'

const KNOCK_MS = 10_000

/** Of the corridor, which comes after the first page. */
type Lent = () => Promise<Ports>

/** What one answer says about the line; null: nothing. */
export function lineOf(result: Result<unknown>, browserOnline: boolean): Line | null {
  if (result.kind === 'fresh' || result.kind === 'started') return 'online'
  if (result.kind === 'problem' && result.problem.code !== 'OFFLINE') return result.problem.status > 0 ? 'online' : null
  if (result.kind === 'problem') return browserOnline ? 'unreachable' : 'offline'
  // Kept or queued: also how a slow answer or a busy lane looks, so only the browser's own "offline" is believed.
  return browserOnline ? null : 'offline'
}

/** A network that is going may carry one more answer: so long the browser's "offline" is believed against it. */
const goingMs = 1_000

/** When the browser last said that the network came or went. */
let turnedAt = -goingMs
export const turned = () => void (turnedAt = performance.now())
const isGoing = () => !navigator.onLine && performance.now() - turnedAt < goingMs

/**
 * The same api, listened to. An answer to what was asked before the network came or went says nothing of what is now: one
 * that was still under way when the line was cut would have the page say "online" until the next question.
 */
export const observed = (api: Api, hear: (line: Line) => void): Api => ({
  async ask(endpoint, asked, asking) {
    const before = turnedAt
    const result = await api.ask(endpoint, asked, asking)
    const line = lineOf(result, navigator.onLine)
    if (line && turnedAt === before && !isGoing()) hear(line)
    return result
  },
})

/** Follows the browser's events, and knocks while the server does not answer. */
export function watchLine(store: Store, lent: Lent) {
  const set = (line: Line) => {
    if (store.getState().connection.line !== line) store.dispatch(lineChanged(line))
  }
  const look = async () => {
    if (!navigator.onLine) return set('offline')
    const before = turnedAt
    const isThere = await lent().then(isServerThere, () => false)
    if (turnedAt === before) set(isThere ? 'online' : 'unreachable')
  }
  const follow = () => {
    turned()
    void look()
  }
  window.addEventListener('offline', follow)
  window.addEventListener('online', follow)
  if (!navigator.onLine) set('offline')
  setInterval(() => {
    if (store.getState().connection.line !== 'online' && document.visibilityState === 'visible') void look()
  }, KNOCK_MS)
  return set
}
