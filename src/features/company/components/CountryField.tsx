import { countries, dialCodes } from '#domain/accounts/company-fields.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import type { FieldProps } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'

export function CountryField(props: Partial<FieldProps>) {
  const { t } = useTranslation('company')
  const { list: _, type: __, ...country } = props
  const options = [
    { value: '', label: t('country.none') },
    ...countries.map((code) => ({ value: code, label: t(`country.${code}`, { code: dialCodes[code] }) })),
  ]
  return <SelectField label={t('form.country')} autoComplete="country" options={options} {...(country as object)} />
}
