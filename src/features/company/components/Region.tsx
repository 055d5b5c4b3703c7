import { useEffect, useId, useState } from 'react'
import { countries } from '#domain/accounts/company-fields.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { readRegions, type CountryRegions } from '#features/company/regions.ts'

interface Props {
  country: string
  province: string
  getFieldProps: (name: 'province' | 'city') => Partial<FieldProps>
}

/** Province and city, with suggestions for the country. Any other text is accepted too. */
export function Region({ country, province, getFieldProps }: Props) {
  const { t } = useTranslation('company')
  const id = useId()
  const regions = useRegions(country)
  const hasProvinces = country !== 'HK' || province !== ''
  const cities = regions?.cities(province) ?? []
  const help = regions ? t('help.region') : undefined
  const lists = { province: regions?.provinces ?? [], city: cities }
  return (
    <>
      {hasProvinces && (
        <Field
          label={t('form.province')}
          autoComplete="address-level1"
          maxLength={100}
          help={help}
          list={`${id}-province`}
          {...getFieldProps('province')}
        />
      )}
      <Field
        label={country === 'HK' ? t('form.district') : t('form.city')}
        autoComplete="address-level2"
        maxLength={100}
        help={hasProvinces ? cities.length > 1 && t('help.city') : help}
        list={`${id}-city`}
        {...getFieldProps('city')}
      />
      {Object.entries(lists).map(([name, names]) => (
        <datalist key={name} id={`${id}-${name}`}>
          {names.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      ))}
    </>
  )
}

/** Null if there are no suggestions. If they cannot be loaded, the user can still type. */
function useRegions(country: string): CountryRegions | null {
  const language = getLanguage()
  const [regions, setRegions] = useState<CountryRegions | null>(null)
  useEffect(() => {
    let isCurrent = true
    const knownCountry = countries.find((candidate) => candidate === country) ?? null
    void readRegions(knownCountry, language)
      .catch(() => null)
      .then((loadedRegions) => isCurrent && setRegions(loadedRegions))
    return () => {
      isCurrent = false
    }
  }, [country, language])
  return regions
}
