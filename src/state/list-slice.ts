/** One list in the store: which view was left, and how its latest request stands. Its rows stay in the device's database. */
import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { Endpoint, Id, Row } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ListView, ReadList } from '#local/lists/list-view.ts'
import { createAppThunk, problemOfRejected } from '#state/app-thunk.ts'
import type { pageOf } from '#state/list-url.ts'
import { signedOut } from '#state/session-slice.ts'
import { root } from '#state/store.ts'

/** What the server is asked for; everything but page and order is a filter. */
export type PageQuery = ReturnType<typeof pageOf> & Record<string, string | number | boolean | undefined>

interface ListState {
  /** The query of the address when the page was left (C-02); empty for the plain list. */
  savedQuery: string
  /** Of the latest request while it is under way: an older answer no longer speaks for the list. */
  requestId: string | null
  problem: Problem | null
  /** The latest request brought nothing from the server: what the device has is all there is. */
  isKept: boolean
  /** Rows of the page that the server could not show. */
  leftOut: number
  /** Rows created since the user last asked for the list, newest first. */
  newRows: readonly Id[]
}

/** The same each time: who watches it hears nothing of a list that was empty and is. */
const noRows: readonly Id[] = []

interface Options<V> {
  name: string
  endpoint: Endpoint
  read: ReadList
  queryOf: (view: V) => PageQuery
}

/** The slice of a list, injected into the store, and what reads and changes it; `useList` joins it with the rows. */
export function createListSlice<R extends Row, V>({ name, endpoint, read, queryOf }: Options<V>) {
  const { list } = endpoint
  if (!list) throw new Error(`${endpoint.name} is no list`)
  const param = list.scope?.param
  const isInPath = endpoint.path.includes(`:${param}`)

  /** Brings the page of the query to the device; `scope`: the company, the service. */
  const fetchList = createAppThunk(
    `${name}/fetch`,
    async ({ scope, query }: { scope: number | null; query: PageQuery }, { extra: { api }, rejectWithValue }) => {
      const own = param === undefined ? {} : { [param]: scope }
      const asked = isInPath ? { params: own, query } : { query: { ...query, ...own } }
      const result = await api.call(endpoint, asked as never)
      if (result.kind === 'problem') return rejectWithValue(result.problem)
      const problem = result.kind === 'kept' ? (result.problem ?? null) : null
      return { isKept: result.kind === 'kept', problem, leftOut: result.kind === 'fresh' ? (result.leftOut ?? 0) : 0 }
    },
  )

  const initialState: ListState = {
    savedQuery: '',
    requestId: null,
    problem: null,
    isKept: false,
    leftOut: 0,
    newRows: noRows,
  }
  const slice = createSlice({
    name,
    initialState,
    reducers: {
      viewChanged: (state, { payload }: PayloadAction<string>) => ({ ...state, savedQuery: payload, newRows: noRows }),
      rowCreated: (state, { payload }: PayloadAction<Id>) => ({ ...state, newRows: [payload, ...state.newRows] }),
      newRowsCleared: (state) => ({ ...state, newRows: noRows }),
    },
    extraReducers: (builder) =>
      builder
        .addCase(fetchList.pending, (state, { meta }) => ({ ...state, requestId: meta.requestId, problem: null }))
        .addCase(fetchList.fulfilled, (state, { meta, payload }) =>
          meta.requestId === state.requestId ? { ...state, requestId: null, ...payload } : state,
        )
        .addCase(fetchList.rejected, (state, action) =>
          action.meta.requestId === state.requestId
            ? { ...state, requestId: null, problem: problemOfRejected(action), isKept: true }
            : state,
        )
        // The next user of this device begins with a plain list.
        .addCase(signedOut, () => initialState),
  })
  const own = slice.injectInto(root)

  return {
    slice,
    fetchList,
    ...slice.actions,
    selectIsFetching: (state: object) => own.selectSlice(state).requestId !== null,
    selectIsKept: (state: object) => own.selectSlice(state).isKept,
    selectLeftOut: (state: object) => own.selectSlice(state).leftOut,
    selectProblem: (state: object) => own.selectSlice(state).problem,
    selectNewRows: (state: object) => own.selectSlice(state).newRows,
    selectSavedQuery: (state: object) => own.selectSlice(state).savedQuery,
    queryOf,
    /** The page as this device has it; for a live query. */
    readPage: (scope: number | null, query: PageQuery, newRows?: readonly Id[]): Promise<ListView<R>> => {
      const { results, page, sortField, sortOrder, ...filters } = query
      return read<R>(list, { scope, filters, sort: [sortField, sortOrder], page, results, newRows })
    },
  }
}

export type ListSlice<R extends Row, V> = ReturnType<typeof createListSlice<R, V>>
