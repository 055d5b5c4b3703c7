import { useMemo } from 'react'
import { fieldProblems, type Problem } from '#contract/problem.ts'
import { contractAnchor } from '#domain/contracts.ts'
import { grouped } from '#domain/money.ts'
import { checkExtensionYears } from '#domain/checks/order-checks.ts'
import { maxExtensionYears } from '#domain/orders.ts'
import { addToAnchor, anchoredEnd, anchorOf, lastDay, laterOf } from '#domain/period.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { Field } from '#ui/form/Field.tsx'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { useTranslation } from 'react-i18next'
import { unpaidBeside } from '#features/orders/payment/payable.ts'
import { ChoiceFields } from '#features/orders/change/ChoiceFields.tsx'
import { ConsentDialog } from '#features/orders/change/ConsentDialog.tsx'
import { Sum } from '#features/orders/change/ChangeCosts.tsx'
import type { ChangeProps } from '#features/orders/change/ContractEditor.tsx'
import { YearsField } from '#features/orders/wizard/fields/YearsField.tsx'
import { wholeOf } from '#features/orders/wizard/fields/TermsFields.tsx'
import { useChanging } from '#features/orders/change/useSubmitChange.ts'
import { useToday } from '#ui/page/business-day.ts'
import { type ChangeDrafts, useChangeDraft } from '#features/orders/change/useChangeDraft.ts'
import { useWhyNot } from '#features/orders/change/useBlockedReason.ts'
import { differenceOf, isNothing } from '#features/orders/change/change-diff.ts'
import { usePayableFault } from '#features/orders/payment/usePayableFault.ts'
import { isNotPayable, payableWords } from '#ui/i18n/payable-messages.ts'
import { type AnyProblem, orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import { amountAfter, isAmountTooLarge } from '#features/orders/quote/local-quote.ts'
import {
  checkChangeDraft,
  checkYears,
  choiceOf,
  extendWish,
  type ChangeDraft,
} from '#features/orders/change/change-form.ts'

/** `onModify`: what runs is not on the list in force any more, and has to be changed first (D16). */
type Props = ChangeProps & { onClose: () => void; onModify: () => void }

/** More years, from the end of the contract or from today where that is over (M102); an expired one may change as well. */
export function Extend(props: Props) {
  const drafts = useChangeDraft('extend', props.contract)
  const { typed } = drafts
  return typed && <Opened {...props} drafts={drafts} typed={typed} />
}

function Opened({
  row,
  market,
  asOf,
  contract,
  onClose,
  onOrdered,
  onModify,
  typed,
  drafts: { keep, offer, onContinue, onDiscard },
}: Props & { typed: ChangeDraft; drafts: ChangeDrafts }) {
  const { t } = useTranslation('contract')
  const { t: ui } = useTranslation('ui')
  const today = useToday(market.zone)
  const isOver = row.state === 'expired'
  const choice = useMemo(() => choiceOf(typed), [typed])
  const years = wholeOf(typed.years)
  const mostYears = maxExtensionYears(contract, today)
  const wrongYears = checkYears(typed, mostYears)
  // More years of what runs are years of just that: whether the list has a price for it is all there is to say.
  const problems = [...(isOver ? checkChangeDraft(typed, market) : []), ...wrongYears]
  const isRight = problems.length === 0
  const wish = useMemo(
    () => (choice && years !== null && isRight ? extendWish(contract, choice, years) : null),
    [choice, years, isRight, contract],
  )
  const body = {
    type: 'extend' as const,
    contract_id: contract.id,
    ...(isOver && choice ? { ...choice, modules: typed.modules } : {}),
    period: years ?? 1,
  }
  const changing = useChanging({ market, wish, body, unpaid: unpaidBeside(row), onOrdered })
  const { figure, steps, reckoned, busy, problem } = changing
  const change = (fields: Partial<ChangeDraft>) => keep({ ...typed, ...fields })
  const dirty = typed.years !== '1' || choice === null || !isNothing(differenceOf(contract, choice))
  const isTooLarge = isAmountTooLarge(reckoned)
  const unlisted = !isOver && !isTooLarge && reckoned?.kind === 'none' ? reckoned.modules : null
  const fault = usePayableFault(figure, { waives: false })
  const whyNotPayable = isTooLarge ? t('amountTooLarge') : isNotPayable(fault) ? payableWords(fault) : null
  const whyNot = useWhyNot(unlisted ? t('modifyFirst') : isRight ? whyNotPayable : t('correctFirst'))
  const start = laterOf(contract.period_end, today)
  const anchor = anchorOf(start, { end: contract.period_end, anchor: contractAnchor(contract) })
  const until = wish?.type === 'extend' ? anchoredEnd(addToAnchor(anchor, 12 * wish.years)) : null
  const yearsProblem = wrongYears[0] ?? refusedYears(problem)
  const { currency } = contract

  return (
    <>
      <FormDrawer
        open
        title={t('extend.title', { code: row.code })}
        status={busy ? 'sending' : 'idle'}
        problem={problem}
        failed={ui('message.failed', { action: t('act.extend') })}
        submit={figure ? t('extend.submit', { amount: `${currency} ${grouped(figure.amount)}` }) : t('act.extend')}
        whyNot={whyNot}
        onSubmit={(event) => {
          event.preventDefault()
          if (!whyNot) changing.start()
        }}
        onClose={onClose}
        dirty={dirty}
      >
        {offer && (
          <DraftOffer
            at={offer.at}
            changed={offer.isChanged ? t('draftChanged') : undefined}
            {...{ onContinue, onDiscard }}
          />
        )}
        {unlisted && (
          <div className="order-note warning" role="alert">
            <div>
              <p>{t('modifyFirst')}</p>
              <p>{unlisted.join(', ')}</p>
            </div>
            <Button onClick={onModify}>{t('act.modify')}</Button>
          </div>
        )}
        {isOver && <p>{t('extend.overText', { date: row.expired_date })}</p>}
        <YearsField
          label={t('extend.years')}
          value={typed.years}
          most={mostYears}
          whyNoMore={orderFieldWords(checkExtensionYears(mostYears + 1, mostYears)[0] as AnyProblem, t('field.period'))}
          error={yearsProblem && orderFieldWords(yearsProblem, t('field.period'), typed.years)}
          onChange={(text) => change({ years: text })}
        >
          {until && t('extend.until', { last: lastDay(until) })}
        </YearsField>
        <Field
          label={t('extend.start')}
          size="date"
          name="period_start"
          value={start}
          locked={t(isOver ? 'extend.today' : 'extend.fromEnd')}
        />
        {isOver && (
          <ChoiceFields
            {...{ typed, problems, market, contract }}
            onChange={change}
            amountOf={(modules) =>
              choice && amountAfter(market, extendWish(contract, choice, years ?? 1), today, modules)
            }
          />
        )}
        {figure && steps && (
          <>
            <Facts>
              <Fact label={t('extend.period')}>
                {t('fromTo', { from: figure.period_start, last: lastDay(figure.period_end) })}
              </Fact>
              <Fact label={t('extend.annual')}>
                <Amount currency={currency} amount={figure.annual} />
              </Fact>
            </Facts>
            <Sum {...{ market, asOf, figure, steps, fault }} before={changing.before} />
          </>
        )}
      </FormDrawer>
      <ConsentDialog changing={changing} currency={currency} terms={null} />
    </>
  )
}

/** What the server says against the years, where the contract has been extended elsewhere meanwhile. */
const refusedYears = (problem: Problem | null): AnyProblem | undefined =>
  problem ? fieldProblems(problem).find(({ field }) => field === 'period') : undefined
