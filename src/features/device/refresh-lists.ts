/** Reads kept lists anew. Rows come through the page's live query; what is learned here is only how the asking went. */
import type { Endpoint } from '#contract/endpoint.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { CachedListInfo } from '#local/space/usage.ts'
import { createAppThunk, problemOfRejected } from '#state/app-thunk.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'
import { createSlice } from '@reduxjs/toolkit'

/** As many rows as one page may have: what is more the request pipeline brings by itself, where it keeps the whole list. */
const results = 50

/** Rejected with the first thing that went wrong; else all were read just now. */
export const refreshLists = createAppThunk(
  'device/refresh',
  async (lists: readonly CachedListInfo[], { extra: { api }, rejectWithValue }) => {
    // Every list's call is in here, and no page carries them all.
    const { endpoints } = await import('#contract/index.ts')
    const asks = lists.flatMap(({ table, scope }) => {
      const endpoint = endpoints.find(({ list }) => list?.table === table)
      const asked = endpoint && askedFor(endpoint, scope)
      return endpoint && asked ? [{ endpoint, asked }] : []
    })
    const answers = await Promise.all(asks.map(({ endpoint, asked }) => api.call(endpoint, asked as never)))
    for (const answer of answers) {
      if (answer.kind === 'problem') return rejectWithValue(answer.problem)
      if (answer.kind === 'kept') return rejectWithValue(localProblem('OFFLINE'))
    }
    return undefined
  },
)

interface RefreshState {
  isRefreshing: boolean
  problem: Problem | null
}

const initialState: RefreshState = { isRefreshing: false, problem: null }

const device = createSlice({
  name: 'device',
  initialState,
  reducers: { pageOpened: ({ isRefreshing }) => ({ isRefreshing, problem: null }) },
  extraReducers: (builder) =>
    builder
      .addCase(refreshLists.pending, (state) => ({ ...state, isRefreshing: true }))
      .addCase(refreshLists.fulfilled, () => initialState)
      .addCase(refreshLists.rejected, (_, action) => ({ isRefreshing: false, problem: problemOfRejected(action) }))
      .addCase(signedOut, () => initialState),
})

const own = device.injectInto(root)
/** Of the whole state, whose type no feature knows. */
export const selectRefresh = (state: object): RefreshState => own.selectSlice(state)
export const { pageOpened } = device.actions

/** Null where it is not known whose list that is: kept by a build that did not note it. */
export function askedFor({ path, list }: Endpoint, scope: number | null) {
  const query = { results, page: 1 }
  const named = list?.scope
  if (!named) return { query }
  if (scope === null) return null
  const own = { [named.param]: scope }
  return path.includes(`:${named.param}`) ? { params: own, query } : { query: { ...query, ...own } }
}
