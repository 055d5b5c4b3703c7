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
import { queryOf, type View } from '#features/services/list-url.ts'
import { readList } from '#local/lists/read-list.ts'
import { type AppThunk, callEndpoint } from '#state/app-thunk.ts'
import { createListSlice } from '#state/list-slice.ts'
import { type Asked, beginAndFollow, type Followed } from '#state/long-request.ts'
import { createWholeList } from '#state/whole-list.ts'

export const servicesList = createListSlice<ServiceRow, View>({
  name: 'services',
  endpoint: listServices,
  read: readList,
  queryOf,
})

/** All that the reader may see, for a page of one of them. */
export const wholeServices = createWholeList<ServiceRow>('wholeServices', listServices, readList)

/** Reads the page of that view again and says nothing of it: the rows come to the device, and from there to the screen. */
export const refreshServices =
  (view: View): AppThunk =>
  async (dispatch) => {
    await dispatch(callEndpoint(listServices, { query: queryOf(view) }))
  }

/** What is asked for of a running system. `memory` and `tasks` as D42. */
export type Wish =
  /** `hasData`: of one that was removed: its users and passwords are those of before. */
  | { kind: 'create'; contractId: number; hasData: boolean }
  | { kind: 'update' | 'reboot' | 'reset' | 'remove' | 'delete'; id: number }
  | { kind: 'configure'; id: number; memory: number; tasks: number }

const asked = <E extends Endpoint>(endpoint: E, input: InputOf<E>): Asked => ({ endpoint, input })

function askedFor(wish: Wish): Asked {
  if (wish.kind === 'create') return asked(createService, { query: { contractId: wish.contractId } })
  const { id } = wish
  switch (wish.kind) {
    case 'update':
      return asked(updateService, { params: { id } })
    case 'reboot':
      return asked(rebootService, { params: { id } })
    case 'reset':
      return asked(resetServicePassword, { params: { id } })
    case 'remove':
      return asked(removeService, { params: { id } })
    case 'delete':
      return asked(deleteService, { params: { id } })
    case 'configure':
      return asked(configureService, {
        query: { serviceId: id, task_runtime_memory: wish.memory, task_desire_count: wish.tasks },
      })
  }
}

export const operate =
  (wish: Wish, intent: Intent, onStarted: () => void): AppThunk<Followed> =>
  async (dispatch, _getState, { jobs }) => {
    const followed = await dispatch(beginAndFollow(askedFor(wish), intent, onStarted))
    // It has made no password that could be offered.
    if (followed.begun && wish.kind === 'create' && wish.hasData) await jobs.dismiss(intent)
    return followed
  }

/** Told once: whoever asks is to show it at once. */
export const takePassword = (id: number) => callEndpoint(takeServicePassword, { params: { id } })

export const recheck = (companyId: number | null) =>
  callEndpoint(recheckServices, { query: companyId === null ? {} : { companyId } })

/** A key to download a log by; empty: there is none of that time. */
export const askLogKey = (body: InputOf<typeof requestLog>['body']) => callEndpoint(requestLog, { body })

export type LogAnswer = OutputOf<typeof readServiceLog>
export type LogLine = LogAnswer['lines'][number]

export const askLog = (id: number, query: NonNullable<InputOf<typeof readServiceLog>['query']>) =>
  callEndpoint(readServiceLog, { params: { id }, query })
