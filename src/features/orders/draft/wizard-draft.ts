/** The wizard's draft, saved on the device at every step. Drafts of earlier builds can still be read. */
import type { Intent } from '#contract/endpoint.ts'
import type { WizardValues } from '#features/orders/draft/wizard-form.ts'
import type { DisplayedFigure } from '#features/orders/quote/local-quote.ts'

/** Steps of the wizard: 0 information, 1 modules, 2 payment, 3 finish (contracts 2). */
export const steps = [0, 1, 2, 3] as const
export type WizardStep = (typeof steps)[number]

/** The figure that the user agreed to while offline. The server's figure is compared with it before anything is ordered (D89). */
export interface AgreedQuote {
  shown: DisplayedFigure
  effective_date: string
}

export interface WizardFormDraft {
  step: WizardStep
  values: WizardValues
  agreed: AgreedQuote | null
  /** Id of the unpaid order created from this draft. Ordering again from an earlier step replaces that order (D36). */
  ordered: number | null
  /** Intent of an order whose response was lost. If the order is sent again with this intent, only one order is created. */
  intent: Intent | null
}

export const createDraft = (values: WizardValues): WizardFormDraft => ({
  step: 0,
  values,
  agreed: null,
  ordered: null,
  intent: null,
})

export const getDraftName = (type: string) => `newContract:${type}`

/** Reads a stored draft. A draft of an earlier build may lack fields or have fields of other types. */
export function parseDraft(storedValue: unknown, emptyValues: WizardValues): WizardFormDraft | null {
  if (typeof storedValue !== 'object' || storedValue === null) return null
  const {
    step,
    values,
    agreed: agreedQuote,
    ordered: createdOrderId,
    intent,
  } = storedValue as { [name in keyof WizardFormDraft]?: unknown }
  if (typeof values !== 'object' || values === null) return null
  const knownEntries = Object.entries(values).filter(([name, value]) =>
    isSameKind(value, emptyValues[name as keyof WizardValues]),
  )
  return {
    step: steps.find((knownStep) => knownStep === step) ?? 0,
    values: { ...emptyValues, ...(Object.fromEntries(knownEntries) as Partial<WizardValues>) },
    agreed: (agreedQuote as AgreedQuote | null | undefined) ?? null,
    ordered: typeof createdOrderId === 'number' ? createdOrderId : null,
    intent: typeof intent === 'string' ? intent : null,
  }
}

const isSameKind = (value: unknown, example: unknown) =>
  example !== undefined && typeof value === typeof example && Array.isArray(value) === Array.isArray(example)

/** Fields that may be filled without the user: the first day is prefilled, and the company may come from the page before. */
const prefilledFields: readonly (keyof WizardValues)[] = ['period_start', 'company_id']

/** Returns whether the user has entered anything. */
export const isWorthSaving = (
  { step, values, ordered: createdOrderId }: WizardFormDraft,
  emptyValues: WizardValues,
): boolean => step !== 3 && (step > 0 || createdOrderId !== null || hasChanges(values, emptyValues))

const hasChanges = (values: WizardValues, emptyValues: WizardValues) =>
  (Object.keys(emptyValues) as (keyof WizardValues)[]).some(
    (name) => !prefilledFields.includes(name) && String(values[name]) !== String(emptyValues[name]),
  )
