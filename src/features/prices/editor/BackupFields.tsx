import { memo } from 'react'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { type BackupFieldName, priceCurrencies, type PriceListValues } from '#features/prices/price-list-form.ts'

interface Props {
  prices: PriceListValues['pdbPrice']
  problemTexts: Record<string, string>
  isLocked: boolean
  dispatch: (action: PriceFormAction) => void
}

/** Inputs for the prices of database backups to S3 and RDS (M150). A list may have no backup prices. */
export const BackupFields = memo(function BackupFields({ prices, problemTexts, isLocked, dispatch }: Props) {
  const { t } = useTranslation('prices')
  const getFieldProps = (name: BackupFieldName) => ({
    name: `pdbPrice.${name}`,
    value: prices?.[name] ?? '',
    error: problemTexts[`pdbPrice.${name}`],
    autoComplete: 'off',
    inputMode: 'decimal' as const,
    maxLength: 20,
    lockReason: isLocked ? '' : null,
    onChange: ({ target }: { target: { value: string } }) =>
      dispatch({ kind: 'backupPrice', name, value: target.value }),
  })
  const renderCurrencyFields = (name: 'pdb2s3_fee' | 'pdb2s3_up' | 'pdb2rds_fee') => (
    <fieldset className="price-three">
      <legend>{t(`field.${name}`)}</legend>
      <div>
        {priceCurrencies.map((charge) => (
          <Field key={charge} label={charge.toUpperCase()} {...getFieldProps(`${name}_${charge}`)} />
        ))}
      </div>
    </fieldset>
  )
  return (
    <>
      <CheckField
        label={t('backup.sold')}
        checked={prices !== null}
        lockReason={isLocked ? '' : null}
        onChange={({ target }) => dispatch({ kind: 'backup', isOn: target.checked })}
      />
      {prices && (
        <>
          <h3>{t('backup.s3')}</h3>
          {renderCurrencyFields('pdb2s3_fee')}
          <div className="price-pair">
            <Field
              label={t('field.pdb2s3_traffic')}
              help={t('help.pdb2s3_traffic')}
              {...getFieldProps('pdb2s3_traffic')}
            />
            <Field label={t('field.pdb2s3_discount')} help={t('help.discount')} {...getFieldProps('pdb2s3_discount')} />
          </div>
          {renderCurrencyFields('pdb2s3_up')}
          <h3>{t('backup.rds')}</h3>
          {renderCurrencyFields('pdb2rds_fee')}
          <div className="price-short">
            <Field
              label={t('field.pdb2rds_discount')}
              help={t('help.discount')}
              {...getFieldProps('pdb2rds_discount')}
            />
          </div>
        </>
      )}
    </>
  )
})
