/** The lists of services in the store, and thunks for the calls that change a service. Rows stay on the device. */
import type { Intent } from '#contract/endpoint.ts'
import {
  createService,
  deleteService,
  listServices,
  rebootService,
  removeService,
  resetServicePassword,
  type ServiceRow,
  updateService,
} from '#contract/services.ts'
import type { PlainDate } from '#domain/time.ts'
import { type ServicesView, toListQuery } from '#features/services/view.ts'
import type { CallOptions, CallResult } from '#request/call-results.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'

export const servicesList = createListSlice<ServiceRow, ServicesView & { today?: PlainDate }>({
  name: 'services',
  endpoint: listServices,
  toQuery: toListQuery,
})

export const allServices = createCompleteListSlice<ServiceRow>('wholeServices', listServices)

/** Fetches the page of the view in the background, without a busy state and without showing a problem. */
export const refreshServices =
  (view: ServicesView & { today?: PlainDate }): AppThunk =>
  async (dispatch) => {
    await dispatch(callEndpoint(listServices, { query: toListQuery(view) }))
  }

export type ServiceOperationRequest =
  /** `hasData` means that the service was removed before. It is restored with its users and passwords. */
  { kind: 'create'; contractId: number; hasData: boolean } | { kind: keyof typeof operationEndpoints; id: number }

const operationEndpoints = {
  update: updateService,
  reboot: rebootService,
  reset: resetServicePassword,
  remove: removeService,
  delete: deleteService,
}

export const callServiceOperation = (
  operation: ServiceOperationRequest,
  options: CallOptions,
): AppThunk<CallResult<unknown>> =>
  operation.kind === 'create'
    ? callEndpoint(createService, { query: { contractId: operation.contractId } }, options)
    : callEndpoint(operationEndpoints[operation.kind], { params: { id: operation.id } }, options)

export const dismissJob =
  (intent: Intent): AppThunk =>
  (_dispatch, _getState, { jobActions }) =>
    jobActions.dismiss(intent)
