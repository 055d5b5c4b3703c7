/** The entrance in the store: how the search for a service stands. What was found stands on this device. */
import { createSlice } from '@reduxjs/toolkit'
import { localProblem } from '#contract/problem.ts'
import type { Problem } from '#contract/problem.ts'
import { type Found, isWay, isWeb } from '#features/entrance/found-services.ts'
import { createAppThunk, problemOfRejected } from '#state/app-thunk.ts'
import { root } from '#state/store.ts'

/** Its call brings the schemas along, and so is fetched when first needed. NOT_FOUND: the server knows none; all else: nobody could be asked, or to no avail. */
export const findService = createAppThunk(
  'entrance/find',
  async (code: string, { extra: { api }, rejectWithValue }) => {
    const { serviceUrl } = await import('#contract/public.ts')
    const result = await api.call(serviceUrl, { query: { code } })
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    const said = result.kind === 'fresh' || result.kind === 'kept' ? result.output : null
    if (!said || !isWeb(said.url) || !isWay(said.admin_url)) return rejectWithValue(localProblem('OFFLINE'))
    const at = result.kind === 'kept' ? result.asOf : Date.now()
    const found: Found = { code, url: said.url, adminUrl: said.admin_url, at }
    return found
  },
)

interface Entrance {
  /** Of the latest search while it is under way: of several the last one counts, whose answer need not be the last to come. */
  requestId: string | null
  problem: Problem | null
}

const entrance = createSlice({
  name: 'entrance',
  initialState: { requestId: null, problem: null } as Entrance,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(findService.pending, (_, { meta }) => ({ requestId: meta.requestId, problem: null }))
      .addCase(findService.fulfilled, (state, { meta }) =>
        meta.requestId === state.requestId ? { requestId: null, problem: null } : state,
      )
      .addCase(findService.rejected, (state, action) =>
        action.meta.requestId === state.requestId ? { requestId: null, problem: problemOfRejected(action) } : state,
      ),
})

const own = entrance.injectInto(root)
export const selectIsFinding = (state: object) => own.selectSlice(state).requestId !== null
