/** The activity list in the store: how what was last asked of it stands. The jobs themselves are the device's and never come here. */
import { createSlice, isAnyOf } from '@reduxjs/toolkit'
import { verifyTrail } from '#contract/audit-trail.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type AppThunk, createAppThunk, problemOfRejected } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'

/** Begins it; how far it is and what it finds stand in the list, however long that takes. */
export const verify = createAppThunk('activity/verify', async (_: void, { extra: { api }, rejectWithValue }) => {
  const result = await api.call(verifyTrail, { body: { companyId: null } }, { until: 'started' })
  return result.kind === 'problem' ? rejectWithValue(result.problem) : undefined
})

export const again = createAppThunk('activity/again', (intent: Intent, { extra: { jobs } }) => jobs.again(intent))

export const dismiss = createAppThunk('activity/dismiss', (intent: Intent, { extra: { jobs } }) => jobs.dismiss(intent))

export const seen =
  (intents: readonly Intent[]): AppThunk =>
  (_dispatch, _getState, { jobs }) =>
    jobs.seen(intents)

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
      .addCase(verify.pending, () => ({ isVerifying: true, problem: null }))
      .addCase(verify.fulfilled, () => initialState)
      .addCase(verify.rejected, (_, action) => ({ isVerifying: false, problem: problemOfRejected(action) }))
      .addCase(signedOut, () => initialState)
      .addMatcher(isAnyOf(again.pending, dismiss.pending), (state) => ({ ...state, problem: null }))
      .addMatcher(isAnyOf(again.rejected, dismiss.rejected), (state, action) => ({
        ...state,
        problem: problemOfRejected(action),
      })),
})

const own = activity.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectActivity = (state: object): ActivityState => own.selectSlice(state)
