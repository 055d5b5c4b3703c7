import { createSlice } from '@reduxjs/toolkit'
import { expect, it } from 'vitest'
import { localProblem } from '#contract/problem.ts'
import type { Result } from '#request/results.ts'
import { type Sending, unsent } from '#state/form-status.ts'
import { addFormCases, createFormThunk, resultOf } from '#state/form-thunk.ts'
import { type Extra, makeStore, root } from '#state/store.ts'

const refused: Result<never> = { kind: 'problem', problem: localProblem('OFFLINE'), intent: 'i-1' }

/** A form that sends what it is given. */
function open() {
  const save = createFormThunk('test/save', (send: () => Promise<Result<unknown>>) => send())
  const slice = createSlice({
    name: crypto.randomUUID(),
    initialState: { ...unsent, other: 'kept' } as Sending & { other: string },
    reducers: {},
    extraReducers: (builder) => void addFormCases(builder, save),
  })
  const own = slice.injectInto(root)
  const store = makeStore({} as Extra)
  const send = async (result: () => Promise<Result<unknown>>) => resultOf(await store.dispatch(save(result)))
  return { send, state: () => own.selectSlice(store.getState()) }
}

it('a form is being sent until it is answered, and then holds what became of it', async () => {
  const { send, state } = open()
  const sent = send(async () => ({ kind: 'queued', intent: 'i-1' }))
  expect(state()).toEqual({ form: { kind: 'sending' }, intent: null, other: 'kept' })
  expect(await sent).toEqual({ kind: 'queued', intent: 'i-1' })
  expect(state()).toEqual({ form: { kind: 'queued' }, intent: null, other: 'kept' })
})

it('a refused form keeps the problem and its intent, and gives up both when it is taken', async () => {
  const { send, state } = open()
  expect(await send(async () => refused)).toEqual(refused)
  expect(state()).toMatchObject({ form: { kind: 'failed', problem: { code: 'OFFLINE' } }, intent: 'i-1' })
  await send(async () => ({ kind: 'fresh', output: null }))
  expect(state()).toEqual({ form: { kind: 'idle' }, intent: null, other: 'kept' })
})

it('a form whose code cannot be fetched needs a connection, like one that cannot be sent', async () => {
  const { send, state } = open()
  const result = await send(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')))
  expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
  expect(state().form).toMatchObject({ kind: 'failed', problem: { code: 'NEEDS_CONNECTION' } })
})
