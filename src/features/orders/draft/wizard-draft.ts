/** The wizard's draft: what is kept of it on the device at every step, and what an earlier build left of one. */
import type { Intent } from '#contract/endpoint.ts'
import type { Values } from '#features/orders/draft/wizard-form.ts'
import type { Shown } from '#features/orders/quote/local-quote.ts'

/** 0 information, 1 modules, 2 payment, 3 finish (contracts 2). */
export type Step = 0 | 1 | 2 | 3

/** The figure that somebody agreed to without a line: the server's is compared with it before anything is ordered (D89). */
export interface Agreed {
  shown: Shown
  /** The list's day. */
  effective_date: string
}

export interface Draft {
  step: Step
  values: Values
  agreed: Agreed | null
  /** The order that was made of it; it waits to be paid, and going on from before it replaces it (D36). */
  ordered: number | null
  /** The wish whose answer was lost: sent again under it, it is made once. */
  intent: Intent | null
}

export const newDraft = (values: Values): Draft => ({ step: 0, values, agreed: null, ordered: null, intent: null })

/** Every wizard of its client type has one draft. */
export const draftName = (type: string) => `newContract:${type}`

/** What an earlier build left may lack fields, or have them of another kind. */
export function draftFrom(kept: unknown, fresh: Values): Draft | null {
  if (typeof kept !== 'object' || kept === null) return null
  const { step, values, agreed, ordered, intent } = kept as { [name in keyof Draft]?: unknown }
  if (typeof values !== 'object' || values === null) return null
  const known = Object.entries(values).filter(([name, value]) => isKind(value, fresh[name as keyof Values]))
  return {
    step: step === 1 || step === 2 || step === 3 ? step : 0,
    values: { ...fresh, ...(Object.fromEntries(known) as Partial<Values>) },
    agreed: (agreed as Agreed | null | undefined) ?? null,
    ordered: typeof ordered === 'number' ? ordered : null,
    intent: typeof intent === 'string' ? intent : null,
  }
}

const isKind = (value: unknown, like: unknown) =>
  like !== undefined && typeof value === typeof like && Array.isArray(value) === Array.isArray(like)

/** Whether there is anything that somebody would miss. The day on which it was opened is no word of theirs. */
export const isWorthKeeping = ({ step, values, ordered }: Draft, fresh: Values): boolean =>
  step !== 3 && (step > 0 || ordered !== null || differsFrom(values, fresh))

const differsFrom = (values: Values, fresh: Values) =>
  (Object.keys(fresh) as (keyof Values)[]).some(
    (name) => name !== 'period_start' && String(values[name]) !== String(fresh[name]),
  )
