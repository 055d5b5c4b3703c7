import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { useTranslation } from 'react-i18next'
import { Region } from '#features/company/components/Region.tsx'
import type { CompanyFormValues } from '#features/company/form.ts'

const addressLines = ['addr1', 'addr2', 'addr3'] as const

interface AddressFieldsProps {
  values: Pick<CompanyFormValues, 'country' | 'province'>
  getFieldProps: (name: 'province' | 'city' | (typeof addressLines)[number]) => Partial<FieldProps>
}

/** The address without its country, in the order of an address. */
export function AddressFields({ values: { country, province }, getFieldProps }: AddressFieldsProps) {
  const { t } = useTranslation('company')
  return (
    <>
      <div className="field-row">
        <Region {...{ country, province, getFieldProps }} />
      </div>
      {addressLines.map((name, index) => (
        <Field
          key={name}
          label={t(`form.${name}`)}
          autoComplete={`address-line${index + 1}`}
          maxLength={200}
          {...getFieldProps(name)}
        />
      ))}
    </>
  )
}
