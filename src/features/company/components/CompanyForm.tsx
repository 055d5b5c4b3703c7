import '#features/company/style.css'
import { countries, dialCodes, longestCompanyCode } from '#domain/accounts/companies.ts'
import { tidyCode, tidyFigures } from '#domain/text.ts'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { tidyOnLeave } from '#ui/form/tidy-on-leave.ts'
import { useTranslation } from 'react-i18next'
import { Region } from '#features/company/components/Region.tsx'
import type { Values } from '#features/company/form.ts'

/** `code` is a field only while there is no company yet; the sign-up does not ask for a tax number. */
export type Name = Exclude<keyof Values, 'tax_number'> | 'code'

interface Props {
  /** Shown and never changed (M35). Absent: it is a new company, whose telephone is required (portal 5). */
  lockedCode?: string
  values: Pick<Values, 'country' | 'province'>
  /** What the form spreads into a field of its own, its error included. */
  field: (name: Name) => Partial<FieldProps>
}

/** The fields of a company, in the order of an address. It knows neither who keeps the values nor what becomes of them. */
export function CompanyForm({ lockedCode, values, field }: Props) {
  const { t } = useTranslation('company')
  const options = [
    { value: '', label: t('country.none') },
    ...countries.map((country) => ({ value: country, label: t(`country.${country}`, { code: dialCodes[country] }) })),
  ]
  const { list: _, type: __, ...country } = field('country')
  return (
    <>
      {lockedCode === undefined ? (
        <NewCode {...field('code')} />
      ) : (
        <Field size="code" label={t('form.code')} value={lockedCode} locked={t('locked')} />
      )}
      <Field required label={t('form.name')} autoComplete="organization" maxLength={100} {...field('name')} />
      <SelectField label={t('form.country')} autoComplete="country" options={options} {...(country as object)} />
      <div className="field-row">
        <Region country={values.country} province={values.province} field={field} />
      </div>
      {(['addr1', 'addr2', 'addr3'] as const).map((name, at) => (
        <Field
          key={name}
          label={t(`form.${name}`)}
          autoComplete={`address-line${at + 1}`}
          maxLength={200}
          {...field(name)}
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
          {...tidyOnLeave(field('dialCode'), tidyDialCode)}
        />
        <Field
          label={t('form.number')}
          required={lockedCode === undefined}
          type="tel"
          autoComplete="tel-national"
          maxLength={20}
          {...tidyOnLeave(field('number'), tidyFigures)}
        />
      </fieldset>
      <Field label={t('form.email')} type="email" autoComplete="email" maxLength={254} {...field('email')} />
      <Field
        label={t('form.website')}
        type="url"
        autoComplete="url"
        maxLength={200}
        help={t('help.website')}
        {...field('website')}
      />
    </>
  )
}

/** A plus before it is there already. */
const tidyDialCode = (text: string) => tidyFigures(text.normalize('NFKC').replace(/^\s*(?:\+|00)/, ''))

function NewCode(field: Partial<FieldProps>) {
  const { t } = useTranslation('company')
  return (
    <Field
      required
      size="code"
      label={t('form.code')}
      help={t('help.code')}
      maxLength={longestCompanyCode}
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...tidyOnLeave(field, tidyCode)}
    />
  )
}
