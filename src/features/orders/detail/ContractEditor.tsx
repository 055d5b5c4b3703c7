import { useMemo } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { grouped } from '#domain/money.ts'
import { PageForm } from '#ui/form/PageForm.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { ChoiceFields } from '#features/orders/wizard/ChoiceFields.tsx'
import { ConsentDialog } from '#features/orders/detail/ConsentDialog.tsx'
import { Compared, Stretches, Sum } from '#features/orders/detail/ChangeCosts.tsx'
import { namesOf } from '#features/orders/quote/PriceSummary.tsx'
import { useChanging } from '#features/orders/detail/useSubmitChange.ts'
import { useToday } from '#ui/page/business-day.ts'
import { useChangeDraft } from '#features/orders/detail/useChangeDraft.ts'
import { useWhyNot } from '#features/orders/detail/useBlockedReason.ts'
import { differenceOf, isNothing } from '#features/orders/detail/change-diff.ts'
import type { ContractRow } from '#features/orders/detail/useContract.ts'
import { amountAfter, type PriceData } from '#features/orders/quote/local-quote.ts'
import { changeWish, checkChangeDraft, choiceOf, type ChangeDraft } from '#features/orders/detail/change-form.ts'

export interface ChangeProps {
  row: OrderRow
  market: PriceData
  /** When the price list was read, epoch ms. */
  asOf: number | null
  contract: ContractRow
  onClose: () => void
  onOrdered: (made: OrderRow) => void
}

/** Mode, users, modules and UAT of a contract in effect, with what it changes and costs beside (M100, M101). */
export function Editor(props: ChangeProps) {
  const [typed, keep] = useChangeDraft('contract', props.contract)
  if (typed) return <Opened {...props} typed={typed} keep={keep} />
  return (
    <section className="card">
      <Skeleton lines={6} />
    </section>
  )
}

function Opened({
  row,
  market,
  asOf,
  contract,
  onClose,
  onOrdered,
  typed,
  keep,
}: ChangeProps & { typed: ChangeDraft; keep: (typed: ChangeDraft) => void }) {
  const { t } = useTranslation('contract')
  const { t: ui } = useTranslation('ui')
  const today = useToday(market.zone)
  const choice = useMemo(() => choiceOf(typed), [typed])
  const problems = useMemo(() => checkChangeDraft(typed, market), [typed, market])
  const wish = useMemo(
    () => (choice && problems.length === 0 ? changeWish(contract, choice) : null),
    [choice, problems, contract],
  )
  const nothing = choice !== null && isNothing(differenceOf(contract, choice))
  const body = { type: 'change' as const, contract_id: contract.id, ...choice, modules: typed.modules }
  const changing = useChanging({ market, wish, body, unpaid: row.pending, onOrdered })
  const { figure, steps, busy, problem } = changing
  const { currency } = contract
  const sum = figure && `${currency} ${grouped(figure.amount)}`
  const whyNot = useWhyNot(nothing ? t('nothingChanged') : problems.length > 0 ? t('correctFirst') : null)

  return (
    <>
      <PageForm
        status={busy ? 'sending' : 'idle'}
        problem={problem}
        failed={ui('message.updateFailed')}
        submit={sum ? t(figure.amount === '0.00' ? 'saveNow' : 'saveFor', { amount: sum }) : t('act.save')}
        whyNot={whyNot}
        onSubmit={(event) => {
          event.preventDefault()
          if (!whyNot) changing.start()
        }}
        onCancel={onClose}
        dirty={!nothing}
      >
        <div className="order-edit">
          <div className="form">
            <ChoiceFields
              {...{ typed, problems, market, contract }}
              onChange={(fields) => keep({ ...typed, ...fields })}
              amountOf={(modules) => choice && amountAfter(market, changeWish(contract, choice), today, modules)}
            />
          </div>
          <aside className="order-change" aria-label={t('whatChanges')}>
            <h2>{t('whatChanges')}</h2>
            {choice && <Compared before={contract} after={choice} names={namesOf(market)} />}
            {figure && steps && (
              <>
                <Stretches steps={steps()} currency={currency} />
                <p className="field-help">
                  {t('fromWhen', { date: figure.period_start, last: contract.expired_date })}
                </p>
                <Sum {...{ market, asOf, figure, steps }} before={changing.before} />
              </>
            )}
          </aside>
        </div>
      </PageForm>
      <ConsentDialog changing={changing} currency={currency} />
    </>
  )
}
