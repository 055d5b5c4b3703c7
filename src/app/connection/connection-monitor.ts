/**
 * Whether the server can be reached. The browser's word alone is not enough: it says "online" in a hotel's captive
 * network too. So what the request pipeline meets counts, and while nobody answers we knock by ourselves.
 */
import { createLocalProblem } from '#contract/problem.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { type ApiClient, isReadCall, type CallResult } from '#request/call-results.ts'
import { type NetworkState, networkStateChanged } from '#state/connection-slice.ts'
import { notifyChanged } from '#state/live-changes.ts'
import type { AppStore } from '#state/store.ts'

/** A page that is looked at and has heard nothing for so long asks: what it says of the line is at most 20 seconds old. */
const SILENCE_MS = 15_000
/** While the server is away: the first knocks come soon, later ones further apart. */
const PROBE_MS = { min: 2_000, max: 10_000 }
/** So far apart are the knocks that answers which did not come give rise to. */
const DOUBT_MS = 2_000
/** Whoever doubts has waited already: the state follows within two seconds (P-11). */
const DOUBT_TIMEOUT_MS = 1_500
/** What was heard longer ago says nothing to somebody who comes back to the page. */
const QUIET_MS = 10_000
const activityEvents = ['pointermove', 'pointerdown', 'keydown', 'focus']

/** Of the request pipeline, which comes after the first page. */
type LoadPorts = () => Promise<PipelinePorts>

/** What one answer says about the line; null: nothing. */
export function getNetworkState(result: CallResult<unknown>, isBrowserOnline: boolean): NetworkState | null {
  if (result.kind === 'fresh' || result.kind === 'started') return 'online'
  if (result.kind === 'problem' && result.problem.code === 'OFFLINE') return isBrowserOnline ? 'unreachable' : 'offline'
  if (isDoubtful(result)) return isBrowserOnline ? null : 'offline'
  return result.kind === 'problem' && result.problem.status > 0 ? 'online' : null
}

/**
 * How it looks where the server is away, and also where an answer is slow or an earlier write goes first: only the browser's own
 * "offline" is believed, and otherwise we ask. A proxy that speaks for our server does not number its answers.
 */
function isDoubtful(result: CallResult<unknown>): boolean {
  if (result.kind !== 'problem') return result.kind === 'cached' || result.kind === 'queued'
  const { code, status, requestId } = result.problem
  return code === 'NEEDS_CONNECTION' || (status >= 500 && requestId === null)
}

/** A network that is going may carry one more answer: so long the browser's "offline" is believed against it. */
const transitionMs = 1_000

/** When the browser last said that the network came or went. */
let networkChangedAt = -transitionMs
export const noteNetworkChange = () => void (networkChangedAt = performance.now())
const isNetworkLeaving = () => !navigator.onLine && performance.now() - networkChangedAt < transitionMs

const unreadableResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('UNREADABLE_ANSWER') }
/** What asks is fetched when first needed, and may be as out of reach as the server. */
const offlineResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

/** Tells what an answer says of the line, and answers what is known of it then. */
export type ConnectionListener = (networkState: NetworkState) => Promise<NetworkState>

/** What an answer says of the line goes to who listens, a doubt too, which makes them ask. Answers what is known then. */
export function notifyNetworkState(
  result: CallResult<unknown>,
  listener: ConnectionListener,
): Promise<NetworkState> | null {
  const networkState = getNetworkState(result, navigator.onLine) ?? (isDoubtful(result) ? 'unreachable' : null)
  return networkState && listener(networkState)
}

let failedRequestId: string | null = null
/** The server's number of the last request of this visit that came to nothing, for whoever reports a problem (C-25). */
export const getFailedRequestId = (): string | null => failedRequestId

/** A call that the page allowed was refused, so rights may have changed; or the name that the whole company sees was changed. */
const isAccountChange = (endpointName: string, result: CallResult<unknown>) =>
  result.kind === 'problem'
    ? result.problem.code === 'FORBIDDEN' && endpointName !== 'getUser'
    : result.kind === 'fresh' && endpointName === 'updateCompany'

/**
 * The same api, listened to. An answer to what was asked before the network came or went says nothing of what is now: one
 * that was still under way when the line was cut would have the page say "online" until the next question. Where the device
 * answers for a server that may be away we knock, or the page would say "online" over old rows for as long as it stands. A read
 * that was lost though the server is there is asked for once more: nothing else would bring it, as the line does not come back.
 */
export const observeApi = (api: ApiClient, listener: ConnectionListener): ApiClient => ({
  async call(endpoint, input, options) {
    const changedAtStart = networkChangedAt
    const send = () => api.call(endpoint, input, options).catch(() => offlineResult)
    const result = await send()
    const networkState = getNetworkState(result, navigator.onLine)
    if (result.kind === 'problem') failedRequestId = result.problem.requestId ?? failedRequestId
    if (isAccountChange(endpoint.name, result)) notifyChanged('account')
    if (networkChangedAt !== changedAtStart || isNetworkLeaving() || options?.signal?.aborted) return result
    const knownState = notifyNetworkState(result, listener)
    if (networkState !== 'unreachable' || !isReadCall(endpoint) || (await knownState) !== 'online') return result
    const secondResult = await send()
    // Without an end that comes by itself, as the line's has: whoever asked is told, and can ask again.
    return getNetworkState(secondResult, navigator.onLine) === 'unreachable' ? unreadableResult : secondResult
  },
})

/**
 * Follows the browser's events, and knocks while the server does not answer. An answer that did not come is a doubt and no
 * more, as one address may fail alone (a filter, a proxy's 504): all pages ask again when the line changes, and a line that
 * followed every answer would have them ask without end.
 */
export function watchConnection(store: AppStore, loadPorts: LoadPorts): ConnectionListener {
  const getCurrentState = () => store.getState().connection.networkState
  let timer: ReturnType<typeof setTimeout> | undefined
  let probeCount = 0
  let lastResponseAt = performance.now()
  const getWaitMs = () =>
    getCurrentState() === 'online'
      ? Math.max(0, lastResponseAt + SILENCE_MS - performance.now())
      : Math.min(PROBE_MS.max, PROBE_MS.min * 2 ** probeCount)
  function schedule() {
    clearTimeout(timer)
    timer = setTimeout(probeOnSchedule, getWaitMs())
  }
  const setNetworkState = (networkState: NetworkState) => {
    if (getCurrentState() === networkState) return
    store.dispatch(networkStateChanged(networkState))
    probeCount = 0
    schedule()
  }
  const probe = async (timeoutMs?: number) => {
    if (!navigator.onLine) return setNetworkState('offline')
    const changedAtStart = networkChangedAt
    const isReachable = await loadPorts()
      .then((ports) => pingServer(ports, timeoutMs))
      .catch(() => false)
    if (networkChangedAt === changedAtStart) setNetworkState(isReachable ? 'online' : 'unreachable')
  }
  const onNetworkChange = () => {
    noteNetworkChange()
    void probe()
  }
  // Before they press what needs the server; a page that nobody looks at asks nothing.
  const onActivity = () => {
    if (performance.now() - lastResponseAt < (getCurrentState() === 'online' ? QUIET_MS : DOUBT_MS)) return
    lastResponseAt = performance.now()
    void probe(DOUBT_TIMEOUT_MS)
  }
  for (const eventName of activityEvents) window.addEventListener(eventName, onActivity, { passive: true })
  let probedAt = -DOUBT_MS
  let pendingProbe: Promise<void> | null = null
  const probeAfterDoubt = async () => {
    await new Promise((resolve) => setTimeout(resolve, probedAt + DOUBT_MS - performance.now()))
    await probe(DOUBT_TIMEOUT_MS)
    probedAt = performance.now()
    pendingProbe = null
  }
  window.addEventListener('offline', onNetworkChange)
  window.addEventListener('online', onNetworkChange)
  if (!navigator.onLine) setNetworkState('offline')
  async function probeOnSchedule() {
    // It asks when it is looked at again.
    if (document.visibilityState !== 'visible') return
    if (getCurrentState() !== 'online') probeCount += 1
    else if (getWaitMs() > 0) return schedule()
    else lastResponseAt = performance.now()
    await probe()
    schedule()
  }
  schedule()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return
    onActivity()
    schedule()
  })
  return async (networkState) => {
    lastResponseAt = performance.now()
    if (networkState !== 'unreachable') setNetworkState(networkState)
    else if (getCurrentState() === 'online') await (pendingProbe ??= probeAfterDoubt())
    return getCurrentState()
  }
}
