/** Allowed actions on a hosted service, and its dates after the contract (contracts 4, D41, D42). */
import { type Caller, isDeleteLevel, isProviderAdmin } from '#domain/access.ts'
import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/**
 * `grace`: days that a service runs after its contract. `dataRetention`: days that its data is stored after the service was stopped or
 * removed.
 */
export const hostingDays = { grace: 7, dataRetention: 30 } as const

/** Memory of a task in MB, and number of tasks. */
export const configLimits = { minMemory: 1000, maxMemory: 8000, minTasks: -1, maxTasks: 4 } as const

/** Retention of service logs, as required by the meeting minutes. */
export const logDays = 180

/** Returns the first day on which the service does not run. `periodEnd` is exclusive (D18). */
export const getStopDate = (periodEnd: PlainDate): PlainDate => addDays(periodEnd, hostingDays.grace)
export const getEraseDate = (periodEnd: PlainDate): PlainDate =>
  addDays(getStopDate(periodEnd), hostingDays.dataRetention)

export interface ServiceLifetime {
  /** Null without a contract. */
  period_end: PlainDate | null
  /** Set for a removed service. */
  erase_date: PlainDate | null
  system_status: number
  is_expired: boolean
}

/** Returns the days on which a service stops and its data is erased, or null. */
export function getServiceEndDates(
  { period_end: end, erase_date: eraseDate, system_status: status, is_expired: isStopped }: ServiceLifetime,
  today: PlainDate,
): { stopDate: PlainDate | null; eraseDate: PlainDate | null } {
  if (status === 0 || end === null || end > today) return { stopDate: null, eraseDate }
  return { stopDate: isStopped ? null : getStopDate(end), eraseDate: getEraseDate(end) }
}

export type ServiceAction = 'create' | 'update' | 'reboot' | 'configure' | 'reset' | 'log' | 'remove' | 'delete'

export interface ServiceActionTarget {
  company_id: number
  /** 0 if there is no system (D40). */
  system_status: number
  /** 0 without a contract. */
  contract_id: number
  /** Reading B (D27): 1 in effect, 2 expired. */
  status: number
  period_start: PlainDate | null
  /** If set, data is stored until that day. */
  erase_date: PlainDate | null
  is_expired: boolean
}

/** Reasons why an action is refused. Texts are in `locales/en/services.json`. */
export type ServiceActionRefusal =
  /** The service belongs to another company, or the action needs a higher level. */
  'not_allowed' | 'no_contract' | 'expired' | 'not_yet' | 'created' | 'not_created' | 'nothing'

type ServiceObstacle = readonly [ServiceActionRefusal, (service: ServiceActionTarget, today: PlainDate) => boolean]

const isCreated = (service: ServiceActionTarget) => service.system_status > 0
const hasNoData = (service: ServiceActionTarget) => !isCreated(service) && service.erase_date === null

const noContract: ServiceObstacle = ['no_contract', (service) => service.contract_id === 0]
const notCreated: ServiceObstacle = ['not_created', (service) => !isCreated(service)]
const expiredObstacle: ServiceObstacle = ['expired', (service) => service.is_expired]

/** Obstacles of each action. The first one that applies is reported. */
const serviceObstacles: Record<ServiceAction, readonly ServiceObstacle[]> = {
  create: [
    noContract,
    ['expired', (service) => service.status === 2],
    ['not_yet', ({ period_start: start }, today) => start !== null && start > today],
    ['created', isCreated],
  ],
  update: [notCreated, expiredObstacle],
  reboot: [notCreated, expiredObstacle],
  configure: [notCreated],
  remove: [notCreated],
  reset: [noContract, notCreated],
  log: [['not_created', hasNoData]],
  delete: [['nothing', hasNoData]],
}

export function getServiceActionRefusal(
  action: ServiceAction,
  service: ServiceActionTarget,
  caller: Caller,
  today: PlainDate,
): ServiceActionRefusal | null {
  const isOwn = caller.order && service.company_id === caller.companyId
  if (!isOwn && !isProviderAdmin(caller)) return 'not_allowed'
  if (action === 'delete' && !isDeleteLevel(caller) && !(isOwn && service.status === 2)) return 'not_allowed'
  return serviceObstacles[action].find(([, applies]) => applies(service, today))?.[0] ?? null
}
