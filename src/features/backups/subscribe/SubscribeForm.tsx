import { type FormEvent, useEffect, useId, useRef } from 'react'
import type { BackupOrderRow } from '#contract/backups.ts'
import type { Problem } from '#contract/problem.ts'
import { type BackupOrderRefusal, backupOrderRefusals } from '#domain/backups.ts'
import type { Currency } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { useConnection } from '#state/use-store.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { PayableNote } from '#ui/display/PayableNote.tsx'
import { isNotPayable, formatPayableFault } from '#ui/i18n/payable-messages.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { FieldFrame } from '#ui/form/Field.tsx'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatReadingTime } from '#ui/list/Freshness.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { Notice } from '#features/backups/Notice.tsx'
import type { OrderParts } from '#features/backups/order-parts.ts'
import { type BackupPrice, type SubscriptionBounds, quoteBackup } from '#features/backups/backup-quote.ts'
import { useBackupFault } from '#features/backups/subscribe/useBackupFault.ts'
import { SubscriptionSum } from '#features/backups/subscribe/SubscriptionSum.tsx'
import { addSeenAmount, type SubscribeDraft, parseTerms } from '#features/backups/subscribe/subscribe-draft.ts'
import { useOrdering } from '#features/backups/subscribe/useOrdering.ts'
import { useOfflineReason } from '#features/backups/useOfflineReason.ts'

interface SubscribeFormProps {
  serviceId: number
  draft: SubscribeDraft
  /** Null: the form goes. */
  onChange: (draft: SubscribeDraft | null) => void
  price: BackupPrice
  /** The list that the price is of, and when it was read, epoch ms. */
  priceList: { id: number; asOf: number }
  currency: Currency
  bounds: SubscriptionBounds
  /** An order of the same backup that waits to be paid, as far as it is known; null: there is none. */
  unpaidOrder: Partial<BackupOrderRow> | null
  onOrdered: (order: { id: number; pay_amount: string }) => void
  onPriceOutdated: () => void
  FeeExplanation: OrderParts['FeeExplanation']
}

/** How long, from when until when, for how much and why (M125, M126); works without a line, and orders with one. */
export function SubscribeForm({
  serviceId,
  draft,
  onChange,
  price,
  priceList,
  currency,
  bounds,
  unpaidOrder,
  ...callbacks
}: SubscribeFormProps) {
  const { onOrdered, onPriceOutdated, FeeExplanation } = callbacks
  const { t } = useTranslation('backups')
  const headingId = useId()
  const { networkState: connection } = useConnection()
  const offlineReason = useOfflineReason()
  const { type } = draft
  const terms = parseTerms(draft)
  const localQuote = terms && quoteBackup(price, bounds, terms)
  const orderingControls = useOrdering({
    serviceId,
    type,
    terms,
    quote: localQuote,
    priceId: priceList.id,
    onOrdered: handleOrdered,
    onPriceOutdated,
  })
  const { quote, isBusy, problem } = orderingControls
  const amount = quote?.pay_amount ?? null
  const sectionRef = useFocusOnOpen()
  const previousAmount = draft.seen !== null && amount !== null && draft.seen !== amount ? draft.seen : null
  const orderRefusal = problem && findOrderRefusal(problem)
  const payableFault = useBackupFault(currency, amount)
  const paymentReason = localQuote?.isTooLarge
    ? t('form.whyNot.amountTooLarge')
    : isNotPayable(payableFault)
      ? formatPayableFault(payableFault)
      : offlineReason
  const disabledReason = terms ? paymentReason : t('form.correct')
  const isWaived = payableFault?.kind === 'waived'
  const isExtension = bounds.currentEnd !== null && bounds.currentEnd > bounds.today

  /** What is waived is not paid either. */
  function handleOrdered(order: { id: number; pay_amount: string }) {
    onOrdered(isWaived ? { ...order, pay_amount: '0.00' } : order)
  }
  const changeDraft = (fields: Partial<SubscribeDraft>) =>
    onChange(addSeenAmount({ ...draft, ...fields }, price, bounds))
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!terms) return document.querySelector<HTMLElement>('[name=backup-period]')?.focus()
    if (!disabledReason) orderingControls.start()
  }

  return (
    <section className="card backup-form" aria-labelledby={headingId} ref={sectionRef}>
      <h2 id={headingId}>{t(isExtension ? 'form.titleExtend' : 'form.title', { type: t(`type.${type}`) })}</h2>
      <form className="backup-form-sides" noValidate onSubmit={submit}>
        <div className="form">
          <div className="backup-period">
            <FieldFrame size="figures" label={t('form.period')} error={terms ? null : t('form.periodWrong')}>
              {(fieldProps) => (
                <WholeNumberInput
                  {...fieldProps}
                  name="backup-period"
                  min={1}
                  max={99}
                  value={draft.period}
                  onType={(period) => changeDraft({ period })}
                />
              )}
            </FieldFrame>
            <SelectField
              label={t('form.unit')}
              name="backup-unit"
              value={draft.unit}
              options={(['year', 'month'] as const).map((value) => ({ value, label: t(`form.${value}`) }))}
              onChange={({ target }) => changeDraft({ unit: target.value === 'month' ? 'month' : 'year' })}
            />
          </div>
          {quote && (
            <DescriptionList>
              <DescriptionItem label={t('form.start')}>
                {quote.start}{' '}
                <span className="backup-beside">{t(isExtension ? 'form.startAfter' : 'form.startNow')}</span>
              </DescriptionItem>
              <DescriptionItem label={t('form.end')}>{getLastDay(quote.end)}</DescriptionItem>
            </DescriptionList>
          )}
          {quote?.isCut && (
            <p className="backup-cut" role="status">
              <Icon name="info" size={16} /> {t('form.cut', { count: quote.months })}
            </p>
          )}
          {unpaidOrder && (
            <Notice tone="warning" icon="alert">
              <p>
                {unpaidOrder.pay_amount && unpaidOrder.currency && unpaidOrder.due
                  ? t('form.replaces', {
                      amount: formatAmount(unpaidOrder.currency, unpaidOrder.pay_amount),
                      due: unpaidOrder.due,
                    })
                  : t('form.replacesPlain')}
              </p>
            </Notice>
          )}
        </div>
        <div className="backup-price">
          {quote && <SubscriptionSum {...{ quote, previousAmount, currency, isWaived, FeeExplanation }} />}
          <PayableNote fault={payableFault} />
          {connection !== 'online' && (
            <p className="field-help">
              {t('form.offlineQuote', { at: formatReadingTime(priceList.asOf) })} {t('form.kept')}
            </p>
          )}
          <ProblemNote problem={problem} title={t('form.failed')} shouldFocus>
            {orderRefusal && <p>{t(`form.whyNot.${orderRefusal}`)}</p>}
          </ProblemNote>
        </div>
        <div className="backup-acts backup-bar">
          <Button kind="primary" type="submit" isBusy={isBusy} disabledReason={disabledReason}>
            {amount === null
              ? t('form.orderPlain')
              : t('form.order', { amount: formatAmount(currency, isWaived ? '0.00' : amount) })}
          </Button>
          <Button onClick={() => onChange(null)}>{t('cancel')}</Button>
        </div>
      </form>
    </section>
  )
}

/** What the server says against it, where it says that. */
function findOrderRefusal({ data }: Problem): BackupOrderRefusal | null {
  const reason = (data as { why?: string } | null)?.why
  return backupOrderRefusals.find((candidate) => candidate === reason) ?? null
}

/** Whoever has just opened it is led to it; who comes back to a draft is not. */
function useFocusOnOpen() {
  const sectionRef = useRef<HTMLElement>(null)
  useEffect(() => {
    const pressedCard = document.activeElement?.closest('.backup-card')
    if (!pressedCard) return
    sectionRef.current?.scrollIntoView({ block: 'nearest' })
    sectionRef.current?.querySelector<HTMLElement>('[name=backup-period]')?.focus({ preventScroll: true })
  }, [])
  return sectionRef
}
