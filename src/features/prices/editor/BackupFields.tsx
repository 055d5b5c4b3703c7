import { memo } from 'react'
import { CheckField } from '#ui/form/ChoiceFields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import type { Act } from '#features/prices/editor/form-reducer.ts'
import { type BackupName, charges, type Values } from '#features/prices/price-list-form.ts'

interface Props {
  prices: Values['pdbPrice']
  wrong: Record<string, string>
  locked: string | null
  dispatch: (act: Act) => void
}

/** What backups of a database cost, to S3 and to RDS (M150); a list may sell none. */
export const BackupFields = memo(function BackupFields({ prices, wrong, locked, dispatch }: Props) {
  const { t } = useTranslation('prices')
  const field = (name: BackupName) => ({
    name: `pdbPrice.${name}`,
    value: prices?.[name] ?? '',
    error: wrong[`pdbPrice.${name}`],
    autoComplete: 'off',
    inputMode: 'decimal' as const,
    maxLength: 20,
    locked: locked && '',
    onChange: ({ target }: { target: { value: string } }) =>
      dispatch({ kind: 'backupPrice', name, value: target.value }),
  })
  const perCurrency = (name: 'pdb2s3_fee' | 'pdb2s3_up' | 'pdb2rds_fee') => (
    <fieldset className="price-three">
      <legend>{t(`field.${name}`)}</legend>
      <div>
        {charges.map((charge) => (
          <Field key={charge} label={charge.toUpperCase()} {...field(`${name}_${charge}`)} />
        ))}
      </div>
    </fieldset>
  )
  return (
    <>
      <CheckField
        label={t('backup.sold')}
        checked={prices !== null}
        locked={locked}
        onChange={({ target }) => dispatch({ kind: 'backup', on: target.checked })}
      />
      {prices && (
        <>
          <h3>{t('backup.s3')}</h3>
          {perCurrency('pdb2s3_fee')}
          <div className="price-pair">
            <Field label={t('field.pdb2s3_traffic')} help={t('help.pdb2s3_traffic')} {...field('pdb2s3_traffic')} />
            <Field label={t('field.pdb2s3_discount')} help={t('help.discount')} {...field('pdb2s3_discount')} />
          </div>
          {perCurrency('pdb2s3_up')}
          <h3>{t('backup.rds')}</h3>
          {perCurrency('pdb2rds_fee')}
          <div className="price-short">
            <Field label={t('field.pdb2rds_discount')} help={t('help.discount')} {...field('pdb2rds_discount')} />
          </div>
        </>
      )}
    </>
  )
})
