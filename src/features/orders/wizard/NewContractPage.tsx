import '#features/orders/wizard-words.ts'
import { useEffect, useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'
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
import { useWizardDraft } from '#features/orders/draft/useWizardDraft.ts'
import { useMarket } from '#features/orders/quote/usePriceData.ts'
import { useOrderAgain } from '#features/orders/wizard/useCopyOrder.ts'
import { useToday } from '#ui/page/business-day.ts'
import { type OwnUnpaid, useUnpaid } from '#features/orders/payment/useUnpaid.ts'
import { FinishedOrder } from '#features/orders/wizard/steps/FinishedOrder.tsx'
import { Wizard } from '#features/orders/wizard/Wizard.tsx'
import { isWorthKeeping, newDraft } from '#features/orders/draft/wizard-draft.ts'
import { newValues, valuesOf } from '#features/orders/draft/wizard-form.ts'
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

/** `?step=4&order=12`: the order whose result is shown. Null: the address names none. */
function finishedOrder(query: URLSearchParams): number | null {
  const id = query.get('step') === '4' ? query.get('order') : null
  return id !== null && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : null
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
  const [query, setQuery] = useSearchParams()
  const finished = finishedOrder(query)
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
  // After a reload the draft of what was finished is gone; the wizard that finished it shows the result itself.
  if (finished !== null && kept.draft.step !== 3) {
    const begin = () => setQuery({}, { replace: true })
    return <FinishedOrder key={finished} id={finished} today={today} onNone={begin} onAgain={begin} />
  }
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
