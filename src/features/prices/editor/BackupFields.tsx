import { memo, useState } from 'react'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { renderHelp } from '#features/prices/changes/render-help.tsx'
import type { PriceListChanges } from '#features/prices/changes/list-changes.ts'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { type BackupFieldName, priceCurrencies, type PriceListValues } from '#features/prices/price-list-form.ts'

interface Props {
  prices: PriceListValues['pdbPrice']
  problemTexts: Record<string, string>
  oldValues: PriceListChanges['backup']
  dispatch: (action: PriceFormAction) => void
}

/** Inputs for the prices of database backups to S3 and RDS (M150). A list may have no backup prices. */
export const BackupFields = memo(function BackupFields({ prices, problemTexts, oldValues, dispatch }: Props) {
  const { t } = useTranslation('prices')
  // Turning backups off and on again must not lose what was typed.
  const [formerPrices, setFormerPrices] = useState<Props['prices']>(null)
  const getFieldProps = (name: BackupFieldName, label: string, help?: string) => ({
    label,
    help: renderHelp({
      name,
      help,
      oldValue: oldValues[name],
      onUndo: (value) => dispatch({ kind: 'backupPrice', name, value }),
    }),
    name: `pdbPrice.${name}`,
    value: prices?.[name] ?? '',
    error: problemTexts[`pdbPrice.${name}`],
    autoComplete: 'off',
    inputMode: 'decimal' as const,
    maxLength: 20,
    onChange: ({ target }: { target: { value: string } }) =>
      dispatch({ kind: 'backupPrice', name, value: target.value }),
  })
  const renderCurrencyFields = (name: 'pdb2s3_fee' | 'pdb2s3_up' | 'pdb2rds_fee') => (
    <fieldset className="price-three">
      <legend>{t(`field.${name}`)}</legend>
      <div>
        {priceCurrencies.map((charge) => (
          <Field key={charge} {...getFieldProps(`${name}_${charge}`, charge.toUpperCase())} />
        ))}
      </div>
    </fieldset>
  )
  return (
    <>
      <CheckField
        label={t('backup.sold')}
        checked={prices !== null}
        onChange={({ target }) => {
          if (prices) setFormerPrices(prices)
          dispatch({ kind: 'backup', isOn: target.checked, prices: formerPrices })
        }}
      />
      {prices && (
        <>
          <h3>{t('backup.s3')}</h3>
          {renderCurrencyFields('pdb2s3_fee')}
          <div className="price-pair">
            <Field {...getFieldProps('pdb2s3_traffic', t('field.pdb2s3_traffic'), t('help.pdb2s3_traffic'))} />
            <Field {...getFieldProps('pdb2s3_discount', t('field.pdb2s3_discount'), t('help.discount'))} />
          </div>
          {renderCurrencyFields('pdb2s3_up')}
          <h3>{t('backup.rds')}</h3>
          {renderCurrencyFields('pdb2rds_fee')}
          <div className="price-short">
            <Field {...getFieldProps('pdb2rds_discount', t('field.pdb2rds_discount'), t('help.discount'))} />
          </div>
        </>
      )}
    </>
  )
})
