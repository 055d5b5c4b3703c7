/** State of the latest rehearsal and its result. It is lost when the page is reloaded. */
import { createSlice } from '@reduxjs/toolkit'
import type { InputOf, OutputOf } from '#contract/endpoint.ts'
import { rehearsePriceList } from '#contract/prices.ts'
import type { Problem } from '#contract/problem.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

export type RehearsalOutput = OutputOf<typeof rehearsePriceList>
type RehearsalInput = { listKey: string } & Pick<InputOf<typeof rehearsePriceList>['body'], 'id' | 'list'>

/** `listKey` is the typed list as text. A result applies only to the list with the same key. */
export const rehearse = createAppThunk(
  'rehearsal/rehearse',
  async ({ listKey: _listKey, ...body }: RehearsalInput, { extra: { api }, rejectWithValue }) => {
    const result = await api.call(rehearsePriceList, { body: { ...body, progressKey: crypto.randomUUID() } })
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    return result.kind === 'fresh' ? result.output : null
  },
)

/** Returns the rehearsal running on this device, even if it was started before a reload, or null. */
export async function readRunningRehearsal(): Promise<{ percent: number } | null> {
  const activities = await readActivity()
  return activities.find(({ endpoint, isOpen }) => endpoint === rehearsePriceList.name && isOpen) ?? null
}

interface RehearsalState {
  isRunning: boolean
  problem: Problem | null
  latestResult: { listKey: string; result: RehearsalOutput } | null
}
const initialState: RehearsalState = { isRunning: false, problem: null, latestResult: null }

const rehearsal = createSlice({
  name: 'rehearsal',
  initialState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(rehearse.pending, () => ({ isRunning: true, problem: null, latestResult: null }))
      .addCase(rehearse.fulfilled, (_, { payload, meta }) => ({
        isRunning: false,
        problem: null,
        latestResult: payload && { listKey: meta.arg.listKey, result: payload },
      }))
      .addCase(rehearse.rejected, (_, action) => ({
        isRunning: false,
        problem: getRejectedProblem(action),
        latestResult: null,
      }))
      .addCase(signedOut, () => initialState),
})

const injectedSlice = rehearsal.injectInto(rootReducer)
/** Takes the full state as `object`, because a feature does not know its type. */
export const selectRehearsal = (state: object): RehearsalState => injectedSlice.selectSlice(state)
