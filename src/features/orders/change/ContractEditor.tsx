import { type ReactNode, useMemo } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import type { PlainDate } from '#domain/time.ts'
import { Button } from '#ui/display/Button.tsx'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { useMedia } from '#ui/display/useMedia.ts'
import { useTranslation } from 'react-i18next'
import { ChangeConsentDialog } from '#features/orders/change/ChangeConsentDialog.tsx'
import { ChangeDraftOffer } from '#features/orders/change/ChangeDraftOffer.tsx'
import { ChoiceFields } from '#features/orders/change/ChoiceFields.tsx'
import { ChangeComparison, NothingDueNote, PriceNotes, SegmentCosts } from '#features/orders/change/ChangeCosts.tsx'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'
import { getModuleNames } from '#features/orders/module-names.ts'
import { ActionWithAmount, PriceBar, PricedLayout } from '#features/orders/quote/PricedLayout.tsx'
import { type SubmitChangeState, useSubmitChange } from '#features/orders/change/useSubmitChange.ts'
import { useChangeDraft } from '#features/orders/change/useChangeDraft.ts'
import { useOrderButton } from '#features/orders/change/useOrderButton.ts'
import { getChoiceDifference, isEmptyDifference } from '#features/orders/change/change-diff.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import {
  toRequestedChange,
  checkChangeDraft,
  parseChoice,
  type ChangeDraft,
} from '#features/orders/change/change-form.ts'

export interface ContractEditorProps {
  row: OrderRow
  priceData: PriceData
  asOf: number | null
  contract: ContractRow
  onOrdered: (createdOrder: OrderRow) => void
  /** Called to leave the form without changes. */
  onCancel: () => void
}

/** Form for mode, users, modules and UAT of a contract in effect. Shows what changes and what it costs (M100, M101). */
export function ContractEditor(props: ContractEditorProps) {
  const drafts = useChangeDraft('contract', props.contract)
  if (drafts.draft)
    return (
      <>
        <ChangeDraftOffer drafts={drafts} />
        <EditorForm {...props} draft={drafts.draft} onChange={drafts.updateDraft} />
      </>
    )
  return (
    <section className="card">
      <Skeleton lines={6} />
    </section>
  )
}

interface EditorFormProps extends ContractEditorProps {
  draft: ChangeDraft
  onChange: (fields: Partial<ChangeDraft>) => void
}

function EditorForm({ row, priceData, asOf, contract, onOrdered, onCancel, draft, onChange }: EditorFormProps) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const choice = useMemo(() => parseChoice(draft), [draft])
  const problems = useMemo(() => checkChangeDraft(draft, priceData), [draft, priceData])
  const pricedOrder = choice && toRequestedChange(contract, choice)
  // A new price list results in a new object, so that a figure of the old list is dropped.
  const requestedOrder = useMemo(
    () => (choice && problems.length === 0 ? toRequestedChange(contract, choice) : null),
    [choice, problems, contract],
  )
  const isUnchanged = choice !== null && isEmptyDifference(getChoiceDifference(contract, choice))
  const submission = useSubmitChange({
    row,
    priceData,
    requestedOrder,
    isUnchanged,
    onOrdered,
    body: { type: 'change', contract_id: contract.id, ...choice, modules: draft.modules },
    isWaivable: true,
  })
  const formReason = isUnchanged ? t('nothingChanged') : problems.length > 0 ? t('correctFirst') : null
  const { disabledReason, onSubmit } = useOrderButton(formReason ?? submission.notPayableReason, submission.start)
  const today = useToday(priceData.timeZone)
  const { isLeaveQuestionOpen, stay, leave } = useNavigationGuard(!isUnchanged)
  // The price is a bar at the bottom with space for a second button. On a phone "Cancel" is only next to the title.
  const isTablet = useMedia('(48rem <= width < 64rem)')
  const comparison = choice && (
    <ChangeComparison previousChoice={contract} nextChoice={choice} namesByCode={getModuleNames(priceData.modules)} />
  )
  return (
    <>
      <PricedLayout
        label={t('whatChanges')}
        onSubmit={onSubmit}
        details={
          <>
            <h2>{t('whatChanges')}</h2>
            {comparison}
            {!isUnchanged && <ChangeCostDetails {...{ submission, today }} lastDay={contract.expired_date} />}
          </>
        }
        bar={
          <ChangePriceBar {...{ submission, priceData, asOf }}>
            {isLeaveQuestionOpen ? (
              <LeaveQuestion onStay={stay} onLeave={leave} />
            ) : (
              <>
                {isTablet && <Button onClick={onCancel}>{tUi('form.cancel')}</Button>}
                <Button kind="primary" type="submit" isBusy={submission.isBusy} disabledReason={disabledReason}>
                  <SaveLabel submission={submission} />
                </Button>
              </>
            )}
          </ChangePriceBar>
        }
      >
        <section className="card form order-edit" aria-label={t('usersAndModules')} tabIndex={-1} data-takes-focus>
          <ProblemNote problem={submission.problem} title={tUi('message.updateFailed')} shouldFocus />
          <ChoiceFields {...{ draft, onChange, problems, priceData, contract, pricedOrder }} />
        </section>
      </PricedLayout>
      <ChangeConsentDialog submission={submission} currency={contract.currency} comparison={comparison} />
    </>
  )
}

interface SubmissionProps {
  submission: SubmitChangeState
}

interface ChangeCostDetailsProps extends SubmissionProps {
  lastDay: PlainDate
  today: PlainDate
}

function ChangeCostDetails({ submission: { figure, steps, fault }, lastDay, today }: ChangeCostDetailsProps) {
  const { t } = useTranslation('contract')
  if (!figure || !steps) return null
  return (
    <>
      <SegmentCosts steps={steps()} today={today} />
      <p className="field-help">{t('fromWhen', { date: figure.period_start, last: lastDay })}</p>
      <NothingDueNote {...{ figure, fault }} />
    </>
  )
}

interface ChangePriceBarProps extends SubmissionProps, Pick<ContractEditorProps, 'priceData' | 'asOf'> {
  children: ReactNode
}

function ChangePriceBar({ submission, priceData, asOf, children }: ChangePriceBarProps) {
  const { t } = useTranslation('contract')
  const { figure, dueFigure, previousFigure, steps, fault } = submission
  return (
    <PriceBar
      label={t('due')}
      price={dueFigure}
      none="–"
      notes={figure && <PriceNotes {...{ asOf, figure, previousFigure, fault }} />}
      renderDetails={
        figure &&
        steps &&
        (() => (
          <FeeBreakdown currency={figure.currency} steps={steps()} namesByCode={getModuleNames(priceData.modules)} />
        ))
      }
    >
      {children}
    </PriceBar>
  )
}

function SaveLabel({ submission: { dueFigure } }: SubmissionProps) {
  const { t } = useTranslation('contract')
  if (!dueFigure) return t('act.save')
  const { currency, amount } = dueFigure
  return <ActionWithAmount text={t(amount === '0.00' ? 'saveNow' : 'saveFor')} {...{ currency, amount }} />
}
