import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { backUp } from '#contract/backups.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { rebootService } from '#contract/services.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { createStore, type ThunkExtra } from '#state/store.ts'
import { StoreProvider } from '#state/use-store.ts'
import { useAction } from '#state/use-action.ts'

const freshResult: CallResult<null> = { kind: 'fresh', output: null }
const buildRefusal = (status: number, code = 'OFFLINE'): CallResult<never> => ({
  kind: 'problem',
  problem: { ...createLocalProblem('OFFLINE'), status, code },
  intent: 'intent-1',
})

/** Creates a server whose calls the test resolves. */
function createServer() {
  const calls: {
    input: unknown
    options: CallOptions
    respond: (result: CallResult<unknown>) => Promise<void>
    fail: () => Promise<void>
  }[] = []
  const call = (_endpoint: unknown, input: unknown, options: CallOptions) =>
    new Promise((resolve, reject) => {
      calls.push({
        input,
        options,
        respond: (result) => act(async () => resolve(result)),
        fail: () => act(async () => reject(new TypeError('Failed to fetch dynamically imported module'))),
      })
    })
  const store = createStore({ api: { call } } as unknown as ThunkExtra)
  const wrapper = ({ children }: { children: ReactNode }) => <StoreProvider store={store}>{children}</StoreProvider>
  return { calls, wrapper }
}

function renderAction() {
  const { calls, wrapper } = createServer()
  const { result } = renderHook(() => useAction(rebootService), { wrapper })
  const run = (id: number) => act(() => void result.current.run({ params: { id } }))
  return { calls, result, run }
}

describe('useAction', () => {
  it('is busy until the server has responded, and then returns the problem', async () => {
    const { calls, result, run } = renderAction()
    run(3)
    expect([calls[0]?.input, result.current.isBusy]).toEqual([{ params: { id: 3 } }, true])
    await calls[0]?.respond(buildRefusal(409, 'BUSY'))
    expect(result.current).toMatchObject({ isBusy: false, problem: { code: 'BUSY' } })
    act(() => result.current.clearProblem())
    expect(result.current.problem).toBeNull()
    run(3)
    await calls[1]?.respond(freshResult)
    expect(result.current).toMatchObject({ isBusy: false, problem: null })
  })

  it('does not reuse the intent of an earlier run, even if its response was lost', async () => {
    const { calls, run } = renderAction()
    run(3)
    await calls[0]?.respond(buildRefusal(0))
    run(3)
    expect(calls[1]?.options).toEqual({})
  })

  it('runs a thunk without an input', async () => {
    const { calls, wrapper } = createServer()
    const { result } = renderHook(() => useAction(() => callEndpoint(rebootService, { params: { id: 3 } })), {
      wrapper,
    })
    act(() => void result.current.run(undefined))
    await calls[0]?.respond(buildRefusal(409, 'BUSY'))
    expect(result.current.problem?.code).toBe('BUSY')
  })

  it('is busy until the last of two runs has ended, and returns the problem of either', async () => {
    const { calls, result, run } = renderAction()
    run(3)
    run(4)
    await calls[0]?.respond(buildRefusal(409, 'BUSY'))
    expect(result.current).toMatchObject({ isBusy: true, problem: { code: 'BUSY' } })
    await calls[1]?.respond(freshResult)
    expect(result.current).toMatchObject({ isBusy: false, problem: { code: 'BUSY' } })
    run(4)
    expect(result.current).toMatchObject({ isBusy: true, problem: null })
  })

  it('returns NEEDS_CONNECTION if its code cannot be loaded', async () => {
    const { calls, result, run } = renderAction()
    run(3)
    await calls[0]?.fail()
    expect(result.current).toMatchObject({ isBusy: false, problem: { code: 'NEEDS_CONNECTION' } })
  })
})

describe('a long action', () => {
  const input = { body: { service_id: 5, pdb_type: 'rds' as const } }

  function renderLongAction() {
    const { calls, wrapper } = createServer()
    const events: unknown[] = []
    const { result } = renderHook(
      () =>
        useAction(backUp, {
          onStarted: () => void events.push('started'),
          onEnd: (endResult, _input, intent) => void events.push([endResult.kind, intent]),
        }),
      { wrapper },
    )
    act(() => void result.current.run(input as never))
    return { calls, events, result }
  }

  it('is followed from start to end under one intent', async () => {
    const { calls, events, result } = renderLongAction()
    const { intent } = calls[0]?.options ?? {}
    expect([intent?.length, calls[0]?.options.until]).toEqual([36, 'started'])
    await calls[0]?.respond({ kind: 'started', jobId: 'job-1' })
    expect([events, calls[1]?.options, result.current.isBusy]).toEqual([['started'], { intent }, true])
    await calls[1]?.respond(freshResult)
    expect(events).toEqual(['started', ['fresh', intent]])
    expect(result.current.isBusy).toBe(false)
  })

  it('returns a refused start as its problem, and a later failure only to its listener', async () => {
    const { calls, events, result } = renderLongAction()
    await calls[0]?.respond(buildRefusal(0))
    expect([events, result.current.problem?.code]).toEqual([[], 'OFFLINE'])
    const { intent } = calls[0]?.options ?? {}
    act(() => void result.current.run(input as never))
    expect(calls[1]?.options.intent).toBe(intent)
    await calls[1]?.respond({ kind: 'started', jobId: 'job-1' })
    await calls[2]?.respond(buildRefusal(409, 'BUSY'))
    expect(events).toEqual(['started', ['problem', intent]])
    expect(result.current.problem).toBeNull()
    act(() => void result.current.run(input as never))
    expect(calls[3]?.options.intent).not.toBe(intent)
  })
})
