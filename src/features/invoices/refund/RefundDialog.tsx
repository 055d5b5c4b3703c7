import '#ui/form/forms.css'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { findRefusalReason, type Problem } from '#contract/problem.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { Field, FieldFrame, useLengthLimit } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import '#features/invoices/refund/words.ts'
import { describeGateway } from '#patterns/refunds/describe-refund.ts'
import { listRoutes, reasonLimit } from '#features/invoices/refund/refund-form.ts'
import {
  isRefundUnknown,
  type RefundForm,
  type RefundFormProps,
  toRefundFaults,
  useRefundForm,
} from '#features/invoices/refund/useRefundForm.ts'

interface RefundDialogProps extends RefundFormProps {
  onClose: () => void
}

/** Refunds an invoice or a part of it. The staff type the number of the invoice, because a refund cannot be undone. */
export function RefundDialog({ onClose, ...formProps }: RefundDialogProps) {
  const { t } = useTranslation('refunds')
  const { document } = formProps
  const { code, currency } = document
  const formRef = useRef<HTMLDivElement>(null)
  const form = useRefundForm(formProps, formRef)
  const { values, change, formatFault, sum, problem, isBusy } = form
  const disabledReason = useUnsendableReason(t('offline'))
  return (
    <ActionDialog
      title={t('title', { code })}
      onClose={onClose}
      kind="danger"
      actionLabel={sum ? t('send', { amount: sum }) : t('sendNothing')}
      {...{ isBusy, disabledReason }}
      onAction={() => void form.send()}
    >
      <div ref={formRef} className="form">
        <RefundProblem problem={problem} left={form.left} />
        <p>{t('text', { left: form.left, amount: form.total })}</p>
        <Field
          name="amount"
          size="date"
          inputMode="decimal"
          autoComplete="off"
          label={t('amount', { currency })}
          value={values.amount}
          error={formatFault('amount')}
          onChange={({ target }) => change('amount', target.value)}
        />
        <ReasonField form={form} />
        <RouteFields form={form} method={document.method} />
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

function ReasonField({ form: { values, change, formatFault } }: { form: RefundForm }) {
  const { t } = useTranslation('refunds')
  const { error, input } = useLengthLimit<HTMLTextAreaElement>(reasonLimit, {
    value: values.reason,
    error: formatFault('reason'),
  })
  return (
    <FieldFrame label={t('reason')} help={t('reasonHelp')} error={error}>
      {(controlProps) => (
        <textarea
          name="reason"
          className="input"
          rows={2}
          value={values.reason}
          onChange={({ target }) => change('reason', target.value)}
          {...input}
          {...controlProps}
        />
      )}
    </FieldFrame>
  )
}

const routeHelp = { gateway: 'gatewayHelp', credit: 'creditHelp', transfer: 'transferHelp' } as const

/** A transfer also has the bank's reference and a date. */
function RouteFields({ form, method }: { form: RefundForm; method: string }) {
  const { t } = useTranslation('refunds')
  const { values, change, formatFault, today } = form
  const gateway = describeGateway(method, t)
  const options = listRoutes({ method }).map((route) => ({
    value: route,
    label: t(route, { gateway }),
    help: t(routeHelp[route]),
  }))
  return (
    <>
      <RadioField
        name="route"
        label={t('route')}
        selectedValue={values.route}
        options={options}
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
    </>
  )
}

/** Problems of a field are shown at the field. */
function RefundProblem({ problem, left }: { problem: Problem | null; left: string }) {
  const { t } = useTranslation('refunds')
  if (problem && Object.keys(toRefundFaults(problem)).length > 0) return null
  const reason = findRefusalReason(problem, ['disputed', 'returned', 'noGateway', 'changed', 'credited'] as const)
  return (
    <ProblemNote
      problem={problem}
      title={t(problem && isRefundUnknown(problem) ? 'unknown' : 'failed')}
      reason={reason && t(`why.${reason}`, { left })}
      shouldFocus
    />
  )
}
