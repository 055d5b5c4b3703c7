import { useMemo } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { Button } from '#ui/display/Button.tsx'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { LeaveQuestion, useHeldWay } from '#ui/navigation-guard/NavigationGuard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { unpaidBeside } from '#features/orders/payment/payable.ts'
import { ChoiceFields } from '#features/orders/change/ChoiceFields.tsx'
import { ConsentDialog } from '#features/orders/change/ConsentDialog.tsx'
import { Compared, NothingDue, PriceNotes, Stretches } from '#features/orders/change/ChangeCosts.tsx'
import { WhyAmount } from '#features/orders/quote/FeeBreakdown.tsx'
import { ForAmount, PriceBar, PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { namesOf } from '#features/orders/quote/PriceSummary.tsx'
import { useChanging } from '#features/orders/change/useSubmitChange.ts'
import { useToday } from '#ui/page/business-day.ts'
import { usePayableFault } from '#features/orders/payment/usePayableFault.ts'
import { isNotPayable, payableWords } from '#ui/i18n/payable-messages.ts'
import { useChangeDraft } from '#features/orders/change/useChangeDraft.ts'
import { useWhyNot } from '#features/orders/change/useBlockedReason.ts'
import { differenceOf, isNothing } from '#features/orders/change/change-diff.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { amountAfter, isAmountTooLarge, type PriceData } from '#features/orders/quote/local-quote.ts'
import { changeWish, checkChangeDraft, choiceOf, type ChangeDraft } from '#features/orders/change/change-form.ts'

export interface ChangeProps {
  row: OrderRow
  market: PriceData
  /** When the price list was read, epoch ms. */
  asOf: number | null
  contract: ContractRow
  onOrdered: (made: OrderRow) => void
}

/** Mode, users, modules and UAT of a contract in effect, with what it changes and costs beside (M100, M101). */
export function Editor(props: ChangeProps) {
  const { t } = useTranslation('contract')
  const { typed, keep, offer, onContinue, onDiscard } = useChangeDraft('contract', props.contract)
  if (typed)
    return (
      <>
        {offer && (
          <DraftOffer
            at={offer.at}
            changed={offer.isChanged ? t('draftChanged') : undefined}
            {...{ onContinue, onDiscard }}
          />
        )}
        <Opened {...props} typed={typed} keep={keep} />
      </>
    )
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
  const changing = useChanging({ market, wish, body, unpaid: unpaidBeside(row), onOrdered })
  const { figure, steps, busy, problem, before } = changing
  const { currency } = contract
  const fault = usePayableFault(nothing ? null : figure, { waives: true })
  const isFree = figure?.amount === '0.00' || fault?.kind === 'waived'
  const words = t(isFree ? 'saveNow' : 'saveFor')
  const tooLarge = isAmountTooLarge(changing.reckoned) ? t('amountTooLarge') : null
  const whyNotPayable = isNotPayable(fault) ? payableWords(fault) : tooLarge
  const whyNot = useWhyNot(nothing ? t('nothingChanged') : problems.length > 0 ? t('correctFirst') : whyNotPayable)
  const { isAsked, stay, leave } = useHeldWay(!nothing)
  const terms = choice && <Compared before={contract} after={choice} names={namesOf(market)} />

  return (
    <>
      <PricedLayout
        label={t('whatChanges')}
        onSubmit={(event) => {
          event.preventDefault()
          if (!whyNot) changing.start()
        }}
        details={
          <>
            <h2>{t('whatChanges')}</h2>
            {terms}
            {figure && steps && !nothing && (
              <>
                <Stretches steps={steps()} />
                <p className="field-help">
                  {t('fromWhen', { date: figure.period_start, last: contract.expired_date })}
                </p>
                <NothingDue {...{ figure, fault }} />
              </>
            )}
          </>
        }
        bar={
          <PriceBar
            label={t('due')}
            price={figure && isFree ? { ...figure, amount: '0.00' } : figure}
            none="–"
            notes={figure && <PriceNotes {...{ asOf, figure, before, fault }} />}
            why={figure && steps && (() => <WhyAmount {...{ currency }} steps={steps()} names={namesOf(market)} />)}
          >
            {isAsked ? (
              <LeaveQuestion onStay={stay} onLeave={leave} />
            ) : (
              <Button kind="primary" type="submit" busy={busy} whyNot={whyNot}>
                {figure ? (
                  <ForAmount {...{ words, currency }} amount={isFree ? '0.00' : figure.amount} />
                ) : (
                  t('act.save')
                )}
              </Button>
            )}
          </PriceBar>
        }
      >
        <section className="card form order-edit" aria-label={t('usersAndModules')}>
          <ProblemNote problem={problem} title={ui('message.updateFailed')} focus />
          <ChoiceFields
            {...{ typed, problems, market, contract }}
            onChange={(fields) => keep({ ...typed, ...fields })}
            amountOf={(modules) => choice && amountAfter(market, changeWish(contract, choice), today, modules)}
          />
        </section>
      </PricedLayout>
      <ConsentDialog changing={changing} currency={currency} terms={terms} />
    </>
  )
}
