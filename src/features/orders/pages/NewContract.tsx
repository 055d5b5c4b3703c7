import '#features/orders/wizard-words.ts'
import { useEffect, useMemo } from 'react'
import type { ClientType } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/Button.tsx'
import { EmptyState } from '#ui/EmptyState.tsx'
import { Page } from '#ui/Page.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { useWords } from '#ui/words.ts'
import { Priced } from '#features/orders/components/Priced.tsx'
import { Sheet } from '#features/orders/components/Sheet.tsx'
import { useDraft } from '#features/orders/components/useDraft.ts'
import { useMarket } from '#features/orders/components/useMarket.ts'
import { useOrderAgain } from '#features/orders/components/useOrderAgain.ts'
import { useToday } from '#features/orders/components/useToday.ts'
import { type OwnUnpaid, useUnpaid } from '#features/orders/components/useUnpaid.ts'
import { Wizard } from '#features/orders/components/Wizard.tsx'
import { isWorthKeeping, newDraft } from '#features/orders/drafting.ts'
import { newValues, valuesOf } from '#features/orders/form.ts'
import type { ListInForce, Market } from '#features/orders/quoting.ts'

/** Ordering a service in four steps (contracts 2). Without a price list there is nothing to order by (M68). */
export function NewContract() {
  const t = useWords('wizard')
  return (
    <Page title={t('title')} crumbs={[{ label: t('crumb'), to: '/app/contract' }]}>
      <Sheet />
      <Priced>{({ type, price }) => <Ready key={type} type={type} list={price} />}</Priced>
    </Page>
  )
}

function Ready({ type, list }: { type: ClientType; list: ListInForce }) {
  const t = useWords('wizard')
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
  market: Market
  currencies: readonly Currency[]
  unpaid: readonly OwnUnpaid[] | null
}

function Drafted({ type, market, currencies, unpaid }: Props) {
  const t = useWords('wizard')
  const today = useToday(market.zone)
  const fresh = useMemo(() => newValues(market.list, today), [market.list, today])
  const kept = useDraft(type, fresh)
  const { row, done } = useOrderAgain()
  const isEmpty = kept !== null && kept.draft.step === 0 && !isWorthKeeping(kept.draft, fresh)
  const fill = () => {
    if (!row || !kept) return
    kept.change(() => newDraft(valuesOf(row, fresh, market.list)))
    done()
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
              <Button onClick={done}>{t('again.keep')}</Button>
            </div>
          </div>
        </div>
      )}
      <Wizard {...{ market, currencies, type, today, kept, unpaid }} />
    </>
  )
}
