/**
 * Whether the server can be reached. The browser's word alone is not enough: it says "online" in a hotel's captive
 * network too. So what the request pipeline meets counts, and while nobody answers we knock by ourselves.
 */
import { localProblem } from '#contract/problem.ts'
import { isServerThere } from '#request/transport/ping.ts'
import type { Ports } from '#request/ports.ts'
import { type Api, isRead, type Result } from '#request/results.ts'
import { type Connectivity, connectivityChanged } from '#state/connection-slice.ts'
import { tellChanged } from '#state/live-changes.ts'
import type { Store } from '#state/store.ts'

/** A page that is looked at and has heard nothing for so long asks: what it says of the line is at most 20 seconds old. */
const SILENCE_MS = 15_000
/** While the server is away: the first knocks come soon, later ones further apart. */
const KNOCK_MS = { least: 2_000, most: 10_000 }
/** So far apart are the knocks that answers which did not come give rise to. */
const DOUBT_MS = 2_000
/** Whoever doubts has waited already: the state follows within two seconds (P-11). */
const DOUBT_ANSWER_MS = 1_500
/** What was heard longer ago says nothing to somebody who comes back to the page. */
const QUIET_MS = 10_000
const stirs = ['pointermove', 'pointerdown', 'keydown', 'focus']

/** Of the request pipeline, which comes after the first page. */
type Lent = () => Promise<Ports>

/** What one answer says about the line; null: nothing. */
export function connectivityOf(result: Result<unknown>, browserOnline: boolean): Connectivity | null {
  if (result.kind === 'fresh' || result.kind === 'started') return 'online'
  if (result.kind === 'problem' && result.problem.code === 'OFFLINE') return browserOnline ? 'unreachable' : 'offline'
  if (isDoubt(result)) return browserOnline ? null : 'offline'
  return result.kind === 'problem' && result.problem.status > 0 ? 'online' : null
}

/**
 * How it looks where the server is away, and also where an answer is slow or an earlier write goes first: only the browser's own
 * "offline" is believed, and otherwise we ask. A proxy that speaks for our server does not number its answers.
 */
function isDoubt(result: Result<unknown>): boolean {
  if (result.kind !== 'problem') return result.kind === 'kept' || result.kind === 'queued'
  const { code, status, requestId } = result.problem
  return code === 'NEEDS_CONNECTION' || (status >= 500 && requestId === null)
}

/** A network that is going may carry one more answer: so long the browser's "offline" is believed against it. */
const goingMs = 1_000

/** When the browser last said that the network came or went. */
let turnedAt = -goingMs
export const turned = () => void (turnedAt = performance.now())
const isGoing = () => !navigator.onLine && performance.now() - turnedAt < goingMs

const unreadable: Result<never> = { kind: 'problem', problem: localProblem('UNREADABLE_ANSWER') }
/** What asks is fetched when first needed, and may be as out of reach as the server. */
const unfetched: Result<never> = { kind: 'problem', problem: localProblem('OFFLINE') }

/** Tells what an answer says of the line, and answers what is known of it then. */
export type ConnectionListener = (line: Connectivity) => Promise<Connectivity>

/** What an answer says of the line goes to who listens, a doubt too, which makes them ask. Answers what is known then. */
export function tellLine(result: Result<unknown>, hear: ConnectionListener): Promise<Connectivity> | null {
  const line = connectivityOf(result, navigator.onLine) ?? (isDoubt(result) ? 'unreachable' : null)
  return line && hear(line)
}

let failedRequest: string | null = null
/** The server's number of the last request of this visit that came to nothing, for whoever reports a problem (C-25). */
export const lastFailedRequest = (): string | null => failedRequest

/**
 * The same api, listened to. An answer to what was asked before the network came or went says nothing of what is now: one
 * that was still under way when the line was cut would have the page say "online" until the next question. Where the device
 * answers for a server that may be away we knock, or the page would say "online" over old rows for as long as it stands. A read
 * that was lost though the server is there is asked for once more: nothing else would bring it, as the line does not come back.
 */
export const observed = (api: Api, hear: ConnectionListener): Api => ({
  async call(endpoint, asked, asking) {
    const before = turnedAt
    const result = await api.call(endpoint, asked, asking).catch(() => unfetched)
    const line = connectivityOf(result, navigator.onLine)
    if (result.kind === 'problem') {
      failedRequest = result.problem.requestId ?? failedRequest
      // The page took it for allowed: rights may have changed. The same for a name that everybody of the company sees.
      if (result.problem.code === 'FORBIDDEN' && endpoint.name !== 'getUser') tellChanged('account')
    } else if (result.kind === 'fresh' && endpoint.name === 'updateCompany') tellChanged('account')
    if (turnedAt !== before || isGoing() || asking?.signal?.aborted) return result
    const known = tellLine(result, hear)
    if (line !== 'unreachable' || !isRead(endpoint) || (await known) !== 'online') return result
    const again = await api.call(endpoint, asked, asking).catch(() => unfetched)
    // Without an end that comes by itself, as the line's has: whoever asked is told, and can ask again.
    return connectivityOf(again, navigator.onLine) === 'unreachable' ? unreadable : again
  },
})

/**
 * Follows the browser's events, and knocks while the server does not answer. An answer that did not come is a doubt and no
 * more, as one address may fail alone (a filter, a proxy's 504): all pages ask again when the line changes, and a line that
 * followed every answer would have them ask without end.
 */
export function watchConnection(store: Store, lent: Lent): ConnectionListener {
  const known = () => store.getState().connection.line
  let timer: ReturnType<typeof setTimeout> | undefined
  let knocks = 0
  let heardAt = performance.now()
  const untilNext = () =>
    known() === 'online'
      ? Math.max(0, heardAt + SILENCE_MS - performance.now())
      : Math.min(KNOCK_MS.most, KNOCK_MS.least * 2 ** knocks)
  function plan() {
    clearTimeout(timer)
    timer = setTimeout(next, untilNext())
  }
  const set = (line: Connectivity) => {
    if (known() === line) return
    store.dispatch(connectivityChanged(line))
    knocks = 0
    plan()
  }
  const look = async (answerMs?: number) => {
    if (!navigator.onLine) return set('offline')
    const before = turnedAt
    const isThere = await lent()
      .then((ports) => isServerThere(ports, answerMs))
      .catch(() => false)
    if (turnedAt === before) set(isThere ? 'online' : 'unreachable')
  }
  const follow = () => {
    turned()
    void look()
  }
  // Before they press what needs the server; a page that nobody looks at asks nothing.
  const stirred = () => {
    if (performance.now() - heardAt < (known() === 'online' ? QUIET_MS : DOUBT_MS)) return
    heardAt = performance.now()
    void look(DOUBT_ANSWER_MS)
  }
  for (const stir of stirs) window.addEventListener(stir, stirred, { passive: true })
  let doubtedAt = -DOUBT_MS
  let doubt: Promise<void> | null = null
  const doubted = async () => {
    await new Promise((resolve) => setTimeout(resolve, doubtedAt + DOUBT_MS - performance.now()))
    await look(DOUBT_ANSWER_MS)
    doubtedAt = performance.now()
    doubt = null
  }
  window.addEventListener('offline', follow)
  window.addEventListener('online', follow)
  if (!navigator.onLine) set('offline')
  async function next() {
    // It asks when it is looked at again.
    if (document.visibilityState !== 'visible') return
    if (known() !== 'online') knocks += 1
    else if (untilNext() > 0) return plan()
    else heardAt = performance.now()
    await look()
    plan()
  }
  plan()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return
    stirred()
    plan()
  })
  return async (line) => {
    heardAt = performance.now()
    if (line !== 'unreachable') set(line)
    else if (known() === 'online') await (doubt ??= doubted())
    return known()
  }
}
