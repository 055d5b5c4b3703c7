import { createSlice } from '@reduxjs/toolkit'
import { expect, it } from 'vitest'
import { createLocalProblem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { type FormStatus, unsentForm } from '#state/form-status.ts'
import { addFormCases, createFormThunk, getFormResult } from '#state/form-thunk.ts'
import { type ThunkExtra, createStore, rootReducer } from '#state/store.ts'

const refusedResult: CallResult<never> = { kind: 'problem', problem: createLocalProblem('OFFLINE'), intent: 'i-1' }

/** A form that sends what it is given. */
function openForm() {
  const save = createFormThunk('test/save', (send: () => Promise<CallResult<unknown>>) => send())
  const slice = createSlice({
    name: crypto.randomUUID(),
    initialState: { ...unsentForm, other: 'cached' } as FormStatus & { other: string },
    reducers: {},
    extraReducers: (builder) => void addFormCases(builder, save),
  })
  const injectedSlice = slice.injectInto(rootReducer)
  const store = createStore({} as ThunkExtra)
  const sendForm = async (result: () => Promise<CallResult<unknown>>) =>
    getFormResult(await store.dispatch(save(result)))
  return { send: sendForm, state: () => injectedSlice.selectSlice(store.getState()) }
}

it('a form is being sent until it is answered, and then holds what became of it', async () => {
  const { send, state } = openForm()
  const sending = send(async () => ({ kind: 'queued', intent: 'i-1' }))
  expect(state()).toEqual({ form: { kind: 'sending' }, intent: null, other: 'cached' })
  expect(await sending).toEqual({ kind: 'queued', intent: 'i-1' })
  expect(state()).toEqual({ form: { kind: 'queued' }, intent: null, other: 'cached' })
})

it('a refused form keeps the problem and its intent, and gives up both when it is taken', async () => {
  const { send, state } = openForm()
  expect(await send(async () => refusedResult)).toEqual(refusedResult)
  expect(state()).toMatchObject({ form: { kind: 'failed', problem: { code: 'OFFLINE' } }, intent: 'i-1' })
  await send(async () => ({ kind: 'fresh', output: null }))
  expect(state()).toEqual({ form: { kind: 'idle' }, intent: null, other: 'cached' })
})

it('a form whose code cannot be fetched needs a connection, like one that cannot be sent', async () => {
  const { send, state } = openForm()
  const result = await send(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')))
  expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
  expect(state().form).toMatchObject({ kind: 'failed', problem: { code: 'NEEDS_CONNECTION' } })
})
