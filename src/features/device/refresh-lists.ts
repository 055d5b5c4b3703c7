/** Reads kept lists anew. Rows come through the page's live query; what is learned here is only how the asking went. */
import type { Endpoint } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { CachedListUsage } from '#local/space/usage.ts'
import { createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'
import { createSlice } from '@reduxjs/toolkit'

/** As many rows as one page may have: what is more the request pipeline brings by itself, where it keeps the whole list. */
const pageSize = 50

/** Rejected with the first thing that went wrong; else all were read just now. */
export const refreshLists = createAppThunk(
  'device/refresh',
  async (lists: readonly CachedListUsage[], { extra: { api }, rejectWithValue }) => {
    // Every list's call is in here, and no page carries them all.
    const { endpoints } = await import('#contract/index.ts')
    const requests = lists.flatMap(({ table, scope }) => {
      const endpoint = endpoints.find(({ list }) => list?.table === table)
      const input = endpoint && toListInput(endpoint, scope)
      return endpoint && input ? [{ endpoint, input }] : []
    })
    const results = await Promise.all(requests.map(({ endpoint, input }) => api.call(endpoint, input as never)))
    for (const result of results) {
      if (result.kind === 'problem') return rejectWithValue(result.problem)
      if (result.kind === 'cached') return rejectWithValue(createLocalProblem('OFFLINE'))
    }
    return undefined
  },
)

interface RefreshState {
  isRefreshing: boolean
  problem: Problem | null
}

const initialState: RefreshState = { isRefreshing: false, problem: null }

const deviceSlice = createSlice({
  name: 'device',
  initialState,
  reducers: { pageOpened: ({ isRefreshing }) => ({ isRefreshing, problem: null }) },
  extraReducers: (builder) =>
    builder
      .addCase(refreshLists.pending, (state) => ({ ...state, isRefreshing: true }))
      .addCase(refreshLists.fulfilled, () => initialState)
      .addCase(refreshLists.rejected, (_, action) => ({ isRefreshing: false, problem: getRejectedProblem(action) }))
      .addCase(signedOut, () => initialState),
})

const injectedSlice = deviceSlice.injectInto(rootReducer)
/** Of the whole state, whose type no feature knows. */
export const selectRefresh = (state: object): RefreshState => injectedSlice.selectSlice(state)
export const { pageOpened } = deviceSlice.actions

/** Null where it is not known whose list that is: kept by a build that did not note it. */
export function toListInput({ path, list }: Endpoint, scope: number | null) {
  const query = { results: pageSize, page: 1 }
  const scopeParam = list?.scope
  if (!scopeParam) return { query }
  if (scope === null) return null
  const scopeInput = { [scopeParam.param]: scope }
  return path.includes(`:${scopeParam.param}`) ? { params: scopeInput, query } : { query: { ...query, ...scopeInput } }
}
