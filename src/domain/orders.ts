import type { ClientType } from '#domain/access.ts'
import { addYears, getLastDay, countYearsBetween } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

/** Limits of users and years, inclusive (contracts 5). */
export const userLimits = { min: 0, max: 999_999 } as const
export const yearLimits = { min: 1, max: 99 } as const
/** Years from first start to end. Contracts of an earlier version may be longer than `yearLimits`. */
export const termLimits = { min: 1, max: 9_999 } as const

/**
 * Returns the maximum number of years for an extension. The years of an expired contract are not counted, because its extension starts a
 * new term. End dates are exclusive.
 */
export function getMaxExtensionYears(
  { period_start: start, period_end: end }: { period_start: PlainDate; period_end: PlainDate },
  today: PlainDate,
): number {
  const passedYears = today < end ? countYearsBetween(start, end) : 0
  return Math.max(0, yearLimits.max - passedYears)
}

/** Maximum lengths in characters. */
export const nameLimit = 100
export const descLimit = 500

export interface PendingOrderFields {
  code: string
  name: string
  desc?: string | null | undefined
  currency: 'HKD' | 'USD' | 'RMB'
  user_mode: 'CONCURRENT' | 'NAMED'
  users: number
  period: number
  period_start: PlainDate
  modules: string[]
  uat?: 0 | 1 | undefined
  client_type?: ClientType | undefined
  price_id?: number | undefined
  amount?: string | undefined
}

/** Optimistic row of a queued order, with the amount of its offline quote, which the server may correct (D17). */
export const toPendingOrder = (draft: PendingOrderFields, write: { intent: string; companyId: number }) => {
  const periodEnd = addYears(draft.period_start, draft.period)
  return {
    id: `~${write.intent}` as const,
    company_id: write.companyId,
    code: draft.code,
    name: draft.name,
    desc: draft.desc ?? null,
    type: 'create' as const,
    client_type: draft.client_type ?? ('saas' as const),
    status: 0 as const,
    state: 'unpaid' as const,
    contract_id: 0,
    contract: null,
    currency: draft.currency,
    user_mode: draft.user_mode,
    users: draft.users,
    modules: draft.modules,
    uat: draft.uat ?? (0 as const),
    price_id: draft.price_id ?? 0,
    contract_amount: draft.amount ?? null,
    residual_amount: '0.00',
    amount: draft.amount ?? null,
    pay_amount: draft.amount ?? null,
    waived: null,
    period: draft.period,
    period_start: draft.period_start,
    period_end: periodEnd,
    expired_date: getLastDay(periodEnd),
    alert_date: null,
    online: 0 as const,
    system_status: 0 as const,
    url: null,
    admin_url: null,
    pending: null,
    dues: [],
    payment: 'none' as const,
    due: null,
    undo_until: null,
    credited: false,
    create_time: '',
    update_time: '',
    row_version: 0,
  }
}
