import { type FormEvent, useEffect, useId, useRef } from 'react'
import type { BackupOrderRow } from '#contract/backups.ts'
import { findRefusalReason, type Problem } from '#contract/problem.ts'
import { backupOrderRefusals } from '#domain/backups.ts'
import type { Currency } from '#domain/money.ts'
import type { PayableFault } from '#domain/payments.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { usePayableFault } from '#patterns/usePayableFault.ts'
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
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { Notice } from '#ui/display/Notice.tsx'
import type { OrderParts } from '#features/backups/order-parts.ts'
import {
  type BackupPrice,
  type BackupQuote,
  isExtension,
  type SubscriptionBounds,
  quoteBackup,
} from '#features/backups/backup-quote.ts'
import { SubscriptionSum } from '#features/backups/subscribe/SubscriptionSum.tsx'
import { addSeenAmount, type SubscribeDraft, parseTerms } from '#features/backups/subscribe/subscribe-draft.ts'
import { useOrdering } from '#features/backups/subscribe/useOrdering.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface SubscribeFormProps {
  serviceId: number
  draft: SubscribeDraft
  onChange: (draft: SubscribeDraft | null) => void
  price: BackupPrice
  /** Id of the price list that the price comes from; `asOf`: when the list was read, epoch ms. */
  priceList: { id: number; asOf: number }
  currency: Currency
  bounds: SubscriptionBounds
  unpaidOrder: Partial<BackupOrderRow> | null
  onOrdered: (order: { id: number; pay_amount: string }) => void
  onPriceOutdated: () => void
  FeeExplanation: OrderParts['FeeExplanation']
}

/** Form for period, dates and amount of a subscription (M125, M126). It can be filled in offline, but sent only online. */
export function SubscribeForm({ draft, onChange, price, currency, bounds, ...props }: SubscribeFormProps) {
  const { t } = useTranslation('backups')
  const headingId = useId()
  const sectionRef = useFocusOnOpen()
  const { type } = draft
  const terms = parseTerms(draft)
  const localQuote = terms && quoteBackup(price, bounds, terms)
  const { quote, isBusy, problem, start } = useOrdering({
    serviceId: props.serviceId,
    type,
    terms,
    quote: localQuote,
    priceId: props.priceList.id,
    onOrdered: handleOrdered,
    onPriceOutdated: props.onPriceOutdated,
  })
  const amount = quote && quote.pay_amount
  const payableFault = usePayableFault(amount === null ? null : { currency, amount }, { isWaivable: true })
  const isWaived = payableFault?.kind === 'waived'
  const disabledReason = useDisabledReason(terms !== null, localQuote, payableFault)

  function handleOrdered(order: { id: number; pay_amount: string }) {
    props.onOrdered(isWaived ? { ...order, pay_amount: '0.00' } : order)
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!terms) return document.querySelector<HTMLElement>('[name=backup-period]')?.focus()
    if (!disabledReason) start()
  }
  return (
    <section className="card backup-form" aria-labelledby={headingId} ref={sectionRef}>
      <h2 id={headingId}>{t(isExtension(bounds) ? 'form.titleExtend' : 'form.title', { type: t(`type.${type}`) })}</h2>
      <form className="backup-form-sides" noValidate onSubmit={submit}>
        <div className="form">
          <PeriodFields
            draft={draft}
            onChange={(fields) => onChange(addSeenAmount({ ...draft, ...fields }, price, bounds))}
          />
          {quote && <QuotedPeriod quote={quote} bounds={bounds} />}
          {props.unpaidOrder && <ReplacedOrder order={props.unpaidOrder} />}
        </div>
        <div className="backup-price">
          {quote && (
            <SubscriptionSum
              {...{ quote, currency, isWaived }}
              seenAmount={draft.seen}
              FeeExplanation={props.FeeExplanation}
            />
          )}
          <PayableNote fault={payableFault} />
          <OfflineQuoteNote asOf={props.priceList.asOf} />
          <OrderProblem problem={problem} />
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

function useDisabledReason(isValid: boolean, quote: BackupQuote | null, payableFault: PayableFault | null) {
  const { t } = useTranslation('backups')
  const offlineReason = useUnsendableReason(t('needsLine'))
  if (!isValid) return t('form.correct')
  if (quote?.isTooLarge) return t('form.whyNot.amountTooLarge')
  return isNotPayable(payableFault) ? formatPayableFault(payableFault) : offlineReason
}

interface PeriodFieldsProps {
  draft: SubscribeDraft
  onChange: (fields: Pick<SubscribeDraft, 'period'> | Pick<SubscribeDraft, 'unit'>) => void
}

function PeriodFields({ draft, onChange }: PeriodFieldsProps) {
  const { t } = useTranslation('backups')
  return (
    <div className="backup-period">
      <FieldFrame size="figures" label={t('form.period')} error={parseTerms(draft) ? null : t('form.periodWrong')}>
        {(fieldProps) => (
          <WholeNumberInput
            {...fieldProps}
            name="backup-period"
            min={1}
            max={99}
            value={draft.period}
            onType={(period) => onChange({ period })}
          />
        )}
      </FieldFrame>
      <SelectField
        label={t('form.unit')}
        name="backup-unit"
        value={draft.unit}
        options={(['year', 'month'] as const).map((value) => ({ value, label: t(`form.${value}`) }))}
        onChange={({ target }) => onChange({ unit: target.value === 'month' ? 'month' : 'year' })}
      />
    </div>
  )
}

function QuotedPeriod({ quote, bounds }: { quote: BackupQuote; bounds: SubscriptionBounds }) {
  const { t } = useTranslation('backups')
  return (
    <>
      <DescriptionList>
        <DescriptionItem label={t('form.start')}>
          {quote.start}{' '}
          <span className="backup-beside">{t(isExtension(bounds) ? 'form.startAfter' : 'form.startNow')}</span>
        </DescriptionItem>
        <DescriptionItem label={t('form.end')}>{getLastDay(quote.end)}</DescriptionItem>
      </DescriptionList>
      {quote.isCut && (
        <p className="backup-cut" role="status">
          <Icon name="info" size={16} /> {t('form.cut', { count: quote.months })}
        </p>
      )}
    </>
  )
}

/** Shows the unpaid order that a new one replaces (D32). */
function ReplacedOrder({ order: { pay_amount: amount, currency, due } }: { order: Partial<BackupOrderRow> }) {
  const { t } = useTranslation('backups')
  return (
    <Notice look="backup-note" tone="warning" icon="alert">
      <p>
        {amount && currency && due
          ? t('form.replaces', { amount: formatAmount(currency, amount), due })
          : t('form.replacesPlain')}
      </p>
    </Notice>
  )
}

function OfflineQuoteNote({ asOf }: { asOf: number }) {
  const { t } = useTranslation('backups')
  const { networkState } = useConnection()
  if (networkState === 'online') return null
  return (
    <p className="field-help">
      {t('form.offlineQuote', { at: formatReadingTime(asOf) })} {t('form.kept')}
    </p>
  )
}

function OrderProblem({ problem }: { problem: Problem | null }) {
  const { t } = useTranslation('backups')
  const refusal = findRefusalReason(problem, backupOrderRefusals)
  return (
    <ProblemNote problem={problem} title={t('form.failed')} shouldFocus>
      {refusal && <p>{t(`form.whyNot.${refusal}`)}</p>}
    </ProblemNote>
  )
}

/** Moves the focus into a form that the user has just opened, but not into a form that was opened with a restored draft. */
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
