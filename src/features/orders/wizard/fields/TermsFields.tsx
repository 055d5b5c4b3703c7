import '#features/orders/wizard-words.ts'
import { pricesOf, type UserMode } from '#domain/fees/price-list.ts'
import { type Currency, writeAmount } from '#domain/money.ts'
import { minUsers, raisedUsers } from '#domain/checks/order-checks.ts'
import { userLimits } from '#domain/orders.ts'
import { amountText } from '#ui/display/Amount.tsx'
import { CheckField, RadioField } from '#ui/form/ChoiceFields.tsx'
import { FieldFrame } from '#ui/form/Field.tsx'
import { WholeNumberInput } from '#ui/form/WholeNumberInput.tsx'
import { useTranslation } from 'react-i18next'
import { UsersRange } from '#features/orders/wizard/fields/UsersSlider.tsx'
import { type AnyProblem, orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import type { ListInForce, PriceData } from '#features/orders/quote/local-quote.ts'

/** As they stand in the form: a number that is being typed is text. */
export interface TermsDraft {
  user_mode: UserMode
  users: string
  uat: boolean
}

export interface OrderFieldsProps {
  values: TermsDraft
  onChange: (fields: Partial<TermsDraft>) => void
  problems: readonly AnyProblem[]
  market: PriceData
  currency: Currency
}

const modes: readonly UserMode[] = ['CONCURRENT', 'NAMED']

/** User mode, users and UAT: what a new order and a change of a contract both ask for. */
export function OrderFields({ values, onChange, problems, market, currency }: OrderFieldsProps) {
  const { t } = useTranslation('wizard')
  const { list } = market
  const least = minUsers(list, values.user_mode)
  const options = modes.map((mode) => ({
    value: mode,
    label: t(`mode.${mode}`),
    help: t('mode.least', { count: minUsers(list, mode) }),
  }))
  const wrong = (field: string) => problems.find((problem) => problem.field === field)
  const about = wrong('users')

  function chooseMode(user_mode: UserMode) {
    const users = wholeOf(values.users)
    // Raised to what the other mode asks for at least, never lowered (contracts 5).
    onChange({ user_mode, ...(users === null ? {} : { users: String(raisedUsers(list, user_mode, users)) }) })
  }

  /** A lowest amount of nothing is none (D1). */
  function uatHelp() {
    const { uatBound } = pricesOf(list, currency)
    const said = { percent: list.uat_charge, bound: amountText(currency, writeAmount(uatBound)) }
    if (market.uatBound === 'ceiling') return t('field.uatHelpCeiling', said)
    return t(uatBound > 0n ? 'field.uatHelpFloor' : 'field.uatHelp', said)
  }

  return (
    <>
      <RadioField
        label={t('field.user_mode')}
        name="user_mode"
        chosen={values.user_mode}
        options={options}
        onChange={({ target }) => chooseMode(target.value === 'NAMED' ? 'NAMED' : 'CONCURRENT')}
      />
      <div className="users-field">
        <FieldFrame
          size="figures"
          label={t('field.users')}
          help={t('field.usersHelp', { least })}
          error={about && orderFieldWords(about, t('field.users'), values.users)}
        >
          {(described) => (
            <WholeNumberInput
              {...described}
              name="users"
              min={least}
              max={userLimits.most}
              value={values.users}
              onType={(users) => onChange({ users })}
            />
          )}
        </FieldFrame>
        <UsersRange
          min={Math.max(1, least)}
          max={reachOf(list, values.user_mode)}
          value={wholeOf(values.users) ?? least}
          tiers={pricesOf(list, currency).ranges[values.user_mode]}
          onChange={(users) => onChange({ users })}
        />
      </div>
      <CheckField
        label={t('field.uat')}
        name="uat"
        checked={values.uat}
        help={uatHelp()}
        onChange={({ target }) => onChange({ uat: target.checked })}
      />
    </>
  )
}

/** Null: it is no whole number. */
export const wholeOf = (text: string): number | null => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : null)

/** How far the slider goes: twice into the last range, for most orders lie before it; beyond that one types. */
function reachOf(list: ListInForce, mode: UserMode): number {
  const ranges = mode === 'CONCURRENT' ? list.concurrentUser : list.namedUser
  const last = Math.max(...ranges.map(({ from }) => from), 1)
  const end = Math.max(...ranges.map(({ to }) => to), 1)
  return Math.min(end, Math.max(100, 2 * last))
}
