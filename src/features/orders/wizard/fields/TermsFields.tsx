import '#features/orders/wizard-words.ts'
import { trimPercent } from '#domain/fees/percent.ts'
import { getCurrencyPrices, type UserMode } from '#domain/fees/price-list.ts'
import { type Currency, writeAmount } from '#domain/money.ts'
import { getMinUsers, raiseUsers } from '#domain/checks/order-checks.ts'
import { userLimits } from '#domain/orders.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { CheckField, RadioField } from '#ui/form/choice-fields.tsx'
import { FieldFrame } from '#ui/form/Field.tsx'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'
import { useTranslation } from 'react-i18next'
import { UsersSlider } from '#features/orders/wizard/fields/UsersSlider.tsx'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import type { PriceListInForce, PriceData } from '#features/orders/quote/local-quote.ts'

/** Values of the form. Numbers are stored as the typed text. */
export interface TermsDraft {
  user_mode: UserMode
  users: string
  uat: boolean
}

export interface TermsFieldsProps {
  values: TermsDraft
  onChange: (fields: Partial<TermsDraft>) => void
  problems: readonly AnyFieldProblem[]
  priceData: PriceData
  currency: Currency
}

const modes: readonly UserMode[] = ['CONCURRENT', 'NAMED']

export function TermsFields({ values, onChange, problems, priceData, currency }: TermsFieldsProps) {
  const { t } = useTranslation('wizard')
  const { list } = priceData
  const minimumUsers = getMinUsers(list, values.user_mode)
  const options = modes.map((mode) => ({
    value: mode,
    label: t(`mode.${mode}`),
    help: t('mode.least', { count: getMinUsers(list, mode) }),
  }))
  const findProblem = (field: string) => problems.find((problem) => problem.field === field)
  const usersProblem = findProblem('users')

  function chooseMode(user_mode: UserMode) {
    const users = parseWholeNumber(values.users)
    // The number of users is raised to the other mode's minimum, but never lowered (contracts 5).
    onChange({ user_mode, ...(users === null ? {} : { users: String(raiseUsers(list, user_mode, users)) }) })
  }

  /** A minimum amount of 0 is not mentioned (D1). */
  function getUatHelp() {
    const { uatBound } = getCurrencyPrices(list, currency)
    const params = { percent: trimPercent(list.uat_charge), bound: formatAmount(currency, writeAmount(uatBound)) }
    if (priceData.uatBound === 'ceiling') return t('field.uatHelpCeiling', params)
    return t(uatBound > 0n ? 'field.uatHelpFloor' : 'field.uatHelp', params)
  }

  return (
    <>
      <RadioField
        label={t('field.user_mode')}
        name="user_mode"
        selectedValue={values.user_mode}
        options={options}
        onChange={({ target }) => chooseMode(target.value === 'NAMED' ? 'NAMED' : 'CONCURRENT')}
      />
      <div className="users-field">
        <FieldFrame
          size="figures"
          label={t('field.users')}
          help={t('field.usersHelp', { minimum: minimumUsers })}
          error={usersProblem && formatOrderFieldProblem(usersProblem, t('field.users'), values.users)}
        >
          {(fieldProps) => (
            <WholeNumberInput
              {...fieldProps}
              name="users"
              min={minimumUsers}
              max={userLimits.max}
              value={values.users}
              onType={(users) => onChange({ users })}
            />
          )}
        </FieldFrame>
        <UsersSlider
          min={Math.max(1, minimumUsers)}
          max={getSliderMax(list, values.user_mode)}
          value={parseWholeNumber(values.users) ?? minimumUsers}
          currency={currency}
          tiers={getCurrencyPrices(list, currency).ranges[values.user_mode]}
          onChange={(users) => onChange({ users })}
        />
      </div>
      <CheckField
        label={t('field.uat')}
        name="uat"
        checked={values.uat}
        help={getUatHelp()}
        onChange={({ target }) => onChange({ uat: target.checked })}
      />
    </>
  )
}

/** Returns null if the text is not a whole number. */
export const parseWholeNumber = (text: string): number | null => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : null)

/**
 * Returns twice the start of the last range, because most orders are below it: at least 100, and at most the end of the range. Higher
 * numbers can be typed.
 */
function getSliderMax(list: PriceListInForce, mode: UserMode): number {
  const ranges = mode === 'CONCURRENT' ? list.concurrentUser : list.namedUser
  const lastFrom = Math.max(...ranges.map(({ from }) => from), 1)
  const lastTo = Math.max(...ranges.map(({ to }) => to), 1)
  return Math.min(lastTo, Math.max(100, 2 * lastFrom))
}
