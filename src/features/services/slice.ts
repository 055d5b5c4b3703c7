/** Services in the store: their list, and the calls that touch a running system. Rows are the device's and never come here. */
import type { Endpoint, InputOf, Intent, OutputOf } from '#contract/endpoint.ts'
import {
  configureService,
  createService,
  deleteService,
  listServices,
  readServiceLog,
  rebootService,
  recheckServices,
  removeService,
  requestLog,
  resetServicePassword,
  type ServiceRow,
  takeServicePassword,
  updateService,
} from '#contract/services.ts'
import { toListQuery, type ServicesView } from '#features/services/view.ts'
import { readList } from '#local/lists/read-list.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { type LongRequest, followLongRequest, type LongRequestResult } from '#state/long-request.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'

export const servicesList = createListSlice<ServiceRow, ServicesView>({
  name: 'services',
  endpoint: listServices,
  read: readList,
  toQuery: toListQuery,
})

/** All that the reader may see, for a page of one of them. */
export const allServices = createCompleteListSlice<ServiceRow>('wholeServices', listServices, readList)

/** Reads the page of that view again and says nothing of it: the rows come to the device, and from there to the screen. */
export const refreshServices =
  (view: ServicesView): AppThunk =>
  async (dispatch) => {
    await dispatch(callEndpoint(listServices, { query: toListQuery(view) }))
  }

/** What is asked for of a running system. `memory` and `tasks` as D42. */
export type ServiceOperationRequest =
  /** `hasData`: of one that was removed: its users and passwords are those of before. */
  | { kind: 'create'; contractId: number; hasData: boolean }
  | { kind: 'update' | 'reboot' | 'reset' | 'remove' | 'delete'; id: number }
  | { kind: 'configure'; id: number; memory: number; tasks: number }

const createLongRequest = <E extends Endpoint>(endpoint: E, input: InputOf<E>): LongRequest => ({ endpoint, input })

function toLongRequest(operation: ServiceOperationRequest): LongRequest {
  if (operation.kind === 'create')
    return createLongRequest(createService, { query: { contractId: operation.contractId } })
  const { id } = operation
  switch (operation.kind) {
    case 'update':
      return createLongRequest(updateService, { params: { id } })
    case 'reboot':
      return createLongRequest(rebootService, { params: { id } })
    case 'reset':
      return createLongRequest(resetServicePassword, { params: { id } })
    case 'remove':
      return createLongRequest(removeService, { params: { id } })
    case 'delete':
      return createLongRequest(deleteService, { params: { id } })
    case 'configure':
      return createLongRequest(configureService, {
        query: { serviceId: id, task_runtime_memory: operation.memory, task_desire_count: operation.tasks },
      })
  }
}

export const startServiceOperation =
  (operation: ServiceOperationRequest, intent: Intent, onStarted: () => void): AppThunk<LongRequestResult> =>
  async (dispatch, _getState, { jobActions: jobs }) => {
    const followResult = await dispatch(followLongRequest(toLongRequest(operation), intent, onStarted))
    // It has made no password that could be offered.
    if (followResult.isStarted && operation.kind === 'create' && operation.hasData) await jobs.dismiss(intent)
    return followResult
  }

/** Told once: whoever asks is to show it at once. */
export const takePassword = (id: number) => callEndpoint(takeServicePassword, { params: { id } })

export const recheckServicesNow = (companyId: number | null) =>
  callEndpoint(recheckServices, { query: companyId === null ? {} : { companyId } })

/** A key to download a log by; empty: there is none of that time. */
export const requestLogKey = (body: InputOf<typeof requestLog>['body']) => callEndpoint(requestLog, { body })

export type LogResponse = OutputOf<typeof readServiceLog>
export type ServiceLogLine = LogResponse['lines'][number]

export const fetchLog = (id: number, query: NonNullable<InputOf<typeof readServiceLog>['query']>) =>
  callEndpoint(readServiceLog, { params: { id }, query })
