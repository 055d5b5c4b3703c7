/** Reads one record or response, live from the device, and fetches it when the component mounts and when the connection changes. */
import { createSlice } from '@reduxjs/toolkit'
import { useCallback } from 'react'
import type { Endpoint, InputOf, OutputOf, RowRef, VersionedRow } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { readRowTime, readSingleRow } from '#local/lists/read-row.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { createAppThunk, getRejectedProblem } from '#state/app-thunk.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { signedOut } from '#state/session-slice.ts'
import { rootReducer } from '#state/store.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'

interface RecordRequest {
  endpoint: Endpoint
  /** The input as JSON. Requests with equal text are the same request. */
  input: string
}

const toRequestKey = ({ endpoint, input }: RecordRequest) => `${endpoint.name} ${input}`

const fetchRecord = createAppThunk(
  'records/fetch',
  async (request: RecordRequest, { extra: { api }, rejectWithValue }) => {
    const result = await api.call(request.endpoint, JSON.parse(request.input) as never)
    if (result.kind === 'problem') return rejectWithValue(result.problem)
    // The device had a stored response, and the server returned a problem in place of a newer one.
    return result.kind === 'cached' ? (result.problem ?? null) : null
  },
)

interface RequestState {
  /** Id of the latest request while it runs. */
  requestId: string | null
  problem: Problem | null
}

type RecordsState = Record<string, RequestState>

const records = createSlice({
  name: 'records',
  initialState: {} as RecordsState,
  reducers: {},
  extraReducers: (builder) => {
    const endRequest = (
      state: RecordsState,
      meta: { arg: RecordRequest; requestId: string },
      problem: Problem | null,
    ): RecordsState => {
      const key = toRequestKey(meta.arg)
      return state[key]?.requestId === meta.requestId ? { ...state, [key]: { requestId: null, problem } } : state
    }
    builder
      .addCase(fetchRecord.pending, (state, { meta }) => ({
        ...state,
        [toRequestKey(meta.arg)]: { requestId: meta.requestId, problem: null },
      }))
      .addCase(fetchRecord.fulfilled, (state, { meta, payload }) => endRequest(state, meta, payload))
      .addCase(fetchRecord.rejected, (state, action) => endRequest(state, action.meta, getRejectedProblem(action)))
      .addCase(signedOut, () => ({}))
  },
})
const injectedSlice = records.injectInto(rootReducer)
const selectRecords = (state: object): RecordsState => injectedSlice.selectSlice(state)

interface RecordState<T> {
  /** Undefined until the device has been read, null if it has no record. */
  record: T | null | undefined
  /**
   * Server time of the record (epoch ms), or null without a response. For a row, it is the later of the row's own response and its list's.
   */
  asOf: number | null
  isFetching: boolean
  problem: Problem | null
  refetch: () => Promise<void>
}

interface RowAddress {
  table: string
  id: RowRef
}

/**
 * Returns the record. `input` is null while the caller cannot determine it yet. With `row` the record is that row of the table, with its
 * waiting writes applied.
 */
export function useRecord<E extends Endpoint>(endpoint: E, input: InputOf<E> | null): RecordState<OutputOf<E>>
export function useRecord<R extends VersionedRow>(
  endpoint: Endpoint,
  input: object | null,
  row: RowAddress,
): RecordState<OverlaidRow<R>>
export function useRecord(endpoint: Endpoint, input: unknown, row?: RowAddress): RecordState<unknown> {
  const dispatch = useDispatch()
  const json = input === null ? null : JSON.stringify(input)
  const request = useSelector((state): RequestState | undefined =>
    json === null ? undefined : selectRecords(state)[toRequestKey({ endpoint, input: json })],
  )
  const refetch = useCallback(async () => {
    if (json !== null) await dispatch(fetchRecord({ endpoint, input: json }))
  }, [dispatch, endpoint, json])
  useFetch(useCallback(() => void refetch(), [refetch]))
  const stored = useLiveQuery(
    async () => json !== null && { json, ...(await readStored(endpoint, json, row)) },
    [endpoint, json, row?.table, row?.id],
  )
  const { requestId, problem } = request ?? noRequest
  // The previous record stays until the next is read, but never for another input.
  const { record, asOf } = stored && stored.json === json ? stored : unreadRecord
  return { record, asOf, isFetching: requestId !== null, problem, refetch }
}

const noRequest: RequestState = { requestId: null, problem: null }
const unreadRecord = { record: undefined, asOf: null }

async function readStored(endpoint: Endpoint, json: string, row: RowAddress | undefined) {
  const input: unknown = JSON.parse(json)
  const response = await readAgedResponse(endpoint, input as never)
  if (!row) return { record: response ? response.output : null, asOf: response?.asOf ?? null }
  const { path } = toHttpRequest(endpoint, input as never)
  const record = await readSingleRow(path, row.table, row.id)
  const asOf = Math.max(response?.asOf ?? 0, (await readRowTime(row.table, row.id)) ?? 0)
  return { record, asOf: asOf || null }
}
