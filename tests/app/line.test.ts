import { afterEach, describe, expect, it, vi } from 'vitest'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { Api, Result } from '#request/result.ts'
import { getUser } from '#contract/accounts.ts'
import { lineOf, observed, turned } from '#app/line.ts'

const refused: Problem = { status: 409, code: 'DUP_USER', message: '', data: null, requestId: null }
const problem = (what: Problem): Result<unknown> => ({ kind: 'problem', problem: what })

describe('what an answer says about the line (P-11)', () => {
  it.each<[string, Result<unknown>, boolean, string | null]>([
    ['a fresh answer means online, whatever the browser believes', { kind: 'fresh', output: 1 }, false, 'online'],
    ['a refusal came from the server, so it is there', problem(refused), true, 'online'],
    ['nobody answered though there is a network', problem(localProblem('OFFLINE')), true, 'unreachable'],
    ['nobody answered and there is no network', problem(localProblem('OFFLINE')), false, 'offline'],
    ['rows from the device alone prove nothing', { kind: 'kept', output: null, asOf: 0 }, true, null],
    ['a write that waits behind others proves nothing', { kind: 'queued', intent: 'i' }, true, null],
    ['what the device itself refuses proves nothing', problem(localProblem('STORAGE_FAILED')), true, null],
  ])('%s', (_, result, browserOnline, line) => {
    expect(lineOf(result, browserOnline)).toBe(line)
  })
})

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
    const ask: Api['ask'] = () =>
      new Promise((resolve) => (answer = () => resolve({ kind: 'fresh', output: null as never })))
    const api = observed({ ask }, (line) => heard.push(line))
    const asked = api.ask(getUser, {})
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
    const fresh: Api['ask'] = async () => ({ kind: 'fresh', output: null as never })
    turned()
    vi.advanceTimersByTime(laterMs)
    await observed({ ask: fresh }, (line) => heard.push(line)).ask(getUser, {})
    expect(heard).toEqual(expected)
  })
})
