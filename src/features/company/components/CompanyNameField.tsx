import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'

export function CompanyNameField(props: Partial<FieldProps>) {
  const { t } = useTranslation('company')
  return <Field required label={t('form.name')} autoComplete="organization" maxLength={100} {...props} />
}
