import '#features/orders/wizard-words.ts'
import { useEffect, useMemo } from 'react'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { Priced } from '#features/orders/quote/RequirePriceList.tsx'
import { Sheet } from '#features/orders/OrderStyles.tsx'
import { useWizardDraft } from '#features/orders/wizard/useWizardDraft.ts'
import { useMarket } from '#features/orders/quote/usePriceData.ts'
import { useOrderAgain } from '#features/orders/wizard/useCopyOrder.ts'
import { useToday } from '#ui/page/business-day.ts'
import { type OwnUnpaid, useUnpaid } from '#features/orders/payment/useUnpaid.ts'
import { Wizard } from '#features/orders/wizard/Wizard.tsx'
import { isWorthKeeping, newDraft } from '#features/orders/wizard/wizard-draft.ts'
import { newValues, valuesOf } from '#features/orders/wizard/wizard-form.ts'
import type { ListInForce, PriceData } from '#features/orders/quote/local-quote.ts'

/** Ordering a service in four steps (contracts 2). Without a price list there is nothing to order by (M68). */
export function NewContract() {
  const { t } = useTranslation('wizard')
  return (
    <Page title={t('title')} crumbs={[{ label: t('crumb'), to: '/app/contract' }]}>
      <Sheet />
      <Priced>{({ type, price }) => <Ready key={type} type={type} list={price} />}</Priced>
    </Page>
  )
}

function Ready({ type, list }: { type: ClientType; list: ListInForce }) {
  const { t } = useTranslation('wizard')
  const { caller } = useSignedIn()
  const { found, problem, ask } = useMarket(type, list)
  // Asked for beside the market, not after it.
  const unpaid = useUnpaid(caller.companyId, type)
  if (found) return <Drafted {...{ type, unpaid, ...found }} />
  if (!problem) return <Skeleton lines={8} />
  if (problem.code !== 'OFFLINE') return <ProblemNote problem={problem} title={t('missing')} onRetry={ask} />
  // Nothing has to be pressed: it is asked for again when the line is back.
  return (
    <section className="card">
      <EmptyState icon="offline" title={t('missing')}>
        <p>{t('missingOffline')}</p>
      </EmptyState>
    </section>
  )
}

interface Props {
  type: ClientType
  market: PriceData
  currencies: readonly Currency[]
  unpaid: readonly OwnUnpaid[] | null
}

function Drafted({ type, market, currencies, unpaid }: Props) {
  const { t } = useTranslation('wizard')
  const today = useToday(market.zone)
  const fresh = useMemo(() => newValues(market.list, today), [market.list, today])
  const kept = useWizardDraft(type, fresh)
  const { row, done } = useOrderAgain()
  const isEmpty = kept !== null && kept.draft.step === 0 && !isWorthKeeping(kept.draft, fresh)
  const fill = () => {
    if (!row || !kept) return
    kept.change(() => newDraft(valuesOf(row, fresh, market.list)))
    done(true)
  }
  // Over a draft of one's own only when that is said.
  useEffect(() => {
    if (row && isEmpty) fill()
  })
  if (!kept || !unpaid) return <Skeleton lines={8} />
  return (
    <>
      {row && !isEmpty && (
        <div className="wizard-note pending" role="status">
          <div>
            <p>{t('again.text', { code: row.code })}</p>
            <div className="page-form-acts">
              <Button onClick={fill}>{t('again.fill', { code: row.code })}</Button>
              <Button onClick={() => done(false)}>{t('again.keep')}</Button>
            </div>
          </div>
        </div>
      )}
      <Wizard {...{ market, currencies, type, today, kept, unpaid }} />
    </>
  )
}
