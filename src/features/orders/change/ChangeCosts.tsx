import type { Choice } from '#domain/fees/annual.ts'
import { lastDay } from '#domain/period.ts'
import { grouped } from '#domain/money.ts'
import type { PayableFault } from '#domain/payments.ts'
import { useConnection } from '#state/hooks.ts'
import { Amount, amountText } from '#ui/display/Amount.tsx'
import { PayableNote } from '#ui/display/PayableNote.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { number, readingTime } from '#ui/list/Freshness.tsx'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { Folded } from '#features/orders/Disclosure.tsx'
import { namesOf } from '#features/orders/quote/PriceSummary.tsx'
import { WhyAmount } from '#features/orders/quote/FeeBreakdown.tsx'
import { type Difference, differenceOf, isNothing } from '#features/orders/change/change-diff.ts'
import type { Figure, PriceData } from '#features/orders/quote/local-quote.ts'
import type { AnyStep } from '#features/orders/quote/fee-tree.ts'

interface Props {
  before: Choice
  after: Choice
  /** Of modules, by code. */
  names: ReadonlyMap<string, string>
}

/** What is agreed and what it would be, side by side: only what changes. */
export function Compared({ before, after, names }: Props) {
  const { t } = useTranslation('contract')
  const { t: wizard } = useTranslation('wizard')
  const differs: Difference = differenceOf(before, after)
  if (isNothing(differs)) return <p className="order-unchanged">{t('noChange')}</p>
  const uat = (of: Choice) => t(of.uat === 1 ? 'uat.yes' : 'uat.no')
  const rows = [
    {
      name: 'mode',
      was: wizard(`mode.${before.user_mode}`),
      now: wizard(`mode.${after.user_mode}`),
      isChanged: differs.user_mode,
    },
    { name: 'users', was: number(before.users), now: number(after.users), isChanged: differs.users },
    { name: 'uat', was: uat(before), now: uat(after), isChanged: differs.uat },
  ] as const
  const { added, removed } = differs
  const named = (codes: readonly string[]) => codes.map((code) => names.get(code) ?? code).join(', ')
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
          .filter(({ isChanged }) => isChanged)
          .map(({ name, was, now }) => (
            <tr key={name}>
              <th scope="row">{t(`field.${name}`)}</th>
              <td>{was}</td>
              <td>{now}</td>
            </tr>
          ))}
        {added.length + removed.length > 0 && (
          <tr>
            <th scope="row">{t('field.modules')}</th>
            <td>{number(before.modules.length)}</td>
            <td>
              {added.length > 0 && <p>{t('added', { names: named(added) })}</p>}
              {removed.length > 0 && <p>{t('removed', { names: named(removed) })}</p>}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

function timeWords({ years, days }: AnyStep['values'], t: TFunction<'contract'>): string {
  if (years && days) return t('capped', { days, count: Number(years) })
  return years ? t('years', { count: Number(years) }) : t('days', { count: Number(days) })
}

/** What each stretch of what is paid costs as changed, beside what was paid for it (D12); in the currency of the amount due. */
export function Stretches({ steps }: { steps: readonly AnyStep[] }) {
  const { t } = useTranslation('contract')
  const of = (code: string) => steps.filter((step) => step.code === code)
  const paid = of('paid')
  const stretches = of('segment')
  const sum = (code: string) => of(code)[0]?.amount ?? '0.00'
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
        {stretches.map(({ values, amount }, at) => (
          <tr key={values.from}>
            <th scope="row">
              <i className="day">{values.from}</i> – <i className="day">{lastDay(values.to ?? '')}</i>
              <span>{timeWords(values, t)}</span>
            </th>
            <td className="number" data-label={t('stretch.changed')}>
              {grouped(amount)}
            </td>
            <td className="number" data-label={t('stretch.paid')}>
              {grouped(paid[at]?.amount ?? '0.00')}
            </td>
          </tr>
        ))}
      </tbody>
      {stretches.length > 1 && (
        <tfoot>
          <tr>
            <th scope="row">{t('stretch.sum')}</th>
            <td className="number" data-label={t('stretch.changed')}>
              {grouped(sum('contract'))}
            </td>
            <td className="number" data-label={t('stretch.paid')}>
              {grouped(sum('residual'))}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}

interface SumProps {
  market: PriceData
  /** When the price list was read, epoch ms. */
  asOf: number | null
  figure: Pick<Figure, 'currency' | 'amount' | 'discarded_amount'>
  /** What the device had said, where the server says another. */
  before: { amount: string } | null
  /** What follows of the amount for who pays it. */
  fault?: PayableFault | null
}

/** What must be known of an amount before it is ordered: that it is another than was shown, and by which list it is said (D89). */
export function PriceNotes({ asOf, figure, before, fault = null }: Omit<SumProps, 'market'>) {
  const { t } = useTranslation('contract')
  const { currency, amount } = figure
  const { line } = useConnection()
  return (
    <>
      {before && (
        <p className="order-note warning" role="alert">
          <span>
            {t('quoteChanged')} <Amount currency={currency} amount={before.amount} />
            {' → '}
            <Amount currency={currency} amount={amount} />
          </span>
        </p>
      )}
      <PayableNote fault={fault} />
      {line !== 'online' && asOf !== null && (
        <p className="field-help">{t('offlineQuote', { at: readingTime(asOf) })}</p>
      )}
    </>
  )
}

/** Where nothing is due, what follows of that (D14, D15). */
export function NothingDue({ figure, fault }: Pick<SumProps, 'figure' | 'fault'>) {
  const { t } = useTranslation('contract')
  const { currency, amount, discarded_amount: discarded } = figure
  if (fault?.kind === 'waived') return <p>{t('nothingDue')}</p>
  if (amount !== '0.00') return null
  return (
    <>
      {discarded !== '0.00' && (
        <p className="order-note warning discarded" role="status">
          <Icon name="alert" />
          <span>{t('discard.text', { amount: amountText(currency, discarded) })}</span>
        </p>
      )}
      <p>{t('nothingDue')}</p>
    </>
  )
}

/** The amount due and why, in a drawer whose button says it too. */
export function Sum({ market, steps, ...props }: SumProps & { steps: () => readonly AnyStep[] }) {
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
      <NothingDue {...props} />
      <Folded line={t('why')}>{() => <WhyAmount currency={currency} steps={steps()} names={namesOf(market)} />}</Folded>
    </div>
  )
}
