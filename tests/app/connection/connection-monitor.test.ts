import { afterEach, describe, expect, it, vi } from 'vitest'
import { headers } from '#contract/headers.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { Ports } from '#request/ports.ts'
import type { Api, Result } from '#request/results.ts'
import { changePassword, getUser } from '#contract/accounts.ts'
import type { Connectivity } from '#state/connection-slice.ts'
import { onChanged } from '#state/live-changes.ts'
import { makeStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'
import { connectivityOf, observed, turned, watchConnection } from '#app/connection/connection-monitor.ts'

const refused: Problem = { status: 409, code: 'DUP_USER', message: '', data: null, requestId: null }
const problem = (what: Problem): Result<unknown> => ({ kind: 'problem', problem: what })

describe('what an answer says about the line (P-11)', () => {
  it.each<[string, Result<unknown>, boolean, string | null]>([
    ['a fresh answer means online, whatever the browser believes', { kind: 'fresh', output: 1 }, false, 'online'],
    ['a refusal came from the server, so it is there', problem(refused), true, 'online'],
    ['nobody answered though there is a network', problem(localProblem('OFFLINE')), true, 'unreachable'],
    ['nobody answered and there is no network', problem(localProblem('OFFLINE')), false, 'offline'],
    ['rows from the device alone prove nothing', { kind: 'kept', output: null, asOf: 0 }, true, null],
    ['what needs the server proves nothing by not being sent', problem(localProblem('NEEDS_CONNECTION')), true, null],
    ['nor with no network', problem(localProblem('NEEDS_CONNECTION')), false, 'offline'],
    ["a proxy's word for a server that is away proves nothing", problem({ ...refused, status: 502 }), true, null],
    [
      "our server's own mistake says that it is there",
      problem({ ...refused, status: 500, requestId: 'r' }),
      true,
      'online',
    ],
    ['a write that waits behind others proves nothing', { kind: 'queued', intent: 'i' }, true, null],
    ['what the device itself refuses proves nothing', problem(localProblem('STORAGE_FAILED')), true, null],
  ])('%s', (_, result, browserOnline, line) => {
    expect(connectivityOf(result, browserOnline)).toBe(line)
  })
})

const keep = (heard: string[]) => async (line: Connectivity) => {
  heard.push(line)
  return line
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('an answer that was under way when the network came or went', () => {
  it.each<[string, number, string[]]>([
    ['is not believed', 1, []],
    ['is believed where nothing moved', 0, ['online']],
  ])('%s', async (_, moves, expected) => {
    vi.stubGlobal('navigator', { onLine: true })
    const heard: string[] = []
    let answer = () => {}
    const ask: Api['call'] = () =>
      new Promise((resolve) => (answer = () => resolve({ kind: 'fresh', output: null as never })))
    const api = observed({ call: ask }, keep(heard))
    const asked = api.call(getUser, {})
    for (let move = 0; move < moves; move++) turned()
    answer()
    await asked
    expect(heard).toEqual(expected)
  })
})

describe('an answer while the browser says that there is no network', () => {
  it.each<[string, number, string[]]>([
    ['may have come over what was just going, and is not believed', 900, []],
    ['is believed later: browsers err', 1_100, ['online']],
  ])('%s', async (_, laterMs, expected) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    vi.stubGlobal('navigator', { onLine: false })
    const heard: string[] = []
    const fresh: Api['call'] = async () => ({ kind: 'fresh', output: null as never })
    turned()
    vi.advanceTimersByTime(laterMs)
    await observed({ call: fresh }, keep(heard)).call(getUser, {})
    expect(heard).toEqual(expected)
  })
})

describe('what was asked and lost while the browser has a network', () => {
  const lost = problem(localProblem('OFFLINE'))
  const fresh: Result<unknown> = { kind: 'fresh', output: 1 }
  const gone = AbortSignal.abort()
  it.each<[string, Connectivity, Parameters<Api['call']>, number, string]>([
    ['a read is asked for once more where the server is there', 'online', [getUser, {}], 2, 'fresh'],
    ['a read is not where it is away', 'unreachable', [getUser, {}], 1, 'problem'],
    ['a write is never: it may have been done', 'online', [changePassword, { body: {} as never }], 1, 'problem'],
    ['nothing is that nobody waits for any more', 'online', [getUser, {}, { signal: gone }], 1, 'problem'],
  ])('%s', async (_, known, asked, times, kind) => {
    vi.stubGlobal('navigator', { onLine: true })
    const ask = vi.fn<() => Promise<Result<unknown>>>().mockResolvedValueOnce(lost).mockResolvedValueOnce(fresh)
    const api = observed({ call: ask as unknown as Api['call'] }, async () => known)
    expect((await api.call(...asked)).kind).toBe(kind)
    expect(ask).toHaveBeenCalledTimes(times)
  })
})

it.each<[string, Result<never>]>([
  ['a read that the device answered', { kind: 'kept', output: null, asOf: 0 }],
  ['a write that waits', { kind: 'queued', intent: 'i' }],
  ['a call that only the server can do', problem(localProblem('NEEDS_CONNECTION')) as Result<never>],
  ["a proxy's word", problem({ ...refused, status: 504 }) as Result<never>],
])('%s is told at once, and is a doubt where the browser has a network', async (_, answer) => {
  vi.stubGlobal('navigator', { onLine: true })
  const heard: string[] = []
  const hear = (line: Connectivity) => (heard.push(line), new Promise<never>(() => {}))
  const ask = vi.fn<() => Promise<Result<never>>>().mockResolvedValue(answer)
  expect(await observed({ call: ask }, hear).call(getUser, {})).toEqual(answer)
  expect([heard, ask.mock.calls.length]).toEqual([['unreachable'], 1])
})

it.each<[string, Result<unknown>, string[]]>([
  ['30b a refusal for want of a right', problem({ ...refused, status: 403, code: 'FORBIDDEN' }), ['account']],
  ['30b another refusal', problem(refused), []],
])('fault %s has the signed-in user read again, or not', async (_, answer, expected) => {
  vi.stubGlobal('navigator', { onLine: true })
  const told: string[] = []
  const stop = onChanged('account', () => told.push('account'))
  const ask = async () => answer as Result<never>
  await observed({ call: ask }, async () => 'online').call(changePassword, {} as never)
  expect(told).toEqual(expected)
  await observed({ call: ask }, async () => 'online').call(getUser, {})
  expect(told).toEqual(expected)
  stop()
})

it('a read that is lost twice though the server is there is no matter of the line, and can be asked for again', async () => {
  vi.stubGlobal('navigator', { onLine: true })
  const ask = async () => problem(localProblem('OFFLINE')) as Result<never>
  const result = await observed({ call: ask }, async () => 'online').call(getUser, {})
  expect(result).toEqual(problem(localProblem('UNREADABLE_ANSWER')))
})

describe('an answer that did not come while the browser has a network', () => {
  function watched(there: { is: boolean; hangs?: boolean }) {
    vi.useFakeTimers()
    vi.stubGlobal('navigator', { onLine: true })
    vi.stubGlobal('window', new EventTarget())
    const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
    vi.stubGlobal('document', page)
    const never = () => new Promise<never>(() => {})
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    const jobs = { again: never, dismiss: never, seen: never }
    const packages = { changeLog: never, send: never, forget: never }
    const store = makeStore({
      api: { call: never },
      enter: never,
      leave: never,
      jobs,
      packages,
      trails: noTrails,
    })
    let knocks = 0
    const network = async () => {
      knocks += 1
      if (there.hangs) return await never()
      if (!there.is) throw new TypeError('Failed to fetch')
      return new Response('{}', { headers: { [headers.requestId]: 'r' } })
    }
    const ports = { network, origin: 'http://localhost', wait } as unknown as Ports
    const hear = watchConnection(store, async () => ports)
    const lines: string[] = []
    store.subscribe(() => lines.push(store.getState().connection.line))
    return { hear, lines, page, knocks: () => knocks }
  }

  it('is told as soon as a knock is not answered either, and ended by the next answer', async () => {
    const { hear, lines } = watched({ is: false })
    void hear('unreachable')
    await vi.advanceTimersByTimeAsync(1)
    expect(lines).toEqual(['unreachable'])
    void hear('online')
    expect(lines).toEqual(['unreachable', 'online'])
  })

  it('is told within two seconds where the knock gets no answer at all', async () => {
    const { hear, lines } = watched({ is: true, hangs: true })
    void hear('unreachable')
    await vi.advanceTimersByTimeAsync(1_999)
    expect(lines).toEqual(['unreachable'])
  })

  it('is looked for when somebody comes back to a page that has been quiet, and only then', async () => {
    const { hear, lines, knocks } = watched({ is: false })
    void hear('online')
    await vi.advanceTimersByTimeAsync(9_000)
    window.dispatchEvent(new Event('pointermove'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(knocks()).toBe(0)
    window.dispatchEvent(new Event('pointermove'))
    window.dispatchEvent(new Event('keydown'))
    await vi.advanceTimersByTimeAsync(1)
    expect([lines, knocks()]).toEqual([['unreachable'], 1])
  })

  it('is looked for as soon as somebody moves while the server is away, without waiting for the next knock', async () => {
    const line = { is: false }
    const { hear, lines } = watched(line)
    void hear('unreachable')
    await vi.advanceTimersByTimeAsync(3_000)
    line.is = true
    window.dispatchEvent(new Event('pointermove'))
    await vi.advanceTimersByTimeAsync(1)
    expect(lines).toEqual(['unreachable', 'online'])
  })

  it('says nothing of the line where the server answers a knock, and knocks every other second at most', async () => {
    const { hear, lines, knocks } = watched({ is: true })
    for (let asked = 0; asked < 95; asked++) {
      void hear('unreachable')
      void hear('online')
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(lines).toEqual([])
    expect(knocks()).toBe(5)
  })

  it('does not have pages ask without end where others are answered and a knock is not', async () => {
    const { hear, lines } = watched({ is: false })
    for (let asked = 0; asked < 95; asked++) {
      void hear('unreachable')
      await vi.advanceTimersByTimeAsync(100)
      void hear('online')
    }
    expect(lines.filter((line) => line === 'unreachable')).toHaveLength(5)
  })

  it('is known again once the server is back, by knocks that come ever less often', async () => {
    const there = { is: false }
    const { hear, lines, knocks } = watched(there)
    void hear('unreachable')
    await vi.advanceTimersByTimeAsync(1)
    const before = knocks()
    await vi.advanceTimersByTimeAsync(2_000 + 4_000 + 8_000 + 10_000 + 10_000)
    expect(knocks() - before).toBe(5)
    there.is = true
    await vi.advanceTimersByTimeAsync(10_000)
    expect(lines).toEqual(['unreachable', 'online'])
  })

  it('fault 31i is seen within twenty seconds by a page that stands idle, and not asked for by one that nobody sees', async () => {
    const there = { is: true }
    const { hear, lines, page, knocks } = watched(there)
    void hear('online')
    await vi.advanceTimersByTimeAsync(14_000)
    expect(knocks()).toBe(0)
    await vi.advanceTimersByTimeAsync(2_000)
    expect([lines, knocks()]).toEqual([[], 1])
    there.is = false
    await vi.advanceTimersByTimeAsync(20_000)
    expect(lines).toEqual(['unreachable'])
    there.is = true
    await vi.advanceTimersByTimeAsync(10_000)
    expect(lines).toEqual(['unreachable', 'online'])
    page.visibilityState = 'hidden'
    await vi.advanceTimersByTimeAsync(16_000)
    const unseen = knocks()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(knocks()).toBe(unseen)
    page.visibilityState = 'visible'
    page.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(1)
    expect(knocks()).toBe(unseen + 1)
  })

  it('code that cannot be fetched is a lost line, and never thrown at the page', async () => {
    vi.stubGlobal('navigator', { onLine: true })
    const heard: string[] = []
    const ask = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
    const hear = async (line: Connectivity) => (heard.push(line), 'unreachable' as const)
    expect(await observed({ call: ask }, hear).call(getUser, {})).toEqual(problem(localProblem('OFFLINE')))
    expect(heard).toEqual(['unreachable'])
  })
})
