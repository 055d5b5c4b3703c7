import { useMemo } from 'react'
import { getFieldProblems, type Problem } from '#contract/problem.ts'
import { groupThousands } from '#domain/money.ts'
import { checkExtensionYears } from '#domain/checks/order-checks.ts'
import { getMaxExtensionYears } from '#domain/orders.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { ChangeConsentDialog } from '#features/orders/change/ChangeConsentDialog.tsx'
import { ChangeDraftOffer } from '#features/orders/change/ChangeDraftOffer.tsx'
import { ChoiceFields } from '#features/orders/change/ChoiceFields.tsx'
import { ChangeCosts } from '#features/orders/change/ChangeCosts.tsx'
import type { ContractEditorProps } from '#features/orders/change/ContractEditor.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { YearsField } from '#features/orders/wizard/fields/YearsField.tsx'
import { parseWholeNumber } from '#features/orders/wizard/fields/TermsFields.tsx'
import { type SubmitChangeState, useSubmitChange } from '#features/orders/change/useSubmitChange.ts'
import { useToday } from '#ui/page/use-today.ts'
import { type ChangeDrafts, useChangeDraft } from '#features/orders/change/useChangeDraft.ts'
import { useOrderButton } from '#features/orders/change/useOrderButton.ts'
import { getChoiceDifference, isEmptyDifference } from '#features/orders/change/change-diff.ts'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { findUnlistedModules } from '#features/orders/quote/local-quote.ts'
import {
  checkChangeDraft,
  checkYears,
  getExtensionTerm,
  parseChoice,
  toExtensionBody,
  toRequestedExtension,
  type ChangeDraft,
} from '#features/orders/change/change-form.ts'
import { joinList } from '#ui/i18n/messages.ts'

/** `onModify`: the contract has modules that are no longer on the list in force and must be changed first (D16). */
type Props = ContractEditorProps & { onClose: () => void; onModify: () => void }

/** Extends from the end of the contract, or from today if it has expired (M102). The terms of an expired contract can be changed too. */
export function ContractExtension(props: Props) {
  const drafts = useChangeDraft('extend', props.contract)
  const { draft } = drafts
  return draft && <ExtensionForm {...props} drafts={drafts} draft={draft} />
}

interface ExtensionFormProps extends Props {
  draft: ChangeDraft
  drafts: ChangeDrafts
}

function ExtensionForm({ onClose, onModify, draft, drafts, ...props }: ExtensionFormProps) {
  const { t } = useTranslation('contract')
  const { t: tUi } = useTranslation('ui')
  const { row, priceData, asOf, contract, onOrdered } = props
  const today = useToday(priceData.timeZone)
  const isOver = row.state === 'expired'
  const choice = useMemo(() => parseChoice(draft), [draft])
  const years = parseWholeNumber(draft.years)
  const maxYears = getMaxExtensionYears(contract, today)
  // While the contract is in effect, its terms cannot change, so only the years are checked. `findUnlistedModules` finds modules without a
  // price.
  const problems = [...(isOver ? checkChangeDraft(draft, priceData) : []), ...checkYears(draft, maxYears)]
  const isValid = problems.length === 0
  const requestedOrder = useMemo(
    () => (choice && years !== null && isValid ? toRequestedExtension(contract, choice, years) : null),
    [choice, years, isValid, contract],
  )
  const submission = useSubmitChange({
    row,
    priceData,
    requestedOrder,
    onOrdered,
    body: toExtensionBody(draft, contract, isOver),
    isWaivable: false,
  })
  const { figure, problem } = submission
  const unlistedModules = isOver ? null : findUnlistedModules(submission.localQuote)
  const formReason = unlistedModules ? t('modifyFirst') : isValid ? null : t('correctFirst')
  const { disabledReason, onSubmit } = useOrderButton(formReason ?? submission.notPayableReason, submission.start)
  return (
    <>
      <FormDrawer
        open
        title={t('extend.title', { code: row.code })}
        status={submission.isBusy ? 'sending' : 'idle'}
        problem={problem}
        failureTitle={tUi('message.failed', { action: t('act.extend') })}
        submitLabel={
          figure
            ? t('extend.submit', { amount: `${figure.currency} ${groupThousands(figure.amount)}` })
            : t('act.extend')
        }
        {...{ disabledReason, onSubmit, onClose }}
        isDirty={isChanged(draft, contract)}
      >
        <ChangeDraftOffer drafts={drafts} />
        {unlistedModules && <UnlistedModulesNote modules={unlistedModules} onModify={onModify} />}
        <ExtensionFields
          {...{ row, contract, priceData, draft, problems, maxYears, isValid, today }}
          refusal={problem}
          onChange={drafts.updateDraft}
        />
        <ExtensionCosts {...{ submission, priceData, asOf }} />
      </FormDrawer>
      <ChangeConsentDialog submission={submission} currency={contract.currency} comparison={null} />
    </>
  )
}

function isChanged(draft: ChangeDraft, contract: ContractRow): boolean {
  const choice = parseChoice(draft)
  return draft.years !== '1' || choice === null || !isEmptyDifference(getChoiceDifference(contract, choice))
}

interface ExtensionFieldsProps extends Pick<Props, 'row' | 'contract' | 'priceData'> {
  draft: ChangeDraft
  problems: readonly AnyFieldProblem[]
  /** The server's refusal. Only the server knows whether another user has extended the contract meanwhile. */
  refusal: Problem | null
  isValid: boolean
  maxYears: number
  today: PlainDate
  onChange: (fields: Partial<ChangeDraft>) => void
}

function ExtensionFields(props: ExtensionFieldsProps) {
  const { row, contract, priceData, draft, problems, refusal, isValid, maxYears, today, onChange } = props
  const { t } = useTranslation('contract')
  const isOver = row.state === 'expired'
  const choice = parseChoice(draft)
  const years = parseWholeNumber(draft.years)
  const { start, end } = getExtensionTerm(contract, today, isValid && choice ? years : null)
  const yearsProblem = findYearsProblem([...problems, ...getRefusedFields(refusal)])
  return (
    <>
      {isOver && <p>{t('extend.overText', { date: row.expired_date })}</p>}
      {!isOver && row.pending?.type === 'change' && (
        <p>{t('extend.inForce', { count: contract.users, number: formatNumber(contract.users) })}</p>
      )}
      <YearsField
        label={t('extend.years')}
        value={draft.years}
        maxYears={maxYears}
        maxReachedReason={formatOrderFieldProblem(
          checkExtensionYears(maxYears + 1, maxYears)[0] as AnyFieldProblem,
          t('field.period'),
        )}
        error={yearsProblem && formatOrderFieldProblem(yearsProblem, t('field.period'), draft.years)}
        onChange={(text) => onChange({ years: text })}
      >
        {end ? t('extend.period', { from: start, last: getLastDay(end) }) : `${t('extend.start')} ${start}`}
        <span className="extend-why">{t(isOver ? 'extend.today' : 'extend.fromEnd')}</span>
      </YearsField>
      {isOver && (
        <ChoiceFields
          {...{ draft, problems, priceData, contract, onChange }}
          pricedOrder={choice && toRequestedExtension(contract, choice, years ?? 1)}
        />
      )}
    </>
  )
}

const getRefusedFields = (refusal: Problem | null): readonly AnyFieldProblem[] =>
  refusal ? getFieldProblems(refusal) : []
const findYearsProblem = (problems: readonly AnyFieldProblem[]) => problems.find(({ field }) => field === 'period')

function UnlistedModulesNote({ modules, onModify }: { modules: readonly string[]; onModify: () => void }) {
  const { t } = useTranslation('contract')
  return (
    <div className="order-note warning" role="alert">
      <div>
        <p>{t('modifyFirst')}</p>
        <p>{joinList(modules)}</p>
      </div>
      <Button onClick={onModify}>{t('act.modify')}</Button>
    </div>
  )
}

type ExtensionCostsProps = { submission: SubmitChangeState } & Pick<Props, 'priceData' | 'asOf'>

function ExtensionCosts({ submission, priceData, asOf }: ExtensionCostsProps) {
  const { t } = useTranslation('contract')
  const { figure, steps, fault, previousFigure } = submission
  if (!figure || !steps) return null
  const { currency, annual } = figure
  return (
    <>
      <DescriptionList>
        <DescriptionItem label={t('extend.annual')}>
          <Amount currency={currency} amount={annual} />
        </DescriptionItem>
      </DescriptionList>
      <ChangeCosts {...{ priceData, asOf, figure, steps, fault, previousFigure }} />
    </>
  )
}
