import { type ChangeEvent, memo } from 'react'
import type { Currency } from '#domain/money.ts'
import { startWindow } from '#domain/checks/order-checks.ts'
import { descLimit, nameLimit } from '#domain/orders.ts'
import { isDate } from '#domain/period.ts'
import { tidyCode } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import { useMedia } from '#ui/display/useMedia.ts'
import { RadioField } from '#ui/form/ChoiceFields.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { Field, FieldFrame, useLengthLimit } from '#ui/form/Field.tsx'
import { tidyOnLeave } from '#ui/form/tidy-on-leave.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { OrderFields } from '#features/orders/wizard/fields/TermsFields.tsx'
import { YearsField } from '#features/orders/wizard/fields/YearsField.tsx'
import { type AnyProblem, orderFieldWords } from '#ui/i18n/order-field-messages.ts'
import { typedCode, type Values } from '#features/orders/draft/wizard-form.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'

/** What is known of the code: being asked, free, held by an own unpaid order, or only to be known with a line. */
export type CodeState = 'unasked' | 'asking' | 'free' | 'own' | 'later'

interface Props {
  values: Values
  onChange: (fields: Partial<Values>) => void
  onLeaveCode: () => void
  codeState: CodeState
  problems: readonly AnyProblem[]
  market: PriceData
  currencies: readonly Currency[]
  today: PlainDate
  /** Of the provider's staff. */
  isStaff: boolean
}

/** The first step: what is ordered for whom, from when. */
export function Information(props: Props) {
  const { values, onChange, onLeaveCode, codeState, problems, market, currencies, today, isStaff } = props
  const { code, name, desc, company_id, sOrderCreateTime, currency, period, period_start } = values
  const common = { problems, onChange }
  const { t } = useTranslation('wizard')
  const parts = [
    <fieldset key="service" className="form wizard-group">
      <legend>{t('group.service')}</legend>
      <Naming {...{ code, name, desc, codeState, onLeaveCode }} {...common} />
      {isStaff && <StaffFields {...{ company_id, sOrderCreateTime, today }} {...common} />}
    </fieldset>,
    <fieldset key="terms" className="form wizard-group">
      <legend>{t('group.terms')}</legend>
      <Currencies {...{ currency, currencies, onChange }} />
      <OrderFields values={values} market={market} currency={currency} {...common} />
      <Period {...{ period, period_start, sOrderCreateTime, today }} {...common} />
    </fieldset>,
  ]
  // Whoever holds a tablet plays with the price first, and types afterwards.
  const isTablet = useMedia('(pointer: coarse) and (width >= 48rem)')
  return isTablet ? parts.toReversed() : parts
}

type Typed = Exclude<
  { [N in keyof Values]: Values[N] extends string ? N : never }[keyof Values],
  'currency' | 'user_mode' | 'users'
>
type Common = Pick<Props, 'problems' | 'onChange'>

/** What a field of text is given. */
function useGiven<N extends Typed>(values: Pick<Values, N>, { problems, onChange }: Common) {
  const { t } = useTranslation('wizard')
  return (name: N) => {
    const label = t(`field.${name as Typed}`)
    const problem = problems.find(({ field }) => field === name)
    const isMisshapen = name === 'code' && problem?.code === 'INVALID_FORMAT'
    return {
      name,
      label,
      value: values[name],
      error: isMisshapen ? t('code.wrong') : problem && orderFieldWords(problem, label, values[name]),
      onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
    }
  }
}

const Naming = memo(function Naming({
  codeState,
  onLeaveCode,
  onChange,
  problems,
  ...values
}: Pick<Values, 'code' | 'name' | 'desc'> & Pick<Props, 'codeState' | 'onLeaveCode'> & Common) {
  const given = useGiven(values, { problems, onChange })
  const { error: wrong, value, label, ...rest } = given('desc')
  const { error, input: limited } = useLengthLimit<HTMLTextAreaElement>(descLimit, { value, error: wrong })
  const typeCode = ({ target }: ChangeEvent<HTMLInputElement>) => {
    // Lower case in the field before React draws it: a value that differs from what was typed sends the caret to the end.
    const caret = target.selectionStart
    target.value = typedCode(target.value)
    target.setSelectionRange(caret, caret)
    onChange({ code: target.value })
  }
  return (
    <>
      <Field
        {...tidyOnLeave({ ...given('code'), onChange: typeCode, onBlur: onLeaveCode }, (text) =>
          typedCode(tidyCode(text)),
        )}
        size="code"
        help={<CodeHelp state={codeState} />}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={16}
      />
      <Field {...given('name')} autoComplete="off" maxLength={nameLimit} />
      <FieldFrame label={label} optional error={error}>
        {(described) => <textarea className="input" rows={2} value={value} {...rest} {...limited} {...described} />}
      </FieldFrame>
    </>
  )
})

const Currencies = memo(function Currencies({
  currency,
  currencies,
  onChange,
}: Pick<Values, 'currency'> & Pick<Props, 'currencies' | 'onChange'>) {
  const { t } = useTranslation('wizard')
  return (
    <RadioField
      label={t('field.currency')}
      name="currency"
      chosen={currency}
      options={currencies.map((one) => ({ value: one, label: one }))}
      onChange={({ target }) => onChange({ currency: target.value as Currency })}
    />
  )
})

const Period = memo(function Period({
  period,
  period_start,
  sOrderCreateTime: created,
  today,
  ...common
}: Pick<Values, 'period' | 'period_start' | 'sOrderCreateTime'> & Pick<Props, 'today'> & Common) {
  const { t } = useTranslation('wizard')
  const given = useGiven({ period, period_start }, common)
  const [first, last] = startWindow(today, isDate(created) ? created : null)
  const { label, value, error } = given('period')
  return (
    <>
      <YearsField {...{ label, value, error }} onChange={(years) => common.onChange({ period: years })} />
      <DateField
        {...given('period_start')}
        min={first}
        max={last}
        help={t('field.startHelp', { first, last })}
        onChange={(day) => common.onChange({ period_start: day })}
      />
    </>
  )
})

/** The provider's staff order for any company, and may date an order back (D39). */
const StaffFields = memo(function StaffFields({
  today,
  onChange,
  problems,
  ...values
}: Pick<Values, 'company_id' | 'sOrderCreateTime'> & Pick<Props, 'today'> & Common) {
  const { t } = useTranslation('wizard')
  const given = useGiven(values, { problems, onChange })
  const { label, error, value } = given('company_id')
  return (
    <fieldset className="staff-fields">
      <legend>{t('staff.legend')}</legend>
      <div className="field-row">
        <CompanyPicker
          label={label}
          error={error}
          optional
          help={t('staff.companyHelp')}
          company={value === '' ? null : Number(value)}
          onChoose={(id) => onChange({ company_id: id === null ? '' : String(id) })}
        />
        <DateField
          {...given('sOrderCreateTime')}
          max={today}
          optional
          help={t('staff.createdHelp')}
          onChange={(day) => onChange({ sOrderCreateTime: day })}
        />
      </div>
    </fieldset>
  )
})

function CodeHelp({ state }: { state: CodeState }) {
  const { t } = useTranslation('wizard')
  if (state === 'free')
    return (
      <>
        <Icon name="check" size={16} /> {t('code.free')}
      </>
    )
  return t(state === 'unasked' ? 'code.help' : `code.${state}`)
}
