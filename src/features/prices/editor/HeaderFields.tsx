import { memo } from 'react'
import { DateField } from '#ui/form/DateField.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import type { PriceListChanges } from '#features/prices/changes/list-changes.ts'
import { renderHelp } from '#features/prices/changes/render-help.tsx'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import {
  type HeaderFieldName,
  minimumFieldNames,
  priceCurrencies,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'
import { LockedHeader } from '#features/prices/locked/LockedHeader.tsx'
import { useSettings } from '#patterns/useSettings.ts'

interface Props {
  header: PriceListValues['header']
  problemTexts: Record<string, string>
  /** A confirmed list has only its description as a field, and its prices as tables (D81). */
  isLocked: boolean
  isDescLocked: boolean
  oldValues: PriceListChanges['header']
  /** Reasons why the list cannot be confirmed, by field. They replace the help text, so that the layout does not shift. */
  notes: Readonly<Record<string, string>>
  dispatch: (action: PriceFormAction) => void
}

/** Inputs for effective date, description, UAT fee and minimum fees. Each field shows its limit (M146). */
export const HeaderFields = memo(function HeaderFields(props: Props) {
  const { header, problemTexts, isLocked, isDescLocked, oldValues, notes, dispatch } = props
  const { t } = useTranslation('prices')
  // The label depends on whether the server reads the UAT amount as a minimum or a maximum (D1).
  const uatBound = useSettings()?.uat_bound ?? 'floor'
  const uatContext = uatBound === 'ceiling' ? { context: 'ceiling' } : {}
  const changeField = (name: HeaderFieldName, value: string) => dispatch({ kind: 'header', name, value })
  const getFieldProps = (name: HeaderFieldName, help?: string) => ({
    name,
    value: header[name],
    error: problemTexts[name],
    help: renderHelp({ name, help, oldValue: oldValues[name], uatBound, onUndo: (value) => changeField(name, value) }),
  })
  const getTextFieldProps = (name: HeaderFieldName, help?: string) => ({
    ...getFieldProps(name, help),
    autoComplete: 'off',
    onChange: ({ target }: { target: { value: string } }) => changeField(name, target.value),
  })
  const descField = (
    <Field
      label={t('field.desc')}
      maxLength={500}
      lockReason={isDescLocked ? '' : null}
      {...getTextFieldProps('desc', t('help.desc'))}
    />
  )
  if (isLocked)
    return (
      <>
        {descField}
        <LockedHeader header={header} />
      </>
    )
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
          {...getFieldProps('effective_date', t('help.effective_date'))}
          onChange={(day) => changeField('effective_date', day)}
        />
      </div>
      {descField}
      <div className="price-pair">
        {minimumFieldNames.map((name) => (
          <Field
            key={name}
            label={t(`field.${name}`)}
            inputMode="numeric"
            maxLength={10}
            {...getTextFieldProps(name, notes[name] ?? t('help.min_users'))}
          />
        ))}
      </div>
      {renderCurrencyFields('min_fee')}
      <div className="price-short">
        <Field
          label={t('field.uat_charge')}
          inputMode="decimal"
          maxLength={12}
          {...getTextFieldProps('uat_charge', t('help.uat_charge'))}
        />
      </div>
      {renderCurrencyFields('uat_cap')}
    </>
  )
})
