/** A form's write as a thunk, and what a slice keeps of it. */
import { type ActionReducerMapBuilder, createAsyncThunk } from '@reduxjs/toolkit'
import { createLocalProblem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { toFormStatus, type FormStatus } from '#state/form-status.ts'
import type { AppDispatch, ThunkExtra, RootState } from '#state/store.ts'

type ProblemResult = Extract<CallResult<unknown>, { kind: 'problem' }>

interface ThunkTools {
  extra: ThunkExtra
  getState: () => RootState
  dispatch: AppDispatch
}

const createResultThunk = createAsyncThunk.withTypes<{
  state: RootState
  dispatch: AppDispatch
  extra: ThunkExtra
  rejectValue: ProblemResult
}>()

/** Fulfilled with what became of it; rejected with the problem, and the intent under which it is the same wish again. */
export const createFormThunk = <Input>(
  type: string,
  send: (input: Input, tools: ThunkTools) => Promise<CallResult<unknown>>,
) =>
  createResultThunk<Exclude<CallResult<unknown>, ProblemResult>, Input>(type, async (input, tools) => {
    const result = await send(input, tools)
    return result.kind === 'problem' ? tools.rejectWithValue(result) : result
  })

type FormThunk<ThunkInput> = ReturnType<typeof createFormThunk<ThunkInput>>

/** What sends it is fetched when it is first needed, and may be out of reach. */
const unreachableResult: ProblemResult = { kind: 'problem', problem: createLocalProblem('NEEDS_CONNECTION') }

/** What became of it, for the form that sent it. */
export const getFormResult = ({ payload }: { payload?: CallResult<unknown> | undefined }): CallResult<unknown> =>
  payload ?? unreachableResult

/** Where the sending stands; what is typed stays in the form. */
export function addFormCases<S extends FormStatus, FormInput>(
  builder: ActionReducerMapBuilder<S>,
  thunk: FormThunk<FormInput>,
) {
  return builder
    .addCase(thunk.pending, (state) => void Object.assign(state, { form: { kind: 'sending' } }))
    .addCase(thunk.fulfilled, (state, action) => void Object.assign(state, toFormStatus(getFormResult(action))))
    .addCase(thunk.rejected, (state, action) => void Object.assign(state, toFormStatus(getFormResult(action))))
}
