import { memo } from 'react'
import { DateField } from '#ui/form/DateField.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import {
  type HeaderFieldName,
  minimumFieldNames,
  priceCurrencies,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'
import { useSettings } from '#patterns/useSettings.ts'

interface Props {
  header: PriceListValues['header']
  problemTexts: Record<string, string>
  /** Whether all fields except the description are locked. */
  isLocked: boolean
  isDescLocked: boolean
  /** Reasons why the list cannot be confirmed, by field. They replace the help text, so that the layout does not shift. */
  notes: Readonly<Record<string, string>>
  dispatch: (action: PriceFormAction) => void
}

/** Inputs for effective date, description, UAT fee and minimum fees. Each field shows its limit (M146). */
export const HeaderFields = memo(function HeaderFields(props: Props) {
  const { header, problemTexts, isLocked, isDescLocked, notes, dispatch } = props
  const { t } = useTranslation('prices')
  const getFieldProps = (name: HeaderFieldName) => ({
    name,
    value: header[name],
    error: problemTexts[name],
    lockReason: (name === 'desc' ? isDescLocked : isLocked) ? '' : null,
  })
  const changeField = (name: HeaderFieldName, value: string) => dispatch({ kind: 'header', name, value })
  const getTextFieldProps = (name: HeaderFieldName) => ({
    ...getFieldProps(name),
    autoComplete: 'off',
    onChange: ({ target }: { target: { value: string } }) => changeField(name, target.value),
  })
  // The label depends on whether the server reads the UAT amount as a minimum or a maximum (D1).
  const uatContext = useSettings()?.uat_bound === 'ceiling' ? { context: 'ceiling' } : {}
  const renderCurrencyFields = (name: 'uat_cap' | 'min_fee') => (
    <fieldset className="price-three">
      <legend>{t(`field.${name}`, uatContext)}</legend>
      <p className="field-help">{t(`help.${name}`, uatContext)}</p>
      <div>
        {priceCurrencies.map((charge) => (
          <Field
            key={charge}
            label={charge.toUpperCase()}
            inputMode="decimal"
            maxLength={20}
            {...getTextFieldProps(`${name}_${charge}`)}
          />
        ))}
      </div>
    </fieldset>
  )
  return (
    <>
      <div className="price-short">
        <DateField
          label={t('field.effective_date')}
          help={t('help.effective_date')}
          {...getFieldProps('effective_date')}
          onChange={(day) => changeField('effective_date', day)}
        />
      </div>
      <Field label={t('field.desc')} help={t('help.desc')} maxLength={500} {...getTextFieldProps('desc')} />
      <div className="price-pair">
        {minimumFieldNames.map((name) => (
          <Field
            key={name}
            label={t(`field.${name}`)}
            help={notes[name] ?? t('help.min_users')}
            inputMode="numeric"
            maxLength={10}
            {...getTextFieldProps(name)}
          />
        ))}
      </div>
      {renderCurrencyFields('min_fee')}
      <div className="price-short">
        <Field
          label={t('field.uat_charge')}
          help={t('help.uat_charge')}
          inputMode="decimal"
          maxLength={12}
          {...getTextFieldProps('uat_charge')}
        />
      </div>
      {renderCurrencyFields('uat_cap')}
    </>
  )
})
