import { type FormEvent, useEffect, useId, useRef } from 'react'
import type { BackupOrderRow } from '#contract/backups.ts'
import type { Problem } from '#contract/problem.ts'
import { type OrderRefusal, orderRefusals } from '#domain/backups.ts'
import type { Currency } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import { useConnection } from '#state/hooks.ts'
import { amountText } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { PayableNote } from '#ui/display/PayableNote.tsx'
import { isNotPayable, payableWords } from '#ui/i18n/payable-messages.ts'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { FieldFrame } from '#ui/form/Field.tsx'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { readingTime } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { Notice } from '#features/backups/Notice.tsx'
import type { OrderParts } from '#features/backups/order-parts.ts'
import { type BackupPrice, type Bounds, quoteBackup } from '#features/backups/backup-quote.ts'
import { useBackupFault } from '#features/backups/subscribe/useBackupFault.ts'
import { Sum } from '#features/backups/subscribe/Sum.tsx'
import { seenDraft, type SubscribeDraft, termsOf } from '#features/backups/subscribe/subscribe-form.ts'
import { useOrdering } from '#features/backups/subscribe/useOrdering.ts'
import { useWhyOffline } from '#features/backups/useWhyOffline.ts'

interface Props {
  serviceId: number
  draft: SubscribeDraft
  /** Null: the form goes. */
  onChange: (draft: SubscribeDraft | null) => void
  price: BackupPrice
  /** The list that the price is of, and when it was read, epoch ms. */
  list: { id: number; asOf: number }
  currency: Currency
  bounds: Bounds
  /** An order of the same backup that waits to be paid, as far as it is known; null: there is none. */
  unpaid: Partial<BackupOrderRow> | null
  onOrdered: (made: { id: number; pay_amount: string }) => void
  onOld: () => void
  Why: OrderParts['Why']
}

/** How long, from when until when, for how much and why (M125, M126); works without a line, and orders with one. */
export function SubscribeForm({ serviceId, draft, onChange, price, list, currency, bounds, unpaid, ...told }: Props) {
  const { onOrdered, onOld, Why } = told
  const { t } = useTranslation('backups')
  const name = useId()
  const { line } = useConnection()
  const offline = useWhyOffline()
  const { type } = draft
  const terms = termsOf(draft)
  const reckoned = terms && quoteBackup(price, bounds, terms)
  const ordering = useOrdering({ serviceId, type, terms, figure: reckoned, priceId: list.id, onOrdered: made, onOld })
  const { figure, busy, problem } = ordering
  const amount = figure?.pay_amount ?? null
  const section = useArrival()
  const before = draft.seen !== null && amount !== null && draft.seen !== amount ? draft.seen : null
  const refusal = problem && refusalOf(problem)
  const fault = useBackupFault(currency, amount)
  const whyNotPayable = reckoned?.isTooLarge
    ? t('form.whyNot.amountTooLarge')
    : isNotPayable(fault)
      ? payableWords(fault)
      : offline
  const whyNot = terms ? whyNotPayable : t('form.correct')
  const isWaived = fault?.kind === 'waived'
  const isFurther = bounds.present !== null && bounds.present > bounds.today

  /** What is waived is not paid either. */
  function made(order: { id: number; pay_amount: string }) {
    onOrdered(isWaived ? { ...order, pay_amount: '0.00' } : order)
  }
  const change = (fields: Partial<SubscribeDraft>) => onChange(seenDraft({ ...draft, ...fields }, price, bounds))
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!terms) return document.querySelector<HTMLElement>('[name=backup-period]')?.focus()
    if (!whyNot) ordering.start()
  }

  return (
    <section className="card backup-form" aria-labelledby={name} ref={section}>
      <h2 id={name}>{t(isFurther ? 'form.titleExtend' : 'form.title', { type: t(`type.${type}`) })}</h2>
      <form className="backup-form-sides" noValidate onSubmit={submit}>
        <div className="form">
          <div className="backup-period">
            <FieldFrame size="figures" label={t('form.period')} error={terms ? null : t('form.periodWrong')}>
              {(described) => (
                <WholeNumberInput
                  {...described}
                  name="backup-period"
                  min={1}
                  max={99}
                  value={draft.period}
                  onType={(period) => change({ period })}
                />
              )}
            </FieldFrame>
            <SelectField
              label={t('form.unit')}
              name="backup-unit"
              value={draft.unit}
              options={(['year', 'month'] as const).map((value) => ({ value, label: t(`form.${value}`) }))}
              onChange={({ target }) => change({ unit: target.value === 'month' ? 'month' : 'year' })}
            />
          </div>
          {figure && (
            <Facts>
              <Fact label={t('form.start')}>
                {figure.start}{' '}
                <span className="backup-beside">{t(isFurther ? 'form.startAfter' : 'form.startNow')}</span>
              </Fact>
              <Fact label={t('form.end')}>{lastDay(figure.end)}</Fact>
            </Facts>
          )}
          {figure?.isCut && (
            <p className="backup-cut" role="status">
              <Icon name="info" size={16} /> {t('form.cut', { count: figure.months })}
            </p>
          )}
          {unpaid && (
            <Notice tone="warning" icon="alert">
              <p>
                {unpaid.pay_amount && unpaid.currency && unpaid.due
                  ? t('form.replaces', { amount: amountText(unpaid.currency, unpaid.pay_amount), due: unpaid.due })
                  : t('form.replacesPlain')}
              </p>
            </Notice>
          )}
        </div>
        <div className="backup-price">
          {figure && <Sum {...{ figure, before, currency, isWaived, Why }} />}
          <PayableNote fault={fault} />
          {line !== 'online' && (
            <p className="field-help">
              {t('form.offlineQuote', { at: readingTime(list.asOf) })} {t('form.kept')}
            </p>
          )}
          <ProblemNote problem={problem} title={t('form.failed')} focus>
            {refusal && <p>{t(`form.whyNot.${refusal}`)}</p>}
          </ProblemNote>
        </div>
        <div className="backup-acts backup-bar">
          <Button kind="primary" type="submit" busy={busy} whyNot={whyNot}>
            {amount === null
              ? t('form.orderPlain')
              : t('form.order', { amount: amountText(currency, isWaived ? '0.00' : amount) })}
          </Button>
          <Button onClick={() => onChange(null)}>{t('cancel')}</Button>
        </div>
      </form>
    </section>
  )
}

/** What the server says against it, where it says that. */
function refusalOf({ data }: Problem): OrderRefusal | null {
  const said = (data as { why?: string } | null)?.why
  return orderRefusals.find((one) => one === said) ?? null
}

/** Whoever has just opened it is led to it; who comes back to a draft is not. */
function useArrival() {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    const pressed = document.activeElement?.closest('.backup-card')
    if (!pressed) return
    section.current?.scrollIntoView({ block: 'nearest' })
    section.current?.querySelector<HTMLElement>('[name=backup-period]')?.focus({ preventScroll: true })
  }, [])
  return section
}
