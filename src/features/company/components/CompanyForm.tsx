import '#features/company/style.css'
import { type CompanyField, countries, dialCodes, maxCompanyCodeLength } from '#domain/accounts/company-fields.ts'
import { cleanCode, cleanDigits } from '#domain/text.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { useTranslation } from 'react-i18next'
import { Region } from '#features/company/components/Region.tsx'
import type { CompanyFormValues } from '#features/company/form.ts'

/** Names of the form's inputs. The sign-up uses them too. Only the sign-up has an input for `code`, because the code never changes. */
export type CompanyFieldName = Exclude<CompanyField, 'tel'> | 'dialCode' | 'number'

interface Props {
  /** Company code, never editable (M35). Absent for a new company, whose telephone is required (portal 5). */
  lockedCode?: string
  values: Pick<CompanyFormValues, 'country' | 'province'>
  getFieldProps: (name: CompanyFieldName) => Partial<FieldProps>
}

/** The fields of a company, in the order of an address. The parent holds the values and saves them. */
export function CompanyForm({ lockedCode, values, getFieldProps }: Props) {
  const { t } = useTranslation('company')
  const options = [
    { value: '', label: t('country.none') },
    ...countries.map((country) => ({ value: country, label: t(`country.${country}`, { code: dialCodes[country] }) })),
  ]
  const { list: _, type: __, ...country } = getFieldProps('country')
  return (
    <>
      {lockedCode === undefined ? (
        <NewCode {...getFieldProps('code')} />
      ) : (
        <Field size="code" label={t('form.code')} value={lockedCode} lockReason={t('locked')} />
      )}
      <Field required label={t('form.name')} autoComplete="organization" maxLength={100} {...getFieldProps('name')} />
      <SelectField label={t('form.country')} autoComplete="country" options={options} {...(country as object)} />
      <div className="field-row">
        <Region country={values.country} province={values.province} getFieldProps={getFieldProps} />
      </div>
      {(['addr1', 'addr2', 'addr3'] as const).map((name, index) => (
        <Field
          key={name}
          label={t(`form.${name}`)}
          autoComplete={`address-line${index + 1}`}
          maxLength={200}
          {...getFieldProps(name)}
        />
      ))}
      <fieldset className="company-tel">
        <legend>{t('form.tel')}</legend>
        <Field
          label={t('form.dialCode')}
          size="figures"
          type="tel"
          inputMode="numeric"
          autoComplete="tel-country-code"
          maxLength={5}
          {...normaliseOnBlur(getFieldProps('dialCode'), cleanDialCode)}
        />
        <Field
          label={t('form.number')}
          required={lockedCode === undefined}
          type="tel"
          autoComplete="tel-national"
          maxLength={20}
          {...normaliseOnBlur(getFieldProps('number'), cleanDigits)}
        />
      </fieldset>
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

/** Removes a typed plus or 00, because the input already shows a plus. */
const cleanDialCode = (text: string) => cleanDigits(text.normalize('NFKC').replace(/^\s*(?:\+|00)/, ''))

function NewCode(field: Partial<FieldProps>) {
  const { t } = useTranslation('company')
  return (
    <Field
      required
      size="code"
      label={t('form.code')}
      help={t('help.code')}
      maxLength={maxCompanyCodeLength}
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...normaliseOnBlur(field, cleanCode)}
    />
  )
}
