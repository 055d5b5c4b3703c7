import { useMemo } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { Button } from '#ui/display/Button.tsx'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { findPendingOrder } from '#features/orders/payment/payable.ts'
import { ChoiceFields } from '#features/orders/change/ChoiceFields.tsx'
import { ConsentDialog } from '#features/orders/change/ConsentDialog.tsx'
import { ChangeComparison, NothingDueNote, PriceNotes, SegmentCosts } from '#features/orders/change/ChangeCosts.tsx'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'
import { ActionWithAmount, PriceBar, PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { getModuleNames } from '#features/orders/quote/PriceSummary.tsx'
import { useSubmitChange } from '#features/orders/change/useSubmitChange.ts'
import { useToday } from '#ui/page/use-today.ts'
import { usePayableFault } from '#features/orders/payment/usePayableFault.ts'
import { isNotPayable, formatPayableFault } from '#ui/i18n/payable-messages.ts'
import { useChangeDraft } from '#features/orders/change/useChangeDraft.ts'
import { useBlockedReason } from '#features/orders/change/useBlockedReason.ts'
import { getChoiceDifference, isEmptyDifference } from '#features/orders/change/change-diff.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { calculateAmountWith, isAmountTooLarge, type PriceData } from '#features/orders/quote/local-quote.ts'
import {
  toRequestedChange,
  checkChangeDraft,
  parseChoice,
  type ChangeDraft,
} from '#features/orders/change/change-form.ts'

export interface ContractEditorProps {
  row: OrderRow
  priceData: PriceData
  /** When the price list was read, epoch ms. */
  asOf: number | null
  contract: ContractRow
  onOrdered: (createdOrder: OrderRow) => void
}

/** Mode, users, modules and UAT of a contract in effect, with what it changes and costs beside (M100, M101). */
export function ContractEditor(props: ContractEditorProps) {
  const { t } = useTranslation('contract')
  const { draft, saveDraft, offer, onContinue, onDiscard } = useChangeDraft('contract', props.contract)
  if (draft)
    return (
      <>
        {offer && (
          <DraftOffer
            savedAt={offer.savedAt}
            changedText={offer.isChanged ? t('draftChanged') : undefined}
            {...{ onContinue, onDiscard }}
          />
        )}
        <EditorForm {...props} draft={draft} saveDraft={saveDraft} />
      </>
    )
  return (
    <section className="card">
      <Skeleton lines={6} />
    </section>
  )
}

function EditorForm({
  row,
  priceData,
  asOf,
  contract,
  onOrdered,
  draft,
  saveDraft,
}: ContractEditorProps & { draft: ChangeDraft; saveDraft: (typedDraft: ChangeDraft) => void }) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const today = useToday(priceData.timeZone)
  const choice = useMemo(() => parseChoice(draft), [draft])
  const problems = useMemo(() => checkChangeDraft(draft, priceData), [draft, priceData])
  const requestedOrder = useMemo(
    () => (choice && problems.length === 0 ? toRequestedChange(contract, choice) : null),
    [choice, problems, contract],
  )
  const isSameChoice = choice !== null && isEmptyDifference(getChoiceDifference(contract, choice))
  const body = { type: 'change' as const, contract_id: contract.id, ...choice, modules: draft.modules }
  const submission = useSubmitChange({ priceData, requestedOrder, body, unpaidOrder: findPendingOrder(row), onOrdered })
  const { figure, steps, isBusy, problem, previousFigure } = submission
  const { currency } = contract
  const fault = usePayableFault(isSameChoice ? null : figure, { isWaivable: true })
  const isFree = figure?.amount === '0.00' || fault?.kind === 'waived'
  const buttonText = t(isFree ? 'saveNow' : 'saveFor')
  const tooLarge = isAmountTooLarge(submission.localQuote) ? t('amountTooLarge') : null
  const notPayableReason = isNotPayable(fault) ? formatPayableFault(fault) : tooLarge
  const disabledReason = useBlockedReason(
    isSameChoice ? t('nothingChanged') : problems.length > 0 ? t('correctFirst') : notPayableReason,
  )
  const { isLeaveQuestionOpen: isLeaveRequested, stay, leave } = useNavigationGuard(!isSameChoice)
  const comparison = choice && (
    <ChangeComparison previousChoice={contract} nextChoice={choice} namesByCode={getModuleNames(priceData)} />
  )

  return (
    <>
      <PricedLayout
        label={t('whatChanges')}
        onSubmit={(event) => {
          event.preventDefault()
          if (!disabledReason) submission.start()
        }}
        details={
          <>
            <h2>{t('whatChanges')}</h2>
            {comparison}
            {figure && steps && !isSameChoice && (
              <>
                <SegmentCosts steps={steps()} />
                <p className="field-help">
                  {t('fromWhen', { date: figure.period_start, last: contract.expired_date })}
                </p>
                <NothingDueNote {...{ figure, fault }} />
              </>
            )}
          </>
        }
        bar={
          <PriceBar
            label={t('due')}
            price={figure && isFree ? { ...figure, amount: '0.00' } : figure}
            none="–"
            notes={figure && <PriceNotes {...{ asOf, figure, previousFigure, fault }} />}
            renderDetails={
              figure &&
              steps &&
              (() => <FeeBreakdown {...{ currency }} steps={steps()} namesByCode={getModuleNames(priceData)} />)
            }
          >
            {isLeaveRequested ? (
              <LeaveQuestion onStay={stay} onLeave={leave} />
            ) : (
              <Button kind="primary" type="submit" isBusy={isBusy} disabledReason={disabledReason}>
                {figure ? (
                  <ActionWithAmount {...{ text: buttonText, currency }} amount={isFree ? '0.00' : figure.amount} />
                ) : (
                  t('act.save')
                )}
              </Button>
            )}
          </PriceBar>
        }
      >
        <section className="card form order-edit" aria-label={t('usersAndModules')}>
          <ProblemNote problem={problem} title={tUi('message.updateFailed')} shouldFocus />
          <ChoiceFields
            {...{ draft, problems, priceData, contract }}
            onChange={(fields) => saveDraft({ ...draft, ...fields })}
            getAmount={(modules) =>
              choice && calculateAmountWith(priceData, toRequestedChange(contract, choice), today, modules)
            }
          />
        </section>
      </PricedLayout>
      <ConsentDialog submission={submission} currency={currency} comparison={comparison} />
    </>
  )
}
