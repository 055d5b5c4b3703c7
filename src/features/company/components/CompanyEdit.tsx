import type { ReactNode } from 'react'
import { updateCompany } from '#contract/accounts.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { type CompanyProfile, getDialCode, profileFields } from '#domain/accounts/company-fields.ts'
import { cleanCode } from '#domain/text.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { EditFormNotes } from '#patterns/edit-form/EditFormNotes.tsx'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import { useActingLock } from '#patterns/useActingLock.ts'
import { useSubmitLabel } from '#patterns/edit-form/useSubmitLabel.ts'
import { Field } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { PageForm } from '#ui/form/PageForm.tsx'
import { useTranslation } from 'react-i18next'
import { AddressFields } from '#features/company/components/AddressFields.tsx'
import { CompanyNameField } from '#features/company/components/CompanyNameField.tsx'
import { CompanyPreview } from '#features/company/components/CompanyPreview.tsx'
import { CountryField } from '#features/company/components/CountryField.tsx'
import { OnlineFields } from '#features/company/components/OnlineFields.tsx'
import { TelephoneFields } from '#features/company/components/TelephoneFields.tsx'
import { useProblemFormatter } from '#features/company/components/useProblemFormatter.ts'
import {
  checkChanges,
  type CompanyFormValues,
  type CompanyRow,
  fromValues,
  rebaseCompany,
  toValues,
} from '#features/company/form.ts'

/** Returns the input that shows a problem. The telephone number has two inputs: the dial code's shows that the dial code is missing. */
function getInputName({ field, code }: FieldProblem): string {
  if (field !== 'tel') return field
  return code === 'DIAL_CODE_MISSING' ? 'dialCode' : 'number'
}

/**
 * Edits the company's profile (M35): three groups, next to a preview of the printed company. The form follows changes of the row until the
 * user types.
 */
export function CompanyEdit({ overlaidRow }: { overlaidRow: OverlaidRow<CompanyRow> }) {
  const { t } = useTranslation('company')
  const { code } = overlaidRow.row
  const getActingLock = useActingLock('updateCompany')
  const submitLabel = useSubmitLabel(t('form.submit'))
  const form = useEditForm<CompanyRow, CompanyFormValues, CompanyProfile, FieldProblem>({
    name: 'company',
    actingCall: 'updateCompany',
    row: overlaidRow,
    followsRow: true,
    toValues: (row) => toValues(row ?? overlaidRow.row),
    fromValues,
    getLockedFields: () => new Set(profileFields.filter((field) => getActingLock(field) !== null)),
    rebase: rebaseCompany,
    check: checkChanges,
    formatFault: useProblemFormatter(code),
    getInputName,
    save: ({ changes, options }) =>
      callEndpoint(updateCompany, { params: { id: overlaidRow.row.id }, body: changes }, options),
    texts: { submit: submitLabel, saving: t('form.saving'), unchanged: t('form.unchanged') },
  })
  const { values, getFieldProps } = form
  const changeCountry = (country: string) => form.change({ country, dialCode: getDialCode(country, values.dialCode) })
  return (
    <div className="company-columns">
      <PageForm {...form.formProps} onUndo={form.undo}>
        <EditFormNotes
          form={form}
          conflictTitle={t('conflict')}
          fields={profileFields}
          formatField={(field, row) => ({ label: t(`form.${field}`), value: row[field] ?? '' })}
        />
        <FieldGroup title={t('group.company')}>
          <Field size="code" label={t('form.code')} value={code} lockReason={t('locked')} />
          <CompanyNameField {...getFieldProps('name')} lockReason={getActingLock('name')} />
          <Field
            label={t('form.tax_number')}
            autoComplete="off"
            maxLength={40}
            help={t('help.tax_number')}
            lockReason={getActingLock('tax_number')}
            {...normaliseOnBlur(getFieldProps('tax_number'), cleanCode)}
          />
        </FieldGroup>
        <FieldGroup title={t('group.address')}>
          <CountryField
            lockReason={getActingLock('country')}
            {...getFieldProps('country')}
            onChange={(event: { target: { value: string } }) => changeCountry(event.target.value)}
          />
          <AddressFields
            values={values}
            getFieldProps={(name) => ({ lockReason: getActingLock(name), ...getFieldProps(name) })}
          />
        </FieldGroup>
        <FieldGroup title={t('group.contact')}>
          <TelephoneFields required={false} getFieldProps={getFieldProps} />
          <OnlineFields getFieldProps={getFieldProps} emailLock={getActingLock('email')} />
        </FieldGroup>
      </PageForm>
      <CompanyPreview code={code} fields={form.fields} />
    </div>
  )
}

const FieldGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <fieldset className="company-group">
    <legend>{title}</legend>
    {children}
  </fieldset>
)
