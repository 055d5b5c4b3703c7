/** What may be done to a hosted service, when, and what becomes of it after its contract (contracts 4, D41, D42). */
import { type Caller, isDeleteLevel, isProviderAdmin } from '#domain/access.ts'
import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** Days that a service goes on after its contract, that its data is kept after that, and that it is kept of one that was removed. */
export const hostingDays = { grace: 7, dataRetention: 30 } as const

/** MB of a task, and how many tasks. */
export const configLimits = { minMemory: 1000, maxMemory: 8000, minTasks: -1, maxTasks: 4 } as const

/** Minutes: a log is kept for 180 days. */
export const logDays = 180

/** `periodEnd`: exclusive (D18). The first day on which it does not run. */
export const getStopDate = (periodEnd: PlainDate): PlainDate => addDays(periodEnd, hostingDays.grace)
/** The day on which the data of a service goes whose contract is over. */
export const getEraseDate = (periodEnd: PlainDate): PlainDate =>
  addDays(getStopDate(periodEnd), hostingDays.dataRetention)

/** What the days ahead are worked out of. */
export interface ServiceLifetime {
  /** Null: no contract. */
  period_end: PlainDate | null
  /** Of one that was removed. */
  erase_date: PlainDate | null
  system_status: number
  is_expired: boolean
}

/** On which day a service stops, and on which its data goes, because its contract is over or it was removed; null: it does not. */
export function getServiceEndDates(
  { period_end: end, erase_date: eraseDate, system_status: status, is_expired: isStopped }: ServiceLifetime,
  today: PlainDate,
): { stopDate: PlainDate | null; eraseDate: PlainDate | null } {
  if (status === 0 || end === null || end > today) return { stopDate: null, eraseDate }
  return { stopDate: isStopped ? null : getStopDate(end), eraseDate: getEraseDate(end) }
}

/** What people ask for. The log is read and downloaded by the rule of `log`. */
export type ServiceAction = 'create' | 'update' | 'reboot' | 'configure' | 'reset' | 'log' | 'remove' | 'delete'

/** What the rules need to know of a service. */
export interface ServiceActionTarget {
  company_id: number
  /** 0: none (D40). */
  system_status: number
  /** 0: no contract. */
  contract_id: number
  /** Reading B (D27): 1 in effect, 2 expired. */
  status: number
  /** Null: no contract. */
  period_start: PlainDate | null
  /** Not null: there is data that is kept until then. */
  erase_date: PlainDate | null
  /** It was stopped after its contract. */
  is_expired: boolean
}

/** Why something cannot be done: words stand in `locales/en/services.json`. */
export type ServiceActionRefusal =
  /** It is nobody's who asks, or asks for more than their level. */
  | 'not_allowed'
  | 'no_contract'
  | 'expired'
  /** Its contract begins later. */
  | 'not_yet'
  | 'created'
  | 'not_created'
  /** Neither a system nor data of one. */
  | 'nothing'

/** A refusal, and whether the state of the service calls for it. */
type ServiceObstacle = readonly [ServiceActionRefusal, (service: ServiceActionTarget, today: PlainDate) => boolean]

const isCreated = (service: ServiceActionTarget) => service.system_status > 0
const hasNoData = (service: ServiceActionTarget) => !isCreated(service) && service.erase_date === null

const noContract: ServiceObstacle = ['no_contract', (service) => service.contract_id === 0]
const notCreated: ServiceObstacle = ['not_created', (service) => !isCreated(service)]
const expiredObstacle: ServiceObstacle = ['expired', (service) => service.is_expired]

/** What refuses each action. The first that applies is reported. */
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

/** Null: the action is allowed now. */
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
