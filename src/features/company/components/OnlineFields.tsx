import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'

interface OnlineFieldsProps {
  getFieldProps: (name: 'email' | 'website') => Partial<FieldProps>
}

/** E-mail and website of a company. */
export function OnlineFields({ getFieldProps }: OnlineFieldsProps) {
  const { t } = useTranslation('company')
  return (
    <>
      <Field label={t('form.email')} type="email" autoComplete="email" maxLength={254} {...getFieldProps('email')} />
      <Field
        label={t('form.website')}
        type="url"
        autoComplete="url"
        maxLength={200}
        help={t('help.website')}
        {...getFieldProps('website')}
      />
    </>
  )
}
