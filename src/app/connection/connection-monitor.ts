/**
 * Determines whether the server can be reached. The browser's own state is not enough: it is "online" in a captive network too. So the
 * results of requests count, and the server is pinged while it does not respond.
 */
import { createLocalProblem } from '#contract/problem.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { type ApiClient, isReadCall, type CallResult } from '#request/call-results.ts'
import { type NetworkState, networkStateChanged } from '#state/connection-slice.ts'
import { notifyChanged } from '#state/live-changes.ts'
import type { AppStore } from '#state/store.ts'

/** A visible page pings the server after this time without a response. The displayed state is then at most 20 seconds old. */
const SILENCE_MS = 15_000
/** Intervals of pings while the server cannot be reached: short at first, then longer. */
const PROBE_MS = { min: 2_000, max: 10_000 }
/** Minimum interval between pings caused by missing responses. */
const DOUBT_MS = 2_000
/** The caller has already waited, so the state must follow within two seconds (P-11). */
const DOUBT_TIMEOUT_MS = 1_500
/** When a user returns to the page, an older response no longer proves the state. */
const QUIET_MS = 10_000
const activityEvents = ['pointermove', 'pointerdown', 'keydown', 'focus']

type LoadPorts = () => Promise<PipelinePorts>

/** Returns the state that a result proves, or null if it proves nothing. */
export function getNetworkState(result: CallResult<unknown>, isBrowserOnline: boolean): NetworkState | null {
  if (result.kind === 'fresh' || result.kind === 'started') return 'online'
  if (result.kind === 'problem' && result.problem.code === 'OFFLINE') return isBrowserOnline ? 'unreachable' : 'offline'
  if (isDoubtful(result)) return isBrowserOnline ? null : 'offline'
  return result.kind === 'problem' && result.problem.status > 0 ? 'online' : null
}

/**
 * Returns true for a result that occurs if the server cannot be reached, but also if a response is slow or an earlier write goes first.
 * Then only the browser's own "offline" is trusted; otherwise the server is pinged. The response of a proxy has no request id.
 */
function isDoubtful(result: CallResult<unknown>): boolean {
  if (result.kind !== 'problem') return result.kind === 'cached' || result.kind === 'queued'
  const { code, status, requestId } = result.problem
  return code === 'NEEDS_CONNECTION' || (status >= 500 && requestId === null)
}

/** One more response may arrive while the network goes down. For this long, the browser's "offline" has priority. */
const transitionMs = 1_000

let networkChangedAt = -transitionMs
export const noteNetworkChange = () => void (networkChangedAt = performance.now())
const isNetworkLeaving = () => !navigator.onLine && performance.now() - networkChangedAt < transitionMs

const unreadableResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('UNREADABLE_ANSWER') }
/** The code that sends requests is loaded when first needed, and loading may fail like a request. */
const offlineResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

export type ConnectionListener = (networkState: NetworkState) => Promise<NetworkState>

/** Passes the state of a result to the listener; an unclear one makes it ping. Returns the state known then. */
export function notifyNetworkState(
  result: CallResult<unknown>,
  listener: ConnectionListener,
): Promise<NetworkState> | null {
  const networkState = getNetworkState(result, navigator.onLine) ?? (isDoubtful(result) ? 'unreachable' : null)
  return networkState && listener(networkState)
}

let failedRequestId: string | null = null
/** Returns the request id of the last failed request of this visit, for problem reports (C-25). */
export const getFailedRequestId = (): string | null => failedRequestId

/** Returns true if rights may have changed, because a call that the page allowed was refused, or if the company's name was changed. */
const isAccountChange = (endpointName: string, result: CallResult<unknown>) =>
  result.kind === 'problem'
    ? result.problem.code === 'FORBIDDEN' && endpointName !== 'getUser'
    : result.kind === 'fresh' && endpointName === 'updateCompany'

/**
 * Returns an API client that reports each result to the listener. A result of a request that began before the network changed is ignored:
 * otherwise a late response would show "online" after the connection was lost. If cached data is returned because the server may be
 * unreachable, the server is pinged, so that the page does not show "online" above old rows. A read that failed although the server is
 * reachable is repeated once, because no reconnect event will repeat it.
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
    // The second attempt failed too. This does not resolve by itself as a lost connection does, so the caller gets a problem and can try
    // again.
    return getNetworkState(secondResult, navigator.onLine) === 'unreachable' ? unreadableResult : secondResult
  },
})

/**
 * Follows the browser's events, and pings while the server does not respond. A missing response is only a doubt, because a single address
 * may fail (a filter, a proxy's 504). All pages reload when the state changes, so changing it with every failed response would make them
 * reload without end.
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
  // The state must be current before the user presses a button that needs the server. A page without activity sends nothing.
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
    // A hidden page pings when it becomes visible again.
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
