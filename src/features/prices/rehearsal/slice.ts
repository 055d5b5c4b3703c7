/** Rehearsals in the store: how the latest stands, and what came of it, as long as the page lives. */
import { createSlice } from '@reduxjs/toolkit'
import type { InputOf, OutputOf } from '#contract/endpoint.ts'
import { rehearsePriceList } from '#contract/prices.ts'
import type { Problem } from '#contract/problem.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { createAppThunk, problemOfRejected } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'

export type Rehearsed = OutputOf<typeof rehearsePriceList>
type Asked = { of: string } & Pick<InputOf<typeof rehearsePriceList>['body'], 'id' | 'list'>

/** `of`: the list as it is typed, as text: what came of another one says nothing of it. */
export const rehearse = createAppThunk(
  'rehearsal/rehearse',
  async ({ of: _of, ...body }: Asked, { extra: { api }, rejectWithValue }) => {
    const result = await api.call(rehearsePriceList, { body: { ...body, progressKey: crypto.randomUUID() } })
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    return result.kind === 'fresh' ? result.output : null
  },
)

/** The rehearsal that runs on this device, begun here or before the page was opened; null: none does. */
export async function readRehearsing(): Promise<{ percent: number } | null> {
  const all = await readActivity()
  return all.find(({ endpoint, open }) => endpoint === rehearsePriceList.name && open) ?? null
}

interface RehearsalState {
  isRunning: boolean
  problem: Problem | null
  found: { of: string; result: Rehearsed } | null
}
const initialState: RehearsalState = { isRunning: false, problem: null, found: null }

const rehearsal = createSlice({
  name: 'rehearsal',
  initialState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(rehearse.pending, () => ({ isRunning: true, problem: null, found: null }))
      .addCase(rehearse.fulfilled, (_, { payload, meta }) => ({
        isRunning: false,
        problem: null,
        found: payload && { of: meta.arg.of, result: payload },
      }))
      .addCase(rehearse.rejected, (_, action) => ({
        isRunning: false,
        problem: problemOfRejected(action),
        found: null,
      }))
      .addCase(signedOut, () => initialState),
})

const own = rehearsal.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectRehearsal = (state: object): RehearsalState => own.selectSlice(state)
