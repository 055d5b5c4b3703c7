import { type RefObject, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findRefusalReason, getFieldProblems, type Problem } from '#contract/problem.ts'
import { groupThousands, writeAmount } from '#domain/money.ts'
import { showDoneToast } from '#patterns/action-toast.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { isOutcomeUnknown, useAction } from '#state/use-action.ts'
import { refundDocument } from '#features/invoices/refund/refund-api.ts'
import {
  findRefundFaults,
  getLeft,
  parseTypedAmount,
  type RefundedDocument,
  type RefundFault,
  type RefundField,
  type RefundValues,
} from '#features/invoices/refund/refund-form.ts'

export type RefundForm = ReturnType<typeof useRefundForm>
type RefundFaults = Partial<Record<RefundField, RefundFault>>

const fields: readonly RefundField[] = ['amount', 'reason', 'reference', 'date', 'confirmation']

/**
 * State of the form: what is typed stays, whatever the outcome. `formRef`: the element with the fields. `onDone`: the refund has started, or
 * the transfer is recorded.
 */
export function useRefundForm(document: RefundedDocument, formRef: RefObject<HTMLElement | null>, onDone: () => void) {
  const { t } = useTranslation('refunds')
  const { code, currency } = document
  const today = useBusinessToday()
  const lostRef = useRef<{ intent: string; inputJson: string } | null>(null)
  const [values, setValues] = useState<RefundValues>({
    amount: writeAmount(getLeft(document)),
    reason: '',
    route: 'gateway',
    reference: '',
    date: '',
    confirmation: '',
  })
  const [faults, setFaults] = useState<RefundFaults>({})
  const { isBusy, problem, run } = useAction(refundDocument)
  const formatAmount = (text: string) => `${currency} ${groupThousands(text)}`
  const left = formatAmount(readLeft(problem) ?? writeAmount(getLeft(document)))
  const typedAmount = parseTypedAmount(values.amount)
  const sum = typedAmount === null || typedAmount === 0n ? null : formatAmount(writeAmount(typedAmount))

  function change(name: keyof RefundValues, value: string) {
    setValues((current) => ({ ...current, [name]: value }))
    setFaults((current) => ({ ...current, [name]: undefined }))
  }

  function formatFault(name: RefundField): string | null {
    const fault = faults[name]
    return fault ? t(`fault.${fault}`, { left, code }) : null
  }

  function showFaults(newFaults: RefundFaults) {
    setFaults(newFaults)
    const firstName = fields.find((name) => newFaults[name])
    formRef.current?.querySelector<HTMLElement>(`[name=${firstName}]`)?.focus()
  }

  async function send() {
    const newFaults = findRefundFaults(document, values, today)
    if (Object.keys(newFaults).length > 0) return showFaults(newFaults)
    const inputJson = JSON.stringify(values)
    const intent = lostRef.current?.inputJson === inputJson ? lostRef.current.intent : crypto.randomUUID()
    const result = await run({ document, values }, { intent })
    if (result.kind === 'problem') {
      lostRef.current = isOutcomeUnknown(result.problem) ? { intent, inputJson } : null
      return showFaults(toRefundFaults(result.problem))
    }
    showDoneToast(result, t(values.route === 'gateway' ? 'begun' : 'recorded', { amount: sum ?? '' }))
    onDone()
  }

  return { values, change, formatFault, formatAmount, send, isBusy, problem, left, sum, today }
}

/** Returns the faults of a problem that are shown at a field. */
export function toRefundFaults(problem: Problem): RefundFaults {
  if (findRefusalReason(problem, ['tooMuch'] as const)) return { amount: 'tooMuch' }
  const names = getFieldProblems(problem).map(({ field }) => field)
  return Object.fromEntries(fields.filter((name) => names.includes(name)).map((name) => [name, name]))
}

/** Returns what the server says is left, which is newer than the row on the device. */
function readLeft(problem: Problem | null): string | null {
  const { left } = (problem?.data ?? {}) as { left?: unknown }
  return typeof left === 'string' ? left : null
}
