import { afterEach, describe, expect, it, vi } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { ApiClient, CallResult } from '#request/call-results.ts'
import { changePassword, getUser } from '#contract/accounts.ts'
import type { NetworkState } from '#state/connection-slice.ts'
import { subscribeToChanges } from '#state/live-changes.ts'
import { createStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'
import { getNetworkState, observeApi, noteNetworkChange, watchConnection } from '#app/connection/connection-monitor.ts'

const refusedProblem: Problem = { status: 409, code: 'DUP_USER', message: '', data: null, requestId: null }
const toProblemResult = (problem: Problem): CallResult<unknown> => ({ kind: 'problem', problem })

describe('getNetworkState (P-11)', () => {
  it.each<[string, CallResult<unknown>, boolean, string | null]>([
    [
      'online after a fresh response, even if the browser reports no network',
      { kind: 'fresh', output: 1 },
      false,
      'online',
    ],
    ['online after a refusal, which comes from the server', toProblemResult(refusedProblem), true, 'online'],
    [
      'unreachable without a response although there is a network',
      toProblemResult(createLocalProblem('OFFLINE')),
      true,
      'unreachable',
    ],
    [
      'offline without a response and without a network',
      toProblemResult(createLocalProblem('OFFLINE')),
      false,
      'offline',
    ],
    ['unknown after cached rows alone', { kind: 'cached', output: null, asOf: 0 }, true, null],
    [
      'unknown after NEEDS_CONNECTION while there is a network',
      toProblemResult(createLocalProblem('NEEDS_CONNECTION')),
      true,
      null,
    ],
    [
      'offline after NEEDS_CONNECTION without a network',
      toProblemResult(createLocalProblem('NEEDS_CONNECTION')),
      false,
      'offline',
    ],
    ['unknown after a 502 of a proxy', toProblemResult({ ...refusedProblem, status: 502 }), true, null],
    [
      'online after a 500 of the server itself',
      toProblemResult({ ...refusedProblem, status: 500, requestId: 'r' }),
      true,
      'online',
    ],
    ['unknown after a queued write', { kind: 'queued', intent: 'i' }, true, null],
    ['unknown after a refusal by the device itself', toProblemResult(createLocalProblem('STORAGE_FAILED')), true, null],
  ])('derives the state of the connection from a result: %s', (_, result, isBrowserOnline, expectedState) => {
    expect(getNetworkState(result, isBrowserOnline)).toBe(expectedState)
  })
})

const recordStates = (states: string[]) => async (state: NetworkState) => {
  states.push(state)
  return state
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('observeApi, if the network may have changed during a call', () => {
  it.each<[string, number, string[]]>([
    ['the network changed', 1, []],
    ['the network did not change', 0, ['online']],
  ])('reports "online" only if the network did not change: %s', async (_, moveCount, expected) => {
    vi.stubGlobal('navigator', { onLine: true })
    const states: string[] = []
    let respond = () => {}
    const call: ApiClient['call'] = () =>
      new Promise((resolve) => (respond = () => resolve({ kind: 'fresh', output: null as never })))
    const api = observeApi({ call }, recordStates(states))
    const response = api.call(getUser, {})
    for (let move = 0; move < moveCount; move++) noteNetworkChange()
    respond()
    await response
    expect(states).toEqual(expected)
  })
})

describe('observeApi, while the browser reports no network', () => {
  it.each<[string, number, string[]]>([
    ['ignored after 0.9 s', 900, []],
    ['used after 1.1 s, because browsers can be wrong', 1_100, ['online']],
  ])('ignores a response in the first second after the network was lost: %s', async (_, laterMs, expected) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    vi.stubGlobal('navigator', { onLine: false })
    const states: string[] = []
    const call: ApiClient['call'] = async () => ({ kind: 'fresh', output: null as never })
    noteNetworkChange()
    vi.advanceTimersByTime(laterMs)
    await observeApi({ call }, recordStates(states)).call(getUser, {})
    expect(states).toEqual(expected)
  })
})

describe('observeApi, when a call is lost although the browser reports a network', () => {
  const lostResult = toProblemResult(createLocalProblem('OFFLINE'))
  const freshResult: CallResult<unknown> = { kind: 'fresh', output: 1 }
  const abortedSignal = AbortSignal.abort()
  it.each<[string, NetworkState, Parameters<ApiClient['call']>, number, string]>([
    ['a read is repeated if the server is reachable', 'online', [getUser, {}], 2, 'fresh'],
    ['a read is not repeated if the server is unreachable', 'unreachable', [getUser, {}], 1, 'problem'],
    [
      'a write is never repeated, because it may have been executed',
      'online',
      [changePassword, { body: {} as never }],
      1,
      'problem',
    ],
    ['an aborted read is not repeated', 'online', [getUser, {}, { signal: abortedSignal }], 1, 'problem'],
  ])(
    'repeats only reads, if the server is reachable and the caller still waits: %s',
    async (_, probedState, args, callCount, kind) => {
      vi.stubGlobal('navigator', { onLine: true })
      const call = vi
        .fn<() => Promise<CallResult<unknown>>>()
        .mockResolvedValueOnce(lostResult)
        .mockResolvedValueOnce(freshResult)
      const api = observeApi({ call: call as unknown as ApiClient['call'] }, async () => probedState)
      expect((await api.call(...args)).kind).toBe(kind)
      expect(call).toHaveBeenCalledTimes(callCount)
    },
  )
})

it.each<[string, CallResult<never>]>([
  ['a read from the cache', { kind: 'cached', output: null, asOf: 0 }],
  ['a queued write', { kind: 'queued', intent: 'i' }],
  ['a call that needs a connection', toProblemResult(createLocalProblem('NEEDS_CONNECTION')) as CallResult<never>],
  ['a 504 of a proxy', toProblemResult({ ...refusedProblem, status: 504 }) as CallResult<never>],
])('observeApi reports "unreachable" at once and does not repeat the call: %s', async (_, result) => {
  vi.stubGlobal('navigator', { onLine: true })
  const states: string[] = []
  const onState = (state: NetworkState) => (states.push(state), new Promise<never>(() => {}))
  const call = vi.fn<() => Promise<CallResult<never>>>().mockResolvedValue(result)
  expect(await observeApi({ call }, onState).call(getUser, {})).toEqual(result)
  expect([states, call.mock.calls.length]).toEqual([['unreachable'], 1])
})

it.each<[string, CallResult<unknown>, string[]]>([
  [
    '30b, a refusal for a missing right',
    toProblemResult({ ...refusedProblem, status: 403, code: 'FORBIDDEN' }),
    ['account'],
  ],
  ['30b, another refusal', toProblemResult(refusedProblem), []],
])(
  'observeApi triggers a new read of the signed-in user only after a refusal for a missing right (fault %s)',
  async (_, result, expected) => {
    vi.stubGlobal('navigator', { onLine: true })
    const notifiedTopics: string[] = []
    const stop = subscribeToChanges('account', () => notifiedTopics.push('account'))
    const call = async () => result as CallResult<never>
    await observeApi({ call }, async () => 'online').call(changePassword, {} as never)
    expect(notifiedTopics).toEqual(expected)
    await observeApi({ call }, async () => 'online').call(getUser, {})
    expect(notifiedTopics).toEqual(expected)
    stop()
  },
)

it('observeApi returns UNREADABLE_ANSWER if a read is lost twice while the server is reachable', async () => {
  vi.stubGlobal('navigator', { onLine: true })
  const call = async () => toProblemResult(createLocalProblem('OFFLINE')) as CallResult<never>
  const result = await observeApi({ call }, async () => 'online').call(getUser, {})
  expect(result).toEqual(toProblemResult(createLocalProblem('UNREADABLE_ANSWER')))
})

describe('the connection monitor, while the browser reports a network', () => {
  function watchFakeServer(serverState: { isUp: boolean; isHanging?: boolean }) {
    vi.useFakeTimers()
    vi.stubGlobal('navigator', { onLine: true })
    vi.stubGlobal('window', new EventTarget())
    const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
    vi.stubGlobal('document', page)
    const neverResolve = () => new Promise<never>(() => {})
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    const jobActions = { retry: neverResolve, dismiss: neverResolve, markSeen: neverResolve }
    const packages = { fetchChangeLog: neverResolve, send: neverResolve, forget: neverResolve }
    const store = createStore({
      api: { call: neverResolve },
      signIn: neverResolve,
      signOut: neverResolve,
      jobActions,
      packages,
      loadTrailActions: noTrails,
    })
    let probes = 0
    const network = async () => {
      probes += 1
      if (serverState.isHanging) return await neverResolve()
      if (!serverState.isUp) throw new TypeError('Failed to fetch')
      return new Response('{}', { headers: { [headers.requestId]: 'r' } })
    }
    const ports = { network, origin: 'http://localhost', wait } as unknown as PipelinePorts
    const reportState = watchConnection(store, async () => ports)
    const states: string[] = []
    store.subscribe(() => states.push(store.getState().connection.networkState))
    return { reportState, states, page, countProbes: () => probes }
  }

  it('reports "unreachable" when a probe fails too, and "online" at the next response', async () => {
    const { reportState, states } = watchFakeServer({ isUp: false })
    void reportState('unreachable')
    await vi.advanceTimersByTimeAsync(1)
    expect(states).toEqual(['unreachable'])
    void reportState('online')
    expect(states).toEqual(['unreachable', 'online'])
  })

  it('reports "unreachable" within 2 s if the probe gets no response', async () => {
    const { reportState, states } = watchFakeServer({ isUp: true, isHanging: true })
    void reportState('unreachable')
    await vi.advanceTimersByTimeAsync(1_999)
    expect(states).toEqual(['unreachable'])
  })

  it('probes when the user returns to an idle page, but not while the page is active', async () => {
    const { reportState, states, countProbes } = watchFakeServer({ isUp: false })
    void reportState('online')
    await vi.advanceTimersByTimeAsync(9_000)
    window.dispatchEvent(new Event('pointermove'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(countProbes()).toBe(0)
    window.dispatchEvent(new Event('pointermove'))
    window.dispatchEvent(new Event('keydown'))
    await vi.advanceTimersByTimeAsync(1)
    expect([states, countProbes()]).toEqual([['unreachable'], 1])
  })

  it('probes as soon as the user moves the pointer while the server is unreachable', async () => {
    const serverState = { isUp: false }
    const { reportState, states } = watchFakeServer(serverState)
    void reportState('unreachable')
    await vi.advanceTimersByTimeAsync(3_000)
    serverState.isUp = true
    window.dispatchEvent(new Event('pointermove'))
    await vi.advanceTimersByTimeAsync(1)
    expect(states).toEqual(['unreachable', 'online'])
  })

  it('reports nothing while probes succeed, and probes at most every 2 s', async () => {
    const { reportState, states, countProbes } = watchFakeServer({ isUp: true })
    for (let round = 0; round < 95; round++) {
      void reportState('unreachable')
      void reportState('online')
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(states).toEqual([])
    expect(countProbes()).toBe(5)
  })

  it('limits its reports if calls succeed but probes fail', async () => {
    const { reportState, states } = watchFakeServer({ isUp: false })
    for (let round = 0; round < 95; round++) {
      void reportState('unreachable')
      await vi.advanceTimersByTimeAsync(100)
      void reportState('online')
    }
    expect(states.filter((state) => state === 'unreachable')).toHaveLength(5)
  })

  it('probes at growing intervals until the server is back', async () => {
    const serverState = { isUp: false }
    const { reportState, states, countProbes } = watchFakeServer(serverState)
    void reportState('unreachable')
    await vi.advanceTimersByTimeAsync(1)
    const probesBefore = countProbes()
    await vi.advanceTimersByTimeAsync(2_000 + 4_000 + 8_000 + 10_000 + 10_000)
    expect(countProbes() - probesBefore).toBe(5)
    serverState.isUp = true
    await vi.advanceTimersByTimeAsync(10_000)
    expect(states).toEqual(['unreachable', 'online'])
  })

  it('notices a lost server within 20 s on an idle page, and does not probe on a hidden page (fault 31i)', async () => {
    const serverState = { isUp: true }
    const { reportState, states, page, countProbes } = watchFakeServer(serverState)
    void reportState('online')
    await vi.advanceTimersByTimeAsync(14_000)
    expect(countProbes()).toBe(0)
    await vi.advanceTimersByTimeAsync(2_000)
    expect([states, countProbes()]).toEqual([[], 1])
    serverState.isUp = false
    await vi.advanceTimersByTimeAsync(20_000)
    expect(states).toEqual(['unreachable'])
    serverState.isUp = true
    await vi.advanceTimersByTimeAsync(10_000)
    expect(states).toEqual(['unreachable', 'online'])
    page.visibilityState = 'hidden'
    await vi.advanceTimersByTimeAsync(16_000)
    const probesWhileHidden = countProbes()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(countProbes()).toBe(probesWhileHidden)
    page.visibilityState = 'visible'
    page.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(1)
    expect(countProbes()).toBe(probesWhileHidden + 1)
  })

  it('treats code that cannot be loaded as a lost connection, and does not throw', async () => {
    vi.stubGlobal('navigator', { onLine: true })
    const states: string[] = []
    const call = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
    const onState = async (state: NetworkState) => (states.push(state), 'unreachable' as const)
    expect(await observeApi({ call }, onState).call(getUser, {})).toEqual(
      toProblemResult(createLocalProblem('OFFLINE')),
    )
    expect(states).toEqual(['unreachable'])
  })
})
