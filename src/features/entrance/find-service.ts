/** The entrance in the store: how the search for a service stands. What was found stands on this device. */
import { createSlice } from '@reduxjs/toolkit'
import { createLocalProblem } from '#contract/problem.ts'
import type { Problem } from '#contract/problem.ts'
import { type EntranceService, isOptionalWebUrl, isWebUrl } from '#features/entrance/found-services.ts'
import { createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { rootReducer } from '#state/store.ts'

/** Its call brings the schemas along, and so is fetched when first needed. NOT_FOUND: the server knows none; all else: nobody could be asked, or to no avail. */
export const findService = createAppThunk(
  'entrance/find',
  async (code: string, { extra: { api }, rejectWithValue }) => {
    const { serviceUrl } = await import('#contract/public.ts')
    const result = await api.call(serviceUrl, { query: { code } })
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    const output = result.kind === 'fresh' || result.kind === 'cached' ? result.output : null
    if (!output || !isWebUrl(output.url) || !isOptionalWebUrl(output.admin_url))
      return rejectWithValue(createLocalProblem('OFFLINE'))
    const foundAt = result.kind === 'cached' ? result.asOf : Date.now()
    const service: EntranceService = { code, url: output.url, adminUrl: output.admin_url, at: foundAt }
    return service
  },
)

interface EntranceState {
  /** Of the latest search while it is under way: of several the last one counts, whose answer need not be the last to come. */
  requestId: string | null
  problem: Problem | null
}

const entranceSlice = createSlice({
  name: 'entrance',
  initialState: { requestId: null, problem: null } as EntranceState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(findService.pending, (_, { meta }) => ({ requestId: meta.requestId, problem: null }))
      .addCase(findService.fulfilled, (state, { meta }) =>
        meta.requestId === state.requestId ? { requestId: null, problem: null } : state,
      )
      .addCase(findService.rejected, (state, action) =>
        action.meta.requestId === state.requestId ? { requestId: null, problem: getRejectedProblem(action) } : state,
      ),
})

const injectedSlice = entranceSlice.injectInto(rootReducer)
export const selectIsFinding = (state: object) => injectedSlice.selectSlice(state).requestId !== null
