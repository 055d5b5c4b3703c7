import '#ui/form/forms.css'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findRefusalReason, getFieldProblems, type Problem } from '#contract/problem.ts'
import { groupThousands, writeAmount } from '#domain/money.ts'
import { showDoneToast } from '#patterns/action-toast.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { isOutcomeUnknown, useAction } from '#state/use-action.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { Field, FieldFrame, useLengthLimit } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import '#features/invoices/refund/words.ts'
import { refundDocument } from '#features/invoices/refund/refund-api.ts'
import {
  findRefundFaults,
  getLeft,
  parseTypedAmount,
  reasonLimit,
  type RefundedDocument,
  type RefundFault,
  type RefundField,
  type RefundValues,
} from '#features/invoices/refund/refund-form.ts'

interface RefundDialogProps {
  document: RefundedDocument
  onClose: () => void
  /** Called when the refund has started, or the transfer is recorded. */
  onDone: () => void
}

const providers = ['stripe', 'alipay', 'globalAlipay', 'simulate'] as const
const fields: readonly RefundField[] = ['amount', 'reason', 'reference', 'date', 'confirmation']

/** Refunds an invoice or a part of it. The staff type the number of the invoice, because a refund cannot be undone. */
export function RefundDialog({ document, onClose, onDone }: RefundDialogProps) {
  const { t } = useTranslation('refunds')
  const { code, currency, amount, method } = document
  const today = useBusinessToday()
  const formRef = useRef<HTMLDivElement>(null)
  const lostRef = useRef<{ intent: string; inputJson: string } | null>(null)
  const [values, setValues] = useState<RefundValues>({
    amount: writeAmount(getLeft(document)),
    reason: '',
    route: 'gateway',
    reference: '',
    date: '',
    confirmation: '',
  })
  const [faults, setFaults] = useState<Partial<Record<RefundField, RefundFault>>>({})
  const { isBusy, problem, run } = useAction(refundDocument)
  const disabledReason = useUnsendableReason(t('offline'))
  const formatAmount = (text: string) => `${currency} ${groupThousands(text)}`
  const left = readLeft(problem) ?? writeAmount(getLeft(document))
  const typedAmount = parseTypedAmount(values.amount)
  const sum = typedAmount === null || typedAmount === 0n ? null : formatAmount(writeAmount(typedAmount))
  const provider = providers.find((candidate) => candidate === method)
  const reasonProps = useLengthLimit<HTMLTextAreaElement>(reasonLimit, {
    value: values.reason,
    error: formatFault('reason'),
  })

  function change(name: keyof RefundValues, value: string) {
    setValues((current) => ({ ...current, [name]: value }))
    setFaults(({ [name as RefundField]: _fixed, ...rest }) => rest)
  }

  function formatFault(name: RefundField): string | null {
    const fault = faults[name]
    return fault ? t(`fault.${fault}`, { left: formatAmount(left), code }) : null
  }

  function showFaults(newFaults: Partial<Record<RefundField, RefundFault>>) {
    setFaults(newFaults)
    const [first] = fields.filter((name) => newFaults[name])
    formRef.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus()
  }

  async function send() {
    const newFaults = findRefundFaults(document, values, today)
    if (Object.keys(newFaults).length > 0) return showFaults(newFaults)
    const inputJson = JSON.stringify(values)
    const intent = lostRef.current?.inputJson === inputJson ? lostRef.current.intent : crypto.randomUUID()
    const result = await run({ document, values }, { intent })
    if (result.kind === 'problem') {
      lostRef.current = isOutcomeUnknown(result.problem) ? { intent, inputJson } : null
      return showFaults(toFaults(result.problem))
    }
    showDoneToast(result, t(values.route === 'gateway' ? 'begun' : 'recorded', { amount: sum ?? '' }))
    onDone()
  }

  return (
    <ActionDialog
      title={t('title', { code })}
      onClose={onClose}
      kind="danger"
      actionLabel={sum ? t('send', { amount: sum }) : t('sendNothing')}
      {...{ isBusy, disabledReason }}
      onAction={() => void send()}
    >
      <div ref={formRef} className="form">
        <RefundProblem problem={problem} />
        <p>{t('text', { left: formatAmount(left), amount: formatAmount(amount) })}</p>
        <Field
          name="amount"
          size="figures"
          inputMode="decimal"
          autoComplete="off"
          label={t('amount', { currency })}
          value={values.amount}
          error={formatFault('amount')}
          onChange={({ target }) => change('amount', target.value)}
        />
        <FieldFrame label={t('reason')} help={t('reasonHelp')} error={reasonProps.error}>
          {(controlProps) => (
            <textarea
              name="reason"
              className="input"
              rows={2}
              value={values.reason}
              onChange={({ target }) => change('reason', target.value)}
              {...reasonProps.input}
              {...controlProps}
            />
          )}
        </FieldFrame>
        <RadioField
          name="route"
          label={t('route')}
          selectedValue={values.route}
          options={[
            {
              value: 'gateway',
              label: t('gateway', { gateway: provider ? t(`provider.${provider}`) : method }),
              help: t('gatewayHelp'),
            },
            { value: 'transfer', label: t('transfer'), help: t('transferHelp') },
          ]}
          onChange={({ target }) => change('route', target.value)}
        />
        {values.route === 'transfer' && (
          <>
            <Field
              name="reference"
              autoComplete="off"
              maxLength={100}
              label={t('reference')}
              value={values.reference}
              error={formatFault('reference')}
              onChange={({ target }) => change('reference', target.value)}
            />
            <DateField
              name="date"
              label={t('date')}
              max={today ?? undefined}
              value={values.date}
              error={formatFault('date')}
              onChange={(text) => change('date', text)}
            />
          </>
        )}
        <Field
          name="confirmation"
          size="code"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          label={t('confirmation')}
          help={t('confirmationHelp', { code })}
          value={values.confirmation}
          error={formatFault('confirmation')}
          onChange={({ target }) => change('confirmation', target.value)}
        />
        {disabledReason && <p className="field-help">{disabledReason}</p>}
      </div>
    </ActionDialog>
  )
}

/** Problems of a field are shown at the field. */
function RefundProblem({ problem }: { problem: Problem | null }) {
  const { t } = useTranslation('refunds')
  if (problem && Object.keys(toFaults(problem)).length > 0) return null
  const reason = findRefusalReason(problem, ['disputed', 'noGateway'] as const)
  return (
    <ProblemNote problem={problem} title={t('failed')} shouldFocus>
      {reason && <p>{t(`why.${reason}`)}</p>}
    </ProblemNote>
  )
}

function toFaults(problem: Problem): Partial<Record<RefundField, RefundFault>> {
  if (findRefusalReason(problem, ['tooMuch'] as const)) return { amount: 'tooMuch' }
  const names = getFieldProblems(problem).map(({ field }) => field)
  return Object.fromEntries(fields.filter((name) => names.includes(name)).map((name) => [name, name]))
}

/** Returns what the server says is left, which is newer than the row on the device. */
function readLeft(problem: Problem | null): string | null {
  const { left } = (problem?.data ?? {}) as { left?: unknown }
  return typeof left === 'string' ? left : null
}
