import '#features/company/style.css'
import { useEffect, useRef, useState } from 'react'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import {
  type CompanyField,
  type CompanyValues,
  getDialCode,
  joinTel,
  maxCompanyCodeLength,
  splitTel,
} from '#domain/accounts/company-fields.ts'
import { cleanCode } from '#domain/text.ts'
import { Button } from '#ui/display/Button.tsx'
import { Field, type FieldProps } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { useTranslation } from 'react-i18next'
import { AddressFields } from '#features/company/components/AddressFields.tsx'
import { CompanyNameField } from '#features/company/components/CompanyNameField.tsx'
import { CountryField } from '#features/company/components/CountryField.tsx'
import { OnlineFields } from '#features/company/components/OnlineFields.tsx'
import { TelephoneFields } from '#features/company/components/TelephoneFields.tsx'
import { useProblemFormatter } from '#features/company/components/useProblemFormatter.ts'

type InputName = Exclude<CompanyField, 'tel'> | 'dialCode' | 'number'

/** Optional fields, which the user can also fill in later on the company page. */
const optionalFields = ['province', 'city', 'addr1', 'addr2', 'addr3', 'email', 'website'] as const

interface CompanyFieldsProps {
  values: CompanyValues
  problems: readonly FieldProblem[]
  onChange: (fields: Partial<CompanyValues>) => void
  onLeave: (field: CompanyField) => void
}

/**
 * The form of a company that is not registered yet. The sign-up stores its values (portal 5). Optional fields are rendered when the user
 * asks for them, when one of them has a value (after a reload), or when one was refused.
 */
export function CompanyFields({ values, problems, onChange, onLeave }: CompanyFieldsProps) {
  const { t } = useTranslation('company')
  const formatProblem = useProblemFormatter(values.code)
  const tel = splitTel(values.tel)
  const needsOptional = optionalFields.some(
    (name) => values[name] !== '' || problems.some(({ field }) => field === name),
  )
  const { hasOptional, open, optionalRef } = useOptionalFields(needsOptional)

  function toValues(name: InputName, value: string): Partial<CompanyValues> {
    if (name === 'dialCode' || name === 'number') return { tel: joinTel({ ...tel, [name]: value }) }
    if (name !== 'country') return { [name]: value }
    return { country: value, tel: joinTel({ ...tel, dialCode: getDialCode(value, tel.dialCode) }) }
  }

  const getFieldProps = (name: InputName) => {
    const { [name as CompanyField]: text = '' } = values
    // Errors of the phone number are shown at the number field, except a missing dial code.
    const valueName = name === 'number' || name === 'dialCode' ? 'tel' : name
    const problem = problems.find(
      ({ field, code }) =>
        field === valueName && (valueName !== 'tel' || (code === 'DIAL_CODE_MISSING') === (name === 'dialCode')),
    )
    return {
      name,
      value: name === 'dialCode' || name === 'number' ? tel[name] : text,
      error: problem && formatProblem(problem),
      onChange: ({ target: { value } }: { target: { value: string } }) => onChange(toValues(name, value)),
      onBlur: () => onLeave(valueName),
    }
  }
  return (
    <>
      <NewCodeField {...getFieldProps('code')} />
      <CompanyNameField {...getFieldProps('name')} />
      <CountryField {...getFieldProps('country')} />
      <TelephoneFields required getFieldProps={getFieldProps} />
      {hasOptional ? (
        <div className="company-optional" ref={optionalRef}>
          <AddressFields {...{ values, getFieldProps }} />
          <OnlineFields getFieldProps={getFieldProps} />
        </div>
      ) : (
        <Button icon="plus" aria-expanded={false} onClick={open}>
          {t('addOptional')}
        </Button>
      )}
    </>
  )
}

/** State of the optional fields. Once rendered they stay, so that a user who empties the last one keeps the focus. */
function useOptionalFields(isNeeded: boolean) {
  const [state, setState] = useState<'closed' | 'needed' | 'opened'>(isNeeded ? 'needed' : 'closed')
  if (isNeeded && state === 'closed') setState('needed')
  const optionalRef = useRef<HTMLDivElement>(null)
  // The pressed button is removed, so the focus moves to the first field in its place.
  useEffect(() => {
    if (state === 'opened') optionalRef.current?.querySelector('input')?.focus()
  }, [state])
  return { hasOptional: state !== 'closed', open: () => setState('opened'), optionalRef }
}

function NewCodeField(props: Partial<FieldProps>) {
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
      {...normaliseOnBlur(props, cleanCode)}
    />
  )
}
