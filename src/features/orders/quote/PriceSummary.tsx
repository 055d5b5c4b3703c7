import '#features/orders/wizard-words.ts'
import { memo, type ReactNode, useMemo } from 'react'
import type { PayableFault } from '#domain/payments.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { PayableNote } from '#ui/display/PayableNote.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'
import { getModuleNames } from '#features/orders/module-names.ts'
import { PriceBar } from '#features/orders/quote/PricedLayout.tsx'
import { formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import type { QuoteFigure, PriceData, LocalQuote } from '#features/orders/quote/local-quote.ts'
import { joinList } from '#ui/i18n/messages.ts'

interface Props {
  priceData: PriceData
  localQuote: LocalQuote | null
  isOffline: boolean
  /** Whether modules are selected. Without modules the amount covers only the users and is not a complete price. */
  hasModules: boolean
  fault?: PayableFault | null
}

const getFigure = (localQuote: LocalQuote | null) => (localQuote?.kind === 'figure' ? localQuote.figure : null)

export const PriceFacts = memo(function PriceFacts({
  priceData,
  localQuote,
  isOffline,
  hasModules,
  isAfterBreakdown = false,
}: Props & {
  /** Leaves out the annual fee and the days, which the breakdown already has. */
  isAfterBreakdown?: boolean
}) {
  const { t } = useTranslation('wizard')
  const figure = getFigure(localQuote)
  return (
    <div className="price-facts">
      {figure && (
        <>
          {!isAfterBreakdown && (
            <>
              <p>
                <Amount currency={figure.currency} amount={figure.annual} /> {t('price.perYear')}
              </p>
              <p>{t('price.days', { from: figure.period_start, last: getLastDay(figure.period_end) })}</p>
            </>
          )}
          {!hasModules && (
            <p>
              <Icon name="info" size={16} /> {t('price.noModules')}
            </p>
          )}
        </>
      )}
      <p>
        {isOffline && <Tag tone="pending">{t('price.here')}</Tag>}{' '}
        {t('price.list', { date: priceData.list.effective_date })}
      </p>
    </div>
  )
})

export function PriceSummary({ children, ...props }: Props & { children: ReactNode }) {
  const { t } = useTranslation('wizard')
  const { localQuote } = props
  const figure = getFigure(localQuote)
  return (
    <PriceBar
      label={t(figure && !props.hasModules ? 'price.dueWithout' : 'why.due')}
      price={figure}
      none={localQuote?.kind === 'figure' ? null : getMissingReason(localQuote)}
      notes={props.fault && <PayableNote fault={props.fault} />}
      renderDetails={figure && (() => <PriceDetails figure={figure} {...props} />)}
    >
      {children}
    </PriceBar>
  )

  function getMissingReason(quote: Exclude<LocalQuote, { kind: 'figure' }> | null): string {
    if (quote === null) return t('price.incomplete')
    if (quote.code === 'USERS_OUT_OF_RANGE') return t('price.outOfRange')
    if (quote.code === 'AMOUNT_TOO_LARGE') return t('price.tooLarge')
    return formatOrderFieldProblem({ field: 'modules', code: 'NOT_LISTED', named: joinList(quote.modules) }, '')
  }
}

function PriceDetails({ figure, ...props }: Props & { figure: QuoteFigure }) {
  const { priceData } = props
  const steps = useMemo(() => figure.steps(), [figure])
  return (
    <>
      <FeeBreakdown currency={figure.currency} steps={steps} namesByCode={getModuleNames(priceData.modules)} />
      <PriceFacts {...props} isAfterBreakdown />
    </>
  )
}
