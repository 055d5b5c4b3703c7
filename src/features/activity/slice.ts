/** The activity list in the store: how what was last asked of it stands. The jobs themselves are the device's and never come here. */
import { createSlice, isAnyOf } from '@reduxjs/toolkit'
import { verifyTrail } from '#contract/audit-trail.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type AppThunk, createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

/** Begins it; how far it is and what it finds stand in the list, however long that takes. */
export const startVerification = createAppThunk(
  'activity/verify',
  async (_: void, { extra: { api }, rejectWithValue }) => {
    const result = await api.call(verifyTrail, { body: { companyId: null } }, { until: 'started' })
    return result.kind === 'problem' ? rejectWithValue(result.problem) : undefined
  },
)

export const pollAgain = createAppThunk('activity/again', (intent: Intent, { extra: { jobActions: jobs } }) =>
  jobs.retry(intent),
)

export const dismissJob = createAppThunk('activity/dismiss', (intent: Intent, { extra: { jobActions: jobs } }) =>
  jobs.dismiss(intent),
)

export const markSeen =
  (intents: readonly Intent[]): AppThunk =>
  (_dispatch, _getState, { jobActions: jobs }) =>
    jobs.markSeen(intents)

interface ActivityState {
  isVerifying: boolean
  /** Why the last of them could not be done. */
  problem: Problem | null
}

const initialState: ActivityState = { isVerifying: false, problem: null }

const activity = createSlice({
  name: 'activity',
  initialState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(startVerification.pending, () => ({ isVerifying: true, problem: null }))
      .addCase(startVerification.fulfilled, () => initialState)
      .addCase(startVerification.rejected, (_, action) => ({ isVerifying: false, problem: getRejectedProblem(action) }))
      .addCase(signedOut, () => initialState)
      .addMatcher(isAnyOf(pollAgain.pending, dismissJob.pending), (state) => ({ ...state, problem: null }))
      .addMatcher(isAnyOf(pollAgain.rejected, dismissJob.rejected), (state, action) => ({
        ...state,
        problem: getRejectedProblem(action),
      })),
})

const injectedSlice = activity.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectActivity = (state: object): ActivityState => injectedSlice.selectSlice(state)
