/** A form's write as a thunk, and what a slice keeps of it. */
import { type ActionReducerMapBuilder, createAsyncThunk } from '@reduxjs/toolkit'
import { localProblem } from '#contract/problem.ts'
import type { Result } from '#request/results.ts'
import { formAfter, type Sending } from '#state/form-status.ts'
import type { Dispatch, Extra, RootState } from '#state/store.ts'

type Refused = Extract<Result<unknown>, { kind: 'problem' }>

interface Tools {
  extra: Extra
  getState: () => RootState
  dispatch: Dispatch
}

const create = createAsyncThunk.withTypes<{
  state: RootState
  dispatch: Dispatch
  extra: Extra
  rejectValue: Refused
}>()

/** Fulfilled with what became of it; rejected with the problem, and the intent under which it is the same wish again. */
export const createFormThunk = <Given>(type: string, send: (given: Given, tools: Tools) => Promise<Result<unknown>>) =>
  create<Exclude<Result<unknown>, Refused>, Given>(type, async (given, tools) => {
    const result = await send(given, tools)
    return result.kind === 'problem' ? tools.rejectWithValue(result) : result
  })

type FormThunk<Given> = ReturnType<typeof createFormThunk<Given>>

/** What sends it is fetched when it is first needed, and may be out of reach. */
const unreached: Refused = { kind: 'problem', problem: localProblem('NEEDS_CONNECTION') }

/** What became of it, for the form that sent it. */
export const resultOf = ({ payload }: { payload?: Result<unknown> | undefined }): Result<unknown> =>
  payload ?? unreached

/** Where the sending stands; what is typed stays in the form. */
export function addFormCases<S extends Sending, Given>(builder: ActionReducerMapBuilder<S>, thunk: FormThunk<Given>) {
  return builder
    .addCase(thunk.pending, (state) => void Object.assign(state, { form: { kind: 'sending' } }))
    .addCase(thunk.fulfilled, (state, action) => void Object.assign(state, formAfter(resultOf(action))))
    .addCase(thunk.rejected, (state, action) => void Object.assign(state, formAfter(resultOf(action))))
}
