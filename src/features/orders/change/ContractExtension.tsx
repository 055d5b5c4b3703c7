import { useMemo } from 'react'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import { getContractAnchor } from '#domain/contracts.ts'
import { groupThousands } from '#domain/money.ts'
import { checkExtensionYears } from '#domain/checks/order-checks.ts'
import { getMaxExtensionYears } from '#domain/orders.ts'
import { addToAnchor, getAnchoredEnd, getAnchor, getLastDay, getLaterDate } from '#domain/plain-dates.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { Field } from '#ui/form/Field.tsx'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { useTranslation } from 'react-i18next'
import { findPendingOrder } from '#features/orders/payment/payable.ts'
import { ChoiceFields } from '#features/orders/change/ChoiceFields.tsx'
import { ConsentDialog } from '#features/orders/change/ConsentDialog.tsx'
import { ChangeCosts } from '#features/orders/change/ChangeCosts.tsx'
import type { ContractEditorProps } from '#features/orders/change/ContractEditor.tsx'
import { YearsField } from '#features/orders/wizard/fields/YearsField.tsx'
import { parseWholeNumber } from '#features/orders/wizard/fields/TermsFields.tsx'
import { useSubmitChange } from '#features/orders/change/useSubmitChange.ts'
import { useToday } from '#ui/page/use-today.ts'
import { type ChangeDrafts, useChangeDraft } from '#features/orders/change/useChangeDraft.ts'
import { useBlockedReason } from '#features/orders/change/useBlockedReason.ts'
import { getChoiceDifference, isEmptyDifference } from '#features/orders/change/change-diff.ts'
import { usePayableFault } from '#features/orders/payment/usePayableFault.ts'
import { isNotPayable, formatPayableFault } from '#ui/i18n/payable-messages.ts'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { calculateAmountWith, isAmountTooLarge } from '#features/orders/quote/local-quote.ts'
import {
  checkChangeDraft,
  checkYears,
  parseChoice,
  toRequestedExtension,
  type ChangeDraft,
} from '#features/orders/change/change-form.ts'

/** `onModify`: what runs is not on the list in force any more, and has to be changed first (D16). */
type Props = ContractEditorProps & { onClose: () => void; onModify: () => void }

/** More years, from the end of the contract or from today where that is over (M102); an expired one may change as well. */
export function ContractExtension(props: Props) {
  const drafts = useChangeDraft('extend', props.contract)
  const { draft } = drafts
  return draft && <ExtensionForm {...props} drafts={drafts} draft={draft} />
}

function ExtensionForm({
  row,
  priceData,
  asOf,
  contract,
  onClose,
  onOrdered,
  onModify,
  draft,
  drafts: { saveDraft, offer, onContinue, onDiscard },
}: Props & { draft: ChangeDraft; drafts: ChangeDrafts }) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const today = useToday(priceData.timeZone)
  const isOver = row.state === 'expired'
  const choice = useMemo(() => parseChoice(draft), [draft])
  const years = parseWholeNumber(draft.years)
  const maxYears = getMaxExtensionYears(contract, today)
  const yearsProblems = checkYears(draft, maxYears)
  // More years of what runs are years of just that: whether the list has a price for it is all there is to say.
  const problems = [...(isOver ? checkChangeDraft(draft, priceData) : []), ...yearsProblems]
  const isValid = problems.length === 0
  const requestedOrder = useMemo(
    () => (choice && years !== null && isValid ? toRequestedExtension(contract, choice, years) : null),
    [choice, years, isValid, contract],
  )
  const body = {
    type: 'extend' as const,
    contract_id: contract.id,
    ...(isOver && choice ? { ...choice, modules: draft.modules } : {}),
    period: years ?? 1,
  }
  const submission = useSubmitChange({ priceData, requestedOrder, body, unpaidOrder: findPendingOrder(row), onOrdered })
  const { figure, steps, localQuote, isBusy, problem } = submission
  const updateDraft = (fields: Partial<ChangeDraft>) => saveDraft({ ...draft, ...fields })
  const isChanged = draft.years !== '1' || choice === null || !isEmptyDifference(getChoiceDifference(contract, choice))
  const isTooLarge = isAmountTooLarge(localQuote)
  const unlistedModules = !isOver && !isTooLarge && localQuote?.kind === 'none' ? localQuote.modules : null
  const fault = usePayableFault(figure, { isWaivable: false })
  const notPayableReason = isTooLarge ? t('amountTooLarge') : isNotPayable(fault) ? formatPayableFault(fault) : null
  const disabledReason = useBlockedReason(
    unlistedModules ? t('modifyFirst') : isValid ? notPayableReason : t('correctFirst'),
  )
  const start = getLaterDate(contract.period_end, today)
  const anchor = getAnchor(start, { end: contract.period_end, anchor: getContractAnchor(contract) })
  const newEnd =
    requestedOrder?.type === 'extend' ? getAnchoredEnd(addToAnchor(anchor, 12 * requestedOrder.years)) : null
  const yearsProblem = yearsProblems[0] ?? findYearsProblem(problem)
  const { currency } = contract

  return (
    <>
      <FormDrawer
        open
        title={t('extend.title', { code: row.code })}
        status={isBusy ? 'sending' : 'idle'}
        problem={problem}
        failureTitle={tUi('message.failed', { action: t('act.extend') })}
        submitLabel={
          figure ? t('extend.submit', { amount: `${currency} ${groupThousands(figure.amount)}` }) : t('act.extend')
        }
        disabledReason={disabledReason}
        onSubmit={(event) => {
          event.preventDefault()
          if (!disabledReason) submission.start()
        }}
        onClose={onClose}
        isDirty={isChanged}
      >
        {offer && (
          <DraftOffer
            savedAt={offer.savedAt}
            changedText={offer.isChanged ? t('draftChanged') : undefined}
            {...{ onContinue, onDiscard }}
          />
        )}
        {unlistedModules && (
          <div className="order-note warning" role="alert">
            <div>
              <p>{t('modifyFirst')}</p>
              <p>{unlistedModules.join(', ')}</p>
            </div>
            <Button onClick={onModify}>{t('act.modify')}</Button>
          </div>
        )}
        {isOver && <p>{t('extend.overText', { date: row.expired_date })}</p>}
        <YearsField
          label={t('extend.years')}
          value={draft.years}
          maxYears={maxYears}
          maxReachedReason={formatOrderFieldProblem(
            checkExtensionYears(maxYears + 1, maxYears)[0] as AnyFieldProblem,
            t('field.period'),
          )}
          error={yearsProblem && formatOrderFieldProblem(yearsProblem, t('field.period'), draft.years)}
          onChange={(text) => updateDraft({ years: text })}
        >
          {newEnd && t('extend.until', { last: getLastDay(newEnd) })}
        </YearsField>
        <Field
          label={t('extend.start')}
          size="date"
          name="period_start"
          value={start}
          lockReason={t(isOver ? 'extend.today' : 'extend.fromEnd')}
        />
        {isOver && (
          <ChoiceFields
            {...{ draft, problems, priceData, contract }}
            onChange={updateDraft}
            getAmount={(modules) =>
              choice &&
              calculateAmountWith(priceData, toRequestedExtension(contract, choice, years ?? 1), today, modules)
            }
          />
        )}
        {figure && steps && (
          <>
            <DescriptionList>
              <DescriptionItem label={t('extend.period')}>
                {t('fromTo', { from: figure.period_start, last: getLastDay(figure.period_end) })}
              </DescriptionItem>
              <DescriptionItem label={t('extend.annual')}>
                <Amount currency={currency} amount={figure.annual} />
              </DescriptionItem>
            </DescriptionList>
            <ChangeCosts {...{ priceData, asOf, figure, steps, fault }} previousFigure={submission.previousFigure} />
          </>
        )}
      </FormDrawer>
      <ConsentDialog submission={submission} currency={currency} comparison={null} />
    </>
  )
}

/** What the server says against the years, where the contract has been extended elsewhere meanwhile. */
const findYearsProblem = (problem: Problem | null): AnyFieldProblem | undefined =>
  problem ? getFieldProblems(problem).find(({ field }) => field === 'period') : undefined
