import { updateCompany } from '#contract/accounts.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { type CompanyProfile, getDialCode, profileFields } from '#domain/accounts/company-fields.ts'
import { cleanCode } from '#domain/text.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { EditFormNotes } from '#patterns/edit-form/EditFormNotes.tsx'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import { Field } from '#ui/form/Field.tsx'
import { normaliseOnBlur } from '#ui/form/normalise-on-blur.ts'
import { PageForm } from '#ui/form/PageForm.tsx'
import { useTranslation } from 'react-i18next'
import { CompanyForm, type CompanyFieldName } from '#features/company/components/CompanyForm.tsx'
import { useProblemFormatter } from '#features/company/components/useProblemFormatter.ts'
import {
  checkChanges,
  type CompanyFormValues,
  type CompanyRow,
  fromValues,
  rebaseCompany,
  toValues,
} from '#features/company/form.ts'

type InputEvent = { target: { value: string } }

/** Returns the input that shows a problem. The telephone number has two inputs: the dial code's shows that the dial code is missing. */
function getInputName({ field, code }: FieldProblem): string {
  if (field !== 'tel') return field
  return code === 'DIAL_CODE_MISSING' ? 'dialCode' : 'number'
}

/** Edits the company's profile (M35). The form follows changes of the row until the user types. */
export function CompanyEdit({ overlaidRow }: { overlaidRow: OverlaidRow<CompanyRow> }) {
  const { t } = useTranslation('company')
  const form = useEditForm<CompanyRow, CompanyFormValues, CompanyProfile, FieldProblem>({
    name: 'company',
    row: overlaidRow,
    followsRow: true,
    toValues: (row) => toValues(row ?? overlaidRow.row),
    fromValues,
    rebase: rebaseCompany,
    check: checkChanges,
    formatFault: useProblemFormatter(overlaidRow.row.code),
    getInputName,
    save: ({ changes, options }) =>
      callEndpoint(updateCompany, { params: { id: overlaidRow.row.id }, body: changes }, options),
    texts: { submit: t('form.submit'), saving: t('form.saving'), unchanged: t('form.unchanged') },
  })
  const changeCountry = (country: string) =>
    form.change({ country, dialCode: getDialCode(country, form.values.dialCode) })
  const getFieldProps = (name: CompanyFieldName) => {
    if (name === 'code') return {}
    const props = form.getFieldProps(name)
    return name === 'country' ? { ...props, onChange: (event: InputEvent) => changeCountry(event.target.value) } : props
  }
  return (
    <PageForm {...form.formProps} onUndo={form.undo}>
      <EditFormNotes
        form={form}
        conflictTitle={t('conflict')}
        fields={profileFields}
        formatField={(field, row) => ({ label: t(`form.${field}`), value: row[field] ?? '' })}
      />
      <CompanyForm lockedCode={overlaidRow.row.code} values={form.values} getFieldProps={getFieldProps} />
      <Field
        label={t('form.tax_number')}
        autoComplete="off"
        maxLength={40}
        help={t('help.tax_number')}
        {...normaliseOnBlur(form.getFieldProps('tax_number'), cleanCode)}
      />
    </PageForm>
  )
}
