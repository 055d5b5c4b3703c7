/** The own sessions in the store: how they were read, which one is being ended. The rows are only true while the server says them. */
import { createSlice } from '@reduxjs/toolkit'
import { endOtherSessions, endSession, listSessions, type SessionRow } from '#contract/sessions.ts'
import type { Problem } from '#contract/problem.ts'
import { callEndpoint, createAppThunk, problemOfRejected } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'

/** Fulfilled with the rows where the server has just said them, else with null. */
export const fetchSessions = createAppThunk(
  'sessions/fetch',
  async (
    _: void,
    { extra: { api }, rejectWithValue },
  ): Promise<SessionRow[] | null | ReturnType<typeof rejectWithValue>> => {
    const result = await api.call(listSessions, {})
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    return result.kind === 'fresh' ? result.output : null
  },
)

/** One that has ended already, from elsewhere, is as it was wanted. */
export const endOne = createAppThunk('sessions/end', async (id: string, { extra: { api }, rejectWithValue }) => {
  const result = await api.call(endSession, { params: { id } })
  return result.kind === 'problem' && result.problem.code !== 'NOT_FOUND' ? rejectWithValue(result.problem) : id
})

export const endOthers = () => callEndpoint(endOtherSessions, {})

interface Sessions {
  /** Why they could not be read. */
  problem: Problem | null
  /** Until the list is read again, in which it is gone. */
  ending: string | null
  /** Why the last one could not be ended. */
  endProblem: Problem | null
}

const initialState: Sessions = { problem: null, ending: null, endProblem: null }

const sessions = createSlice({
  name: 'sessions',
  initialState,
  reducers: { pageOpened: () => initialState },
  extraReducers: (builder) =>
    builder
      .addCase(fetchSessions.fulfilled, (state) => ({ ...state, problem: null, ending: null }))
      .addCase(fetchSessions.rejected, (state, action) => ({
        ...state,
        problem: problemOfRejected(action),
        ending: null,
      }))
      .addCase(endOne.pending, (state, { meta }) => ({ ...state, ending: meta.arg }))
      .addCase(endOne.fulfilled, (state) => ({ ...state, endProblem: null }))
      .addCase(endOne.rejected, (state, action) => ({ ...state, endProblem: problemOfRejected(action) }))
      .addCase(signedOut, () => initialState),
})

const own = sessions.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectSessions = (state: object): Sessions => own.selectSlice(state)
export const { pageOpened } = sessions.actions
