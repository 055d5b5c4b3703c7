import { type ChangeEvent, memo } from 'react'
import { isProvider } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import { getStartWindow } from '#domain/checks/order-checks.ts'
import { descLimit, nameLimit } from '#domain/orders.ts'
import { isDate } from '#domain/plain-dates.ts'
import { cleanCode } from '#domain/text.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { RadioField } from '#ui/form/choice-fields.tsx'
import { DateField } from '#ui/form/DateField.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { Field, FieldFrame, useLengthLimit } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { TermsFields } from '#features/orders/wizard/fields/TermsFields.tsx'
import { YearsField } from '#features/orders/wizard/fields/YearsField.tsx'
import { formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { normaliseCode, type WizardValues } from '#features/orders/draft/wizard-form.ts'
import { PricedStep } from '#features/orders/wizard/steps/PricedStep.tsx'
import type { ServiceCodeState } from '#features/orders/wizard/state/useServiceCode.ts'
import type { WizardState } from '#features/orders/wizard/state/useWizard.ts'

export function DetailsStep({ wizard }: { wizard: WizardState }) {
  const { t } = useTranslation('wizard')
  return (
    <PricedStep
      wizard={wizard}
      onSubmit={(event) => {
        event.preventDefault()
        void wizard.leaveDetails()
      }}
      button={
        <Button kind="primary" type="submit">
          {t('next')}
        </Button>
      }
    >
      <h2 className="sr-only" tabIndex={-1}>
        {t('steps.0')}
      </h2>
      <ErrorSummary />
      <DetailsFields wizard={wizard} />
    </PricedStep>
  )
}

function DetailsFields({ wizard }: { wizard: WizardState }) {
  const { priceData, currencies, today, values, problems, updateValues: onChange, checkCode, codeState } = wizard
  const { code, name, desc, company_id, sOrderCreateTime, currency, period, period_start } = values
  const { t } = useTranslation('wizard')
  const { caller } = useSignedInSession()
  const fieldsProps = { problems, onChange }
  return (
    <>
      <fieldset className="form wizard-group">
        <legend>{t('group.service')}</legend>
        <ServiceFields {...{ code, name, desc, codeState }} onLeaveCode={checkCode} {...fieldsProps} />
        {isProvider(caller) && <StaffFields {...{ company_id, sOrderCreateTime, today }} {...fieldsProps} />}
      </fieldset>
      <fieldset className="form wizard-group">
        <legend>{t('group.terms')}</legend>
        <CurrencyField {...{ currency, currencies, onChange }} />
        <TermsFields values={values} priceData={priceData} currency={currency} {...fieldsProps} />
        <PeriodFields {...{ period, period_start, sOrderCreateTime, today }} {...fieldsProps} />
      </fieldset>
    </>
  )
}

type TextFieldName = Exclude<
  { [N in keyof WizardValues]: WizardValues[N] extends string ? N : never }[keyof WizardValues],
  'currency' | 'user_mode' | 'users'
>
interface FieldsProps {
  problems: WizardState['problems']
  onChange: WizardState['updateValues']
}

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

interface ServiceFieldsProps extends FieldsProps, Pick<WizardValues, 'code' | 'name' | 'desc'> {
  codeState: ServiceCodeState
  onLeaveCode: () => void
}

const ServiceFields = memo(function ServiceFields({
  codeState,
  onLeaveCode,
  onChange,
  problems,
  ...values
}: ServiceFieldsProps) {
  const getFieldProps = useFieldProps(values, { problems, onChange })
  const { error: descError, value, label, ...descProps } = getFieldProps('desc')
  const { error, input: limitProps } = useLengthLimit<HTMLTextAreaElement>(descLimit, { value, error: descError })
  const handleCodeInput = ({ target }: ChangeEvent<HTMLInputElement>) => {
    // Converts to lower case before React renders. If React set a value that was not typed, the caret would move to the end.
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
}: Pick<WizardValues, 'currency'> & Pick<WizardState, 'currencies'> & Pick<FieldsProps, 'onChange'>) {
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
}: Pick<WizardValues, 'period' | 'period_start' | 'sOrderCreateTime'> & Pick<WizardState, 'today'> & FieldsProps) {
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

/** Fields of the provider's staff, who can order for any company and can back-date an order (D39). */
const StaffFields = memo(function StaffFields({
  today,
  onChange,
  problems,
  ...values
}: Pick<WizardValues, 'company_id' | 'sOrderCreateTime'> & Pick<WizardState, 'today'> & FieldsProps) {
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
  // A taken code is shown as the field's error instead.
  return t(state === 'unasked' || state === 'taken' ? 'code.help' : `code.${state}`)
}
