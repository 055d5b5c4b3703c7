import type { ContractTerms } from '#domain/fees/annual.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { groupThousands } from '#domain/money.ts'
import type { PayableFault } from '#domain/payments.ts'
import type { PlainDate } from '#domain/time.ts'
import { useConnection } from '#state/use-store.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { PayableNote } from '#ui/display/PayableNote.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Disclosure } from '#features/orders/Disclosure.tsx'
import { getModuleNames } from '#features/orders/module-names.ts'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'
import { getChoiceDifference, isEmptyDifference } from '#features/orders/change/change-diff.ts'
import { ModuleChanges } from '#features/orders/change/ModuleChanges.tsx'
import type { QuoteFigure, PriceData } from '#features/orders/quote/local-quote.ts'
import type { QuoteStep } from '#features/orders/quote/fee-tree.ts'

interface Props {
  previousChoice: ContractTerms
  nextChoice: ContractTerms
  namesByCode: ReadonlyMap<string, string>
}

/** Shows the agreed terms and the new terms in two columns. Only rows that differ are shown. */
export function ChangeComparison({ previousChoice, nextChoice, namesByCode }: Props) {
  const { t } = useTranslation('contract')
  const { t: tWizard } = useTranslation('wizard')
  const difference = getChoiceDifference(previousChoice, nextChoice)
  if (isEmptyDifference(difference)) return <p className="order-unchanged">{t('noChange')}</p>
  const rows = [
    { name: 'mode', field: 'user_mode', format: ({ user_mode }: ContractTerms) => tWizard(`mode.${user_mode}`) },
    { name: 'users', field: 'users', format: ({ users }: ContractTerms) => formatNumber(users) },
    { name: 'uat', field: 'uat', format: ({ uat }: ContractTerms) => t(uat === 1 ? 'uat.yes' : 'uat.no') },
  ] as const
  return (
    <table className="order-compared">
      <thead>
        <tr>
          <td />
          <th scope="col">{t('before')}</th>
          <th scope="col">{t('after')}</th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(({ field }) => difference[field])
          .map(({ name, format }) => (
            <tr key={name}>
              <th scope="row">{t(`field.${name}`)}</th>
              <td>{format(previousChoice)}</td>
              <td>{format(nextChoice)}</td>
            </tr>
          ))}
        {difference.addedModules.length + difference.removedModules.length > 0 && (
          <tr>
            <th scope="row">{t('field.modules')}</th>
            <td>{formatNumber(previousChoice.modules.length)}</td>
            <td>
              <ModuleChanges {...{ difference, namesByCode }} />
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

/** The remaining days of the term do not count today (decision 76), but the price does. */
function formatDuration(
  { years, days, from }: QuoteStep['values'],
  today: PlainDate,
  t: TFunction<'contract'>,
): string {
  if (years && !days) return t('years', { count: Number(years) })
  const duration = years && days ? t('capped', { days, count: Number(years) }) : t('days', { count: Number(days) })
  return from === today ? t('withToday', { duration }) : duration
}

interface SegmentCostsProps {
  steps: readonly QuoteStep[]
  /** Today in the business time zone. */
  today: PlainDate
}

/** Shows what each paid segment costs after the change and what was paid for it (D12), in one currency. */
export function SegmentCosts({ steps, today }: SegmentCostsProps) {
  const { t } = useTranslation('contract')
  const findSteps = (code: string) => steps.filter((step) => step.code === code)
  const paidSteps = findSteps('paid')
  const segmentSteps = findSteps('segment')
  const getAmount = (code: string) => findSteps(code)[0]?.amount ?? '0.00'
  return (
    <table className="order-stretches">
      <thead>
        <tr>
          <th scope="col">{t('stretch.time')}</th>
          <th scope="col" className="number">
            {t('stretch.changed')}
          </th>
          <th scope="col" className="number">
            {t('stretch.paid')}
          </th>
        </tr>
      </thead>
      <tbody>
        {segmentSteps.map(({ values, amount }, index) => (
          <tr key={values.from}>
            <th scope="row">
              <i className="day">{values.from}</i> – <i className="day">{getLastDay(values.to ?? '')}</i>
              <span>{formatDuration(values, today, t)}</span>
            </th>
            <td className="number" data-label={t('stretch.changed')}>
              {groupThousands(amount)}
            </td>
            <td className="number" data-label={t('stretch.paid')}>
              {groupThousands(paidSteps[index]?.amount ?? '0.00')}
            </td>
          </tr>
        ))}
      </tbody>
      {segmentSteps.length > 1 && (
        <tfoot>
          <tr>
            <th scope="row">{t('stretch.sum')}</th>
            <td className="number" data-label={t('stretch.changed')}>
              {groupThousands(getAmount('contract'))}
            </td>
            <td className="number" data-label={t('stretch.paid')}>
              {groupThousands(getAmount('residual'))}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}

interface ChangeCostsProps {
  priceData: PriceData
  /** Time when the price list was read, in epoch ms. */
  asOf: number | null
  figure: Pick<QuoteFigure, 'currency' | 'amount' | 'discarded_amount' | 'credited_amount'>
  /** The local figure if it differs from the server's, otherwise null. */
  previousFigure: { amount: string } | null
  fault?: PayableFault | null
}

/** Shows notes before ordering: whether the amount has changed, and how old the price list is (D89). */
export function PriceNotes({ asOf, figure, previousFigure, fault = null }: Omit<ChangeCostsProps, 'priceData'>) {
  const { t } = useTranslation('contract')
  const { currency, amount } = figure
  const { networkState: connection } = useConnection()
  return (
    <>
      {previousFigure && (
        <p className="order-note warning" role="alert">
          <span>
            {t('quoteChanged')} <Amount currency={currency} amount={previousFigure.amount} />
            {' → '}
            <Amount currency={currency} amount={amount} />
          </span>
        </p>
      )}
      <PayableNote fault={fault} />
      {connection !== 'online' && asOf !== null && (
        <p className="field-help">{t('offlineQuote', { at: formatReadingTime(asOf) })}</p>
      )}
    </>
  )
}

/** Explains why nothing is due (D14, D15). */
export function NothingDueNote({ figure, fault }: Pick<ChangeCostsProps, 'figure' | 'fault'>) {
  const { t } = useTranslation('contract')
  const { currency, amount, discarded_amount: discardedAmount, credited_amount: creditedAmount = '0.00' } = figure
  if (fault?.kind === 'waived') return <p>{t('nothingDue')}</p>
  if (amount !== '0.00') return null
  return (
    <>
      {discardedAmount !== '0.00' && (
        <p className="order-note warning discarded" role="status">
          <Icon name="alert" />
          <span>{t('discard.text', { amount: formatAmount(currency, discardedAmount) })}</span>
        </p>
      )}
      {creditedAmount !== '0.00' && <p>{t('discard.credited', { amount: formatAmount(currency, creditedAmount) })}</p>}
      <p>{t('nothingDue')}</p>
    </>
  )
}

export function ChangeCosts({ priceData, steps, ...props }: ChangeCostsProps & { steps: () => readonly QuoteStep[] }) {
  const { t } = useTranslation('contract')
  const { currency, amount } = props.figure
  return (
    <div className="order-sum">
      <p className="price-due" role="status">
        <span>{t('due')}</span>
        <strong>
          <Amount currency={currency} amount={amount} />
        </strong>
      </p>
      <PriceNotes {...props} />
      <NothingDueNote {...props} />
      <Disclosure label={t('why')}>
        {() => <FeeBreakdown currency={currency} steps={steps()} namesByCode={getModuleNames(priceData.modules)} />}
      </Disclosure>
    </div>
  )
}
