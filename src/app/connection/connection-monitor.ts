/**
 * Determines whether the server can be reached. The browser's own state is not enough: it is "online" in a captive network too. So the
 * results of requests are used, and the server is pinged while it does not respond.
 */
import { createLocalProblem } from '#contract/problem.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { type ApiClient, isReadCall, type CallResult } from '#request/call-results.ts'
import { type NetworkState, networkStateChanged } from '#state/connection-slice.ts'
import { notifyChanged } from '#state/live-changes.ts'
import type { AppStore } from '#state/store.ts'

/** Time without a response after which a visible page pings the server, so that the displayed state is at most 20 seconds old. */
const SILENCE_MS = 15_000
/** Intervals of pings while the server cannot be reached: short at first, then longer. */
const PROBE_MS = { min: 2_000, max: 10_000 }
/** Minimum time between two pings caused by doubtful results (see `isDoubtful`). */
const DOUBT_MS = 2_000
/** Timeout of a ping after a doubtful result or a user's action, in ms. The displayed state must be correct within two seconds (P-11). */
const DOUBT_TIMEOUT_MS = 1_500
/** Age after which a response no longer proves the state when the user returns to the page. The server is then pinged. */
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
 * Returns true for a result that does not show whether the server can be reached: the response may only be slow, or an earlier write must
 * be sent first. Then the state is "offline" if the browser reports it; otherwise the server is pinged. A 5xx response without a request id
 * comes from a proxy.
 */
function isDoubtful(result: CallResult<unknown>): boolean {
  if (result.kind !== 'problem') return result.kind === 'cached' || result.kind === 'queued'
  const { code, status, requestId } = result.problem
  return code === 'NEEDS_CONNECTION' || (status >= 500 && requestId === null)
}

/**
 * Time after a network change in which the browser's "offline" has priority over responses: one more may arrive while the network goes
 * down.
 */
const transitionMs = 1_000

let networkChangedAt = -transitionMs
export const noteNetworkChange = () => void (networkChangedAt = performance.now())
const isNetworkLeaving = () => !navigator.onLine && performance.now() - networkChangedAt < transitionMs

const unreadableResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('UNREADABLE_ANSWER') }
/** Result if the code that sends requests cannot be loaded: the request was not sent. */
const offlineResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE') }

export type ConnectionListener = (networkState: NetworkState) => Promise<NetworkState>

/**
 * Reports the state of a result to the listener, which pings the server after a doubtful result. Resolves to the state then. Returns null
 * if the result shows nothing.
 */
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

/**
 * Returns true if the user's rights or company name may have changed: the server refused a call that the page allowed, or the company was
 * changed.
 */
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
    // The second attempt failed too, although a ping succeeded. No reconnect event follows, so the caller gets a problem and can try again.
    return getNetworkState(secondResult, navigator.onLine) === 'unreachable' ? unreadableResult : secondResult
  },
})

/**
 * Follows the browser's events, and pings while the server does not respond. A request without a response does not change the state,
 * because a single address may fail (a filter, a proxy's 504); a failed ping does. All pages reload their data when the state changes, so a
 * change after each failed request would make them reload endlessly.
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
    // A hidden page is not pinged on schedule. It pings when it becomes visible again.
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
