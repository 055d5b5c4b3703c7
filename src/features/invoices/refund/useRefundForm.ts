import { type RefObject, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findRefusalReason, getFieldProblems, type Problem } from '#contract/problem.ts'
import { groupThousands, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { showDoneToast } from '#patterns/action-toast.ts'
import { parseTypedAmount } from '#patterns/parse-typed-amount.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { isOutcomeUnknown, useAction } from '#state/use-action.ts'
import { refundDocument } from '#features/invoices/refund/refund-api.ts'
import {
  findRefundFaults,
  getFigures,
  listRoutes,
  reasonLimit,
  type RefundDraft,
  type RefundedDocument,
  type RefundFault,
  type RefundField,
  type RefundFigures,
  type RefundValues,
} from '#features/invoices/refund/refund-form.ts'

export interface RefundFormProps {
  document: RefundedDocument
  /** What was typed before the dialog was closed. The confirmation is always typed again. */
  draft: RefundDraft
  onChange: (draft: RefundDraft) => void
  /** Called when the refund has started, or the transfer is recorded. */
  onDone: () => void
}

export type RefundForm = ReturnType<typeof useRefundForm>
const doneTexts = { gateway: 'begun', transfer: 'recorded', credit: 'credited' } as const
type RefundFaults = Partial<Record<RefundField, RefundFault>>

const fields: readonly RefundField[] = ['amount', 'reason', 'reference', 'date', 'confirmation']

/**
 * State of the form. What is typed stays after any outcome. The figures are those of the opening, until the server refuses a refund and
 * returns the current ones: a list that is requested again does not change them, because the staff would not notice. `formRef`: the element with the fields.
 */
export function useRefundForm(
  { document, draft, onChange, onDone }: RefundFormProps,
  formRef: RefObject<HTMLElement | null>,
) {
  const { t } = useTranslation('refunds')
  const { code, currency } = document
  const today = useBusinessToday()
  const [figures, setFigures] = useState(() => getFigures(document))
  const lostRef = useRef<{ intent: string; inputJson: string } | null>(null)
  const [values, setValues] = useState<RefundValues>({
    amount: writeAmount(figures.left),
    reason: '',
    route: listRoutes(document)[0],
    reference: '',
    date: '',
    ...draft,
    confirmation: '',
  })
  const [faults, setFaults] = useState<RefundFaults>({})
  const { isBusy, problem, run } = useAction(refundDocument)
  const formatAmount = (amount: Hundredths) => `${currency} ${groupThousands(writeAmount(amount))}`
  const left = formatAmount(figures.left)
  const typedAmount = parseTypedAmount(values.amount)
  const sum = typedAmount === null || typedAmount === 0n ? null : formatAmount(typedAmount)

  function change(name: keyof RefundValues, value: string) {
    setValues((current) => ({ ...current, [name]: value }))
    onChange({ ...draft, [name]: value })
    setFaults((current) => ({ ...current, [name]: undefined }))
  }

  function formatFault(name: RefundField): string | null {
    const fault = faults[name]
    return fault ? t(`fault.${fault}`, { left, code, limit: reasonLimit }) : null
  }

  function showFaults(newFaults: RefundFaults) {
    setFaults(newFaults)
    const firstName = fields.find((name) => newFaults[name])
    formRef.current?.querySelector<HTMLElement>(`[name=${firstName}]`)?.focus()
  }

  async function send() {
    const newFaults = findRefundFaults(values, { left: figures.left, code, today })
    if (Object.keys(newFaults).length > 0) return showFaults(newFaults)
    const inputJson = JSON.stringify([values, writeAmount(figures.refundedBefore)])
    const intent = lostRef.current?.inputJson === inputJson ? lostRef.current.intent : crypto.randomUUID()
    const result = await run({ document, values, figures }, { intent })
    if (result.kind === 'problem') {
      lostRef.current = isRefundUnknown(result.problem) ? { intent, inputJson } : null
      setFigures(readFigures(result.problem) ?? figures)
      return showFaults(toRefundFaults(result.problem))
    }
    showDoneToast(result, t(doneTexts[values.route], { amount: sum ?? '' }))
    onDone()
  }

  const total = formatAmount(readAmount(document.amount))
  return { values, change, formatFault, send, isBusy, problem, left, total, sum, today }
}

/** Also true for the response of a proxy, and of a server that is shutting down: the refund may have been requested before. */
export const isRefundUnknown = (problem: Problem): boolean =>
  isOutcomeUnknown(problem) || problem.code === 'BLOCKED_BY_PROXY' || problem.status >= 500

/** Returns the faults of a problem that are shown at a field. */
export function toRefundFaults(problem: Problem): RefundFaults {
  if (findRefusalReason(problem, ['tooMuch'] as const)) return { amount: 'tooMuch' }
  const fieldProblems = getFieldProblems(problem)
  if (fieldProblems.some(({ field, code }) => field === 'reference' && code === 'DUPLICATE'))
    return { reference: 'referenceUsed' }
  const names = fieldProblems.map(({ field }) => field)
  return Object.fromEntries(fields.filter((name) => names.includes(name)).map((name) => [name, name]))
}

/** Returns the figures of a refusal, which are newer than the row on the device. */
function readFigures(problem: Problem): RefundFigures | null {
  const { left, refunded_before: before } = (problem.data ?? {}) as { left?: unknown; refunded_before?: unknown }
  if (typeof left !== 'string' || typeof before !== 'string') return null
  return { left: readAmount(left), refundedBefore: readAmount(before) }
}
