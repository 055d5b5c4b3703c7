import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'

interface OnlineFieldsProps {
  getFieldProps: (name: 'email' | 'website') => Partial<FieldProps>
  /** Why the e-mail address cannot be changed. */
  emailLock?: string | null
}

/** E-mail and website of a company. */
export function OnlineFields({ getFieldProps, emailLock }: OnlineFieldsProps) {
  const { t } = useTranslation('company')
  return (
    <>
      <Field
        label={t('form.email')}
        type="email"
        autoComplete="email"
        maxLength={254}
        lockReason={emailLock}
        {...getFieldProps('email')}
      />
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
