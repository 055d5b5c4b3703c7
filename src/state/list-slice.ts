/** One list in the store: its last view, and the state of its latest request. Its rows are in the device's database. */
import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { Endpoint, RowRef, VersionedRow } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ListView, ReadList } from '#local/lists/list-view.ts'
import { readList } from '#local/lists/read-list.ts'
import { createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import type { toPageQuery } from '#state/list-url.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'

export type PageQuery = ReturnType<typeof toPageQuery> & Record<string, string | number | boolean | undefined>

interface ListState {
  /** Query of the list's last view, restored when the user returns to the page (C-02). It is empty for the default view. */
  savedQuery: string
  /** Id of the latest request while it runs. Results of older requests are ignored. */
  requestId: string | null
  problem: Problem | null
  /** True if the latest request brought no rows from the server, so the list shows cached rows only. */
  isCached: boolean
  /** Number of rows of the page that the server could not include. */
  leftOutCount: number
  /** Rows that were created on this page since the view last changed or the list was refreshed, latest first. */
  newRowRefs: readonly RowRef[]
}

/** A constant, so that selectors return the same array for a list without new rows. */
const noRows: readonly RowRef[] = []

interface ListSliceOptions<V> {
  name: string
  endpoint: Endpoint
  read?: ReadList
  toQuery: (view: V) => PageQuery
}

/** Creates the slice of a list, adds it to the store, and returns its selectors and actions. `useList` combines it with the rows. */
export function createListSlice<R extends VersionedRow, V>({
  name,
  endpoint,
  read = readList,
  toQuery,
}: ListSliceOptions<V>) {
  const { list } = endpoint
  if (!list) throw new Error(`${endpoint.name} is not the call of a list`)
  const param = list.scope?.param
  const isInPath = endpoint.path.includes(`:${param}`)
  const toInput = (scope: number | null, query: object) => {
    const scopeParams = param === undefined ? {} : { [param]: scope }
    return isInPath ? { params: scopeParams, query } : { query: { ...query, ...scopeParams } }
  }

  /** Requests a page and stores it on the device. `scope` is the id of a company or a service. */
  const fetchList = createAppThunk(
    `${name}/fetch`,
    async ({ scope, query }: { scope: number | null; query: PageQuery }, { extra: { api }, rejectWithValue }) => {
      const result = await api.call(endpoint, toInput(scope, query) as never)
      if (result.kind === 'problem') return rejectWithValue(result.problem)
      const problem = result.kind === 'cached' ? (result.problem ?? null) : null
      return {
        isCached: result.kind === 'cached',
        problem,
        leftOutCount: result.kind === 'fresh' ? (result.leftOutCount ?? 0) : 0,
      }
    },
  )

  const initialState: ListState = {
    savedQuery: '',
    requestId: null,
    problem: null,
    isCached: false,
    leftOutCount: 0,
    newRowRefs: noRows,
  }
  const slice = createSlice({
    name,
    initialState,
    reducers: {
      viewChanged: (state, { payload }: PayloadAction<string>) => ({
        ...state,
        savedQuery: payload,
        newRowRefs: noRows,
      }),
      rowCreated: (state, { payload }: PayloadAction<RowRef>) => ({
        ...state,
        newRowRefs: [payload, ...state.newRowRefs],
      }),
      newRowsCleared: (state) => ({ ...state, newRowRefs: noRows }),
    },
    extraReducers: (builder) =>
      builder
        .addCase(fetchList.pending, (state, { meta }) => ({ ...state, requestId: meta.requestId, problem: null }))
        .addCase(fetchList.fulfilled, (state, { meta, payload }) =>
          meta.requestId === state.requestId ? { ...state, requestId: null, ...payload } : state,
        )
        .addCase(fetchList.rejected, (state, action) =>
          action.meta.requestId === state.requestId
            ? { ...state, requestId: null, problem: getRejectedProblem(action), isCached: true }
            : state,
        )
        // The next user of this device starts with a list without filters.
        .addCase(signedOut, () => initialState),
  })
  const injectedSlice = slice.injectInto(rootReducer)

  return {
    slice,
    endpoint,
    list,
    /** Returns the input of a call for this list. `scope` is the id of a company or a service. */
    toInput,
    fetchList,
    ...slice.actions,
    selectIsFetching: (state: object) => injectedSlice.selectSlice(state).requestId !== null,
    selectIsCached: (state: object) => injectedSlice.selectSlice(state).isCached,
    selectLeftOutCount: (state: object) => injectedSlice.selectSlice(state).leftOutCount,
    selectProblem: (state: object) => injectedSlice.selectSlice(state).problem,
    selectNewRows: (state: object) => injectedSlice.selectSlice(state).newRowRefs,
    selectSavedQuery: (state: object) => injectedSlice.selectSlice(state).savedQuery,
    toQuery,
    readPage: (scope: number | null, query: PageQuery, newRowRefs?: readonly RowRef[]): Promise<ListView<R>> => {
      const { results, page, sortField, sortOrder, ...filters } = query
      return read<R>(list, { scope, filters, sort: [sortField, sortOrder], page, results, newRowRefs })
    },
  }
}

export type ListSlice<R extends VersionedRow, V> = ReturnType<typeof createListSlice<R, V>>
