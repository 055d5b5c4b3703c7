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

describe('what an answer says about the line (P-11)', () => {
  it.each<[string, CallResult<unknown>, boolean, string | null]>([
    ['a fresh answer means online, whatever the browser believes', { kind: 'fresh', output: 1 }, false, 'online'],
    ['a refusal came from the server, so it is there', toProblemResult(refusedProblem), true, 'online'],
    ['nobody answered though there is a network', toProblemResult(createLocalProblem('OFFLINE')), true, 'unreachable'],
    ['nobody answered and there is no network', toProblemResult(createLocalProblem('OFFLINE')), false, 'offline'],
    ['rows from the device alone prove nothing', { kind: 'cached', output: null, asOf: 0 }, true, null],
    [
      'what needs the server proves nothing by not being sent',
      toProblemResult(createLocalProblem('NEEDS_CONNECTION')),
      true,
      null,
    ],
    ['nor with no network', toProblemResult(createLocalProblem('NEEDS_CONNECTION')), false, 'offline'],
    [
      "a proxy's word for a server that is away proves nothing",
      toProblemResult({ ...refusedProblem, status: 502 }),
      true,
      null,
    ],
    [
      "our server's own mistake says that it is there",
      toProblemResult({ ...refusedProblem, status: 500, requestId: 'r' }),
      true,
      'online',
    ],
    ['a write that waits behind others proves nothing', { kind: 'queued', intent: 'i' }, true, null],
    [
      'what the device itself refuses proves nothing',
      toProblemResult(createLocalProblem('STORAGE_FAILED')),
      true,
      null,
    ],
  ])('%s', (_, result, isBrowserOnline, expectedState) => {
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

describe('an answer that was under way when the network came or went', () => {
  it.each<[string, number, string[]]>([
    ['is not believed', 1, []],
    ['is believed where nothing moved', 0, ['online']],
  ])('%s', async (_, moveCount, expected) => {
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

describe('an answer while the browser says that there is no network', () => {
  it.each<[string, number, string[]]>([
    ['may have come over what was just going, and is not believed', 900, []],
    ['is believed later: browsers err', 1_100, ['online']],
  ])('%s', async (_, laterMs, expected) => {
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

describe('what was asked and lost while the browser has a network', () => {
  const lostResult = toProblemResult(createLocalProblem('OFFLINE'))
  const freshResult: CallResult<unknown> = { kind: 'fresh', output: 1 }
  const abortedSignal = AbortSignal.abort()
  it.each<[string, NetworkState, Parameters<ApiClient['call']>, number, string]>([
    ['a read is asked for once more where the server is there', 'online', [getUser, {}], 2, 'fresh'],
    ['a read is not where it is away', 'unreachable', [getUser, {}], 1, 'problem'],
    ['a write is never: it may have been done', 'online', [changePassword, { body: {} as never }], 1, 'problem'],
    ['nothing is that nobody waits for any more', 'online', [getUser, {}, { signal: abortedSignal }], 1, 'problem'],
  ])('%s', async (_, probedState, args, callCount, kind) => {
    vi.stubGlobal('navigator', { onLine: true })
    const call = vi
      .fn<() => Promise<CallResult<unknown>>>()
      .mockResolvedValueOnce(lostResult)
      .mockResolvedValueOnce(freshResult)
    const api = observeApi({ call: call as unknown as ApiClient['call'] }, async () => probedState)
    expect((await api.call(...args)).kind).toBe(kind)
    expect(call).toHaveBeenCalledTimes(callCount)
  })
})

it.each<[string, CallResult<never>]>([
  ['a read that the device answered', { kind: 'cached', output: null, asOf: 0 }],
  ['a write that waits', { kind: 'queued', intent: 'i' }],
  ['a call that only the server can do', toProblemResult(createLocalProblem('NEEDS_CONNECTION')) as CallResult<never>],
  ["a proxy's word", toProblemResult({ ...refusedProblem, status: 504 }) as CallResult<never>],
])('%s is told at once, and is a doubt where the browser has a network', async (_, result) => {
  vi.stubGlobal('navigator', { onLine: true })
  const states: string[] = []
  const onState = (state: NetworkState) => (states.push(state), new Promise<never>(() => {}))
  const call = vi.fn<() => Promise<CallResult<never>>>().mockResolvedValue(result)
  expect(await observeApi({ call }, onState).call(getUser, {})).toEqual(result)
  expect([states, call.mock.calls.length]).toEqual([['unreachable'], 1])
})

it.each<[string, CallResult<unknown>, string[]]>([
  [
    '30b a refusal for want of a right',
    toProblemResult({ ...refusedProblem, status: 403, code: 'FORBIDDEN' }),
    ['account'],
  ],
  ['30b another refusal', toProblemResult(refusedProblem), []],
])('fault %s has the signed-in user read again, or not', async (_, result, expected) => {
  vi.stubGlobal('navigator', { onLine: true })
  const notifiedTopics: string[] = []
  const stop = subscribeToChanges('account', () => notifiedTopics.push('account'))
  const call = async () => result as CallResult<never>
  await observeApi({ call }, async () => 'online').call(changePassword, {} as never)
  expect(notifiedTopics).toEqual(expected)
  await observeApi({ call }, async () => 'online').call(getUser, {})
  expect(notifiedTopics).toEqual(expected)
  stop()
})

it('a read that is lost twice though the server is there is no matter of the line, and can be asked for again', async () => {
  vi.stubGlobal('navigator', { onLine: true })
  const call = async () => toProblemResult(createLocalProblem('OFFLINE')) as CallResult<never>
  const result = await observeApi({ call }, async () => 'online').call(getUser, {})
  expect(result).toEqual(toProblemResult(createLocalProblem('UNREADABLE_ANSWER')))
})

describe('an answer that did not come while the browser has a network', () => {
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

  it('is told as soon as a knock is not answered either, and ended by the next answer', async () => {
    const { reportState, states } = watchFakeServer({ isUp: false })
    void reportState('unreachable')
    await vi.advanceTimersByTimeAsync(1)
    expect(states).toEqual(['unreachable'])
    void reportState('online')
    expect(states).toEqual(['unreachable', 'online'])
  })

  it('is told within two seconds where the knock gets no answer at all', async () => {
    const { reportState, states } = watchFakeServer({ isUp: true, isHanging: true })
    void reportState('unreachable')
    await vi.advanceTimersByTimeAsync(1_999)
    expect(states).toEqual(['unreachable'])
  })

  it('is looked for when somebody comes back to a page that has been quiet, and only then', async () => {
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

  it('is looked for as soon as somebody moves while the server is away, without waiting for the next knock', async () => {
    const serverState = { isUp: false }
    const { reportState, states } = watchFakeServer(serverState)
    void reportState('unreachable')
    await vi.advanceTimersByTimeAsync(3_000)
    serverState.isUp = true
    window.dispatchEvent(new Event('pointermove'))
    await vi.advanceTimersByTimeAsync(1)
    expect(states).toEqual(['unreachable', 'online'])
  })

  it('says nothing of the line where the server answers a knock, and knocks every other second at most', async () => {
    const { reportState, states, countProbes } = watchFakeServer({ isUp: true })
    for (let round = 0; round < 95; round++) {
      void reportState('unreachable')
      void reportState('online')
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(states).toEqual([])
    expect(countProbes()).toBe(5)
  })

  it('does not have pages ask without end where others are answered and a knock is not', async () => {
    const { reportState, states } = watchFakeServer({ isUp: false })
    for (let round = 0; round < 95; round++) {
      void reportState('unreachable')
      await vi.advanceTimersByTimeAsync(100)
      void reportState('online')
    }
    expect(states.filter((state) => state === 'unreachable')).toHaveLength(5)
  })

  it('is known again once the server is back, by knocks that come ever less often', async () => {
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

  it('fault 31i is seen within twenty seconds by a page that stands idle, and not asked for by one that nobody sees', async () => {
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

  it('code that cannot be fetched is a lost line, and never thrown at the page', async () => {
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
