/** The own sessions in the store: how they were read, which one is being ended. The rows are only true while the server says them. */
import { createSlice } from '@reduxjs/toolkit'
import { endOtherSessions, endSession, listSessions, type SessionRow } from '#contract/sessions.ts'
import type { Problem } from '#contract/problem.ts'
import { callEndpoint, createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

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
export const endOneSession = createAppThunk('sessions/end', async (id: string, { extra: { api }, rejectWithValue }) => {
  const result = await api.call(endSession, { params: { id } })
  return result.kind === 'problem' && result.problem.code !== 'NOT_FOUND' ? rejectWithValue(result.problem) : id
})

export const endOtherSessionsOfUser = () => callEndpoint(endOtherSessions, {})

interface SessionsState {
  /** Why they could not be read. */
  problem: Problem | null
  /** Until the list is read again, in which it is gone. */
  endingId: string | null
  /** Why the last one could not be ended. */
  endProblem: Problem | null
}

const initialState: SessionsState = { problem: null, endingId: null, endProblem: null }

const sessionsSlice = createSlice({
  name: 'sessions',
  initialState,
  reducers: { pageOpened: () => initialState },
  extraReducers: (builder) =>
    builder
      .addCase(fetchSessions.fulfilled, (state) => ({ ...state, problem: null, endingId: null }))
      .addCase(fetchSessions.rejected, (state, action) => ({
        ...state,
        problem: getRejectedProblem(action),
        endingId: null,
      }))
      .addCase(endOneSession.pending, (state, { meta }) => ({ ...state, endingId: meta.arg }))
      .addCase(endOneSession.fulfilled, (state) => ({ ...state, endProblem: null }))
      .addCase(endOneSession.rejected, (state, action) => ({ ...state, endProblem: getRejectedProblem(action) }))
      .addCase(signedOut, () => initialState),
})

const injectedSlice = sessionsSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectSessions = (state: object): SessionsState => injectedSlice.selectSlice(state)
export const { pageOpened } = sessionsSlice.actions
