import { type ChangeEvent, memo } from 'react'
import type { Currency } from '#domain/money.ts'
import { getStartWindow } from '#domain/checks/order-checks.ts'
import { descLimit, nameLimit } from '#domain/orders.ts'
import { isDate } from '#domain/plain-dates.ts'
import { cleanCode } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import { useMedia } from '#ui/display/useMedia.ts'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { Field, FieldFrame, useLengthLimit } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { TermsFields } from '#features/orders/wizard/fields/TermsFields.tsx'
import { YearsField } from '#features/orders/wizard/fields/YearsField.tsx'
import { type AnyFieldProblem, formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { normaliseCode, type WizardValues } from '#features/orders/draft/wizard-form.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'

/** What is known of the code: being asked, free, held by an own unpaid order, or only to be known with a line. */
export type ServiceCodeState = 'unasked' | 'checking' | 'free' | 'own' | 'later'

interface Props {
  values: WizardValues
  onChange: (fields: Partial<WizardValues>) => void
  onLeaveCode: () => void
  codeState: ServiceCodeState
  problems: readonly AnyFieldProblem[]
  priceData: PriceData
  currencies: readonly Currency[]
  today: PlainDate
  /** Of the provider's staff. */
  isStaff: boolean
}

/** The first step: what is ordered for whom, from when. */
export function DetailsStep(props: Props) {
  const { values, onChange, onLeaveCode, codeState, problems, priceData, currencies, today, isStaff } = props
  const { code, name, desc, company_id, sOrderCreateTime, currency, period, period_start } = values
  const fieldsProps = { problems, onChange }
  const { t } = useTranslation('wizard')
  const fieldsets = [
    <fieldset key="service" className="form wizard-group">
      <legend>{t('group.service')}</legend>
      <ServiceFields {...{ code, name, desc, codeState, onLeaveCode }} {...fieldsProps} />
      {isStaff && <StaffFields {...{ company_id, sOrderCreateTime, today }} {...fieldsProps} />}
    </fieldset>,
    <fieldset key="terms" className="form wizard-group">
      <legend>{t('group.terms')}</legend>
      <CurrencyField {...{ currency, currencies, onChange }} />
      <TermsFields values={values} priceData={priceData} currency={currency} {...fieldsProps} />
      <PeriodFields {...{ period, period_start, sOrderCreateTime, today }} {...fieldsProps} />
    </fieldset>,
  ]
  // Whoever holds a tablet plays with the price first, and types afterwards.
  const isTablet = useMedia('(pointer: coarse) and (width >= 48rem)')
  return isTablet ? fieldsets.toReversed() : fieldsets
}

type TextFieldName = Exclude<
  { [N in keyof WizardValues]: WizardValues[N] extends string ? N : never }[keyof WizardValues],
  'currency' | 'user_mode' | 'users'
>
type FieldsProps = Pick<Props, 'problems' | 'onChange'>

/** What a field of text is given. */
function useFieldProps<N extends TextFieldName>(values: Pick<WizardValues, N>, { problems, onChange }: FieldsProps) {
  const { t } = useTranslation('wizard')
  return (name: N) => {
    const label = t(`field.${name as TextFieldName}`)
    const problem = problems.find(({ field }) => field === name)
    const isMisshapen = name === 'code' && problem?.code === 'INVALID_FORMAT'
    return {
      name,
      label,
      value: values[name],
      error: isMisshapen ? t('code.wrong') : problem && formatOrderFieldProblem(problem, label, values[name]),
      onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
    }
  }
}

const ServiceFields = memo(function ServiceFields({
  codeState,
  onLeaveCode,
  onChange,
  problems,
  ...values
}: Pick<WizardValues, 'code' | 'name' | 'desc'> & Pick<Props, 'codeState' | 'onLeaveCode'> & FieldsProps) {
  const getFieldProps = useFieldProps(values, { problems, onChange })
  const { error: descError, value, label, ...descProps } = getFieldProps('desc')
  const { error, input: limitProps } = useLengthLimit<HTMLTextAreaElement>(descLimit, { value, error: descError })
  const handleCodeInput = ({ target }: ChangeEvent<HTMLInputElement>) => {
    // Lower case in the field before React draws it: a value that differs from what was typed sends the caret to the end.
    const caret = target.selectionStart
    target.value = normaliseCode(target.value)
    target.setSelectionRange(caret, caret)
    onChange({ code: target.value })
  }
  return (
    <>
      <Field
        {...normaliseOnBlur({ ...getFieldProps('code'), onChange: handleCodeInput, onBlur: onLeaveCode }, (text) =>
          normaliseCode(cleanCode(text)),
        )}
        size="code"
        help={<CodeHelp state={codeState} />}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={16}
      />
      <Field {...getFieldProps('name')} autoComplete="off" maxLength={nameLimit} />
      <FieldFrame label={label} optional error={error}>
        {(frameProps) => (
          <textarea className="input" rows={2} value={value} {...descProps} {...limitProps} {...frameProps} />
        )}
      </FieldFrame>
    </>
  )
})

const CurrencyField = memo(function CurrencyField({
  currency,
  currencies,
  onChange,
}: Pick<WizardValues, 'currency'> & Pick<Props, 'currencies' | 'onChange'>) {
  const { t } = useTranslation('wizard')
  return (
    <RadioField
      label={t('field.currency')}
      name="currency"
      selectedValue={currency}
      options={currencies.map((option) => ({ value: option, label: option }))}
      onChange={({ target }) => onChange({ currency: target.value as Currency })}
    />
  )
})

const PeriodFields = memo(function PeriodFields({
  period,
  period_start,
  sOrderCreateTime: backDate,
  today,
  ...fieldsProps
}: Pick<WizardValues, 'period' | 'period_start' | 'sOrderCreateTime'> & Pick<Props, 'today'> & FieldsProps) {
  const { t } = useTranslation('wizard')
  const getFieldProps = useFieldProps({ period, period_start }, fieldsProps)
  const [firstDay, lastDay] = getStartWindow(today, isDate(backDate) ? backDate : null)
  const { label, value, error } = getFieldProps('period')
  return (
    <>
      <YearsField {...{ label, value, error }} onChange={(years) => fieldsProps.onChange({ period: years })} />
      <DateField
        {...getFieldProps('period_start')}
        min={firstDay}
        max={lastDay}
        help={t('field.startHelp', { first: firstDay, last: lastDay })}
        onChange={(day) => fieldsProps.onChange({ period_start: day })}
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
}: Pick<WizardValues, 'company_id' | 'sOrderCreateTime'> & Pick<Props, 'today'> & FieldsProps) {
  const { t } = useTranslation('wizard')
  const getFieldProps = useFieldProps(values, { problems, onChange })
  const { label, error, value } = getFieldProps('company_id')
  return (
    <fieldset className="staff-fields">
      <legend>{t('staff.legend')}</legend>
      <div className="field-row">
        <CompanyPicker
          label={label}
          error={error}
          optional
          help={t('staff.companyHelp')}
          companyId={value === '' ? null : Number(value)}
          onChoose={(id) => onChange({ company_id: id === null ? '' : String(id) })}
        />
        <DateField
          {...getFieldProps('sOrderCreateTime')}
          max={today}
          optional
          help={t('staff.createdHelp')}
          onChange={(day) => onChange({ sOrderCreateTime: day })}
        />
      </div>
    </fieldset>
  )
})

function CodeHelp({ state }: { state: ServiceCodeState }) {
  const { t } = useTranslation('wizard')
  if (state === 'free')
    return (
      <>
        <Icon name="check" size={16} /> {t('code.free')}
      </>
    )
  return t(state === 'unasked' ? 'code.help' : `code.${state}`)
}
