import { cleanDigits } from '#domain/text.ts'
import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { useTranslation } from 'react-i18next'

interface TelephoneFieldsProps {
  required: boolean
  getFieldProps: (name: 'dialCode' | 'number') => Partial<FieldProps>
}

/** The HTML standard allows these autofill names only on plain text fields; `inputMode` chooses the keyboard. */
export function TelephoneFields({ required, getFieldProps }: TelephoneFieldsProps) {
  const { t } = useTranslation('company')
  return (
    <fieldset className="company-tel">
      <legend>{t('form.tel')}</legend>
      <Field
        label={t('form.dialCode')}
        size="figures"
        inputMode="numeric"
        autoComplete="tel-country-code"
        maxLength={5}
        {...normaliseOnBlur(getFieldProps('dialCode'), cleanDialCode)}
      />
      <Field
        label={t('form.number')}
        required={required}
        inputMode="tel"
        autoComplete="tel-national"
        maxLength={20}
        {...normaliseOnBlur(getFieldProps('number'), cleanDigits)}
      />
    </fieldset>
  )
}

/** Removes a typed plus or 00, because the input already shows a plus. */
const cleanDialCode = (text: string) => cleanDigits(text.normalize('NFKC').replace(/^\s*(?:\+|00)/, ''))
