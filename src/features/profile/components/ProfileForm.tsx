import { getFieldProblems, type Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkUser } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { EditFormNotes } from '#patterns/edit-form/EditFormNotes.tsx'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import { useSubmitLabel } from '#patterns/edit-form/useSubmitLabel.ts'
import { Field } from '#ui/form/Field.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem, formatProblem } from '#ui/i18n/problem-messages.ts'
import { PictureField } from '#features/profile/components/PictureField.tsx'
import { fromProfileValues, type ProfileValues } from '#features/profile/form.ts'
import { saveProfile } from '#features/profile/save-profile.ts'

/** Codes of problems that are shown at the picture. All others are shown above the form. */
const pictureCodes = ['IMAGE_TOO_LARGE', 'UNSUPPORTED_TYPE']

type ProfileFault = (FieldProblem & { problem?: never }) | { field: 'avatar'; code: string; problem: Problem }

interface ProfileFormProps {
  overlaidRow: OverlaidRow<UserRow>
  onClose: () => void
}

export function ProfileForm({ overlaidRow, onClose }: ProfileFormProps) {
  const { t } = useTranslation('profile')
  const submitLabel = useSubmitLabel(t('form.submit'))
  const form = useEditForm<UserRow, ProfileValues, ProfileValues, ProfileFault>({
    name: 'profile',
    row: overlaidRow,
    toValues(row) {
      const { name, avatar } = row ?? overlaidRow.row
      return { name, avatar }
    },
    fromValues: fromProfileValues,
    check: (_fields, { name }) => (name === undefined ? [] : checkUser({ name })),
    formatFault({ code, problem, ...fieldProblem }) {
      if (problem) return formatProblem(problem)
      return code === 'REQUIRED'
        ? t('form.nameRequired')
        : formatFieldProblem({ ...fieldProblem, code: code as FieldProblem['code'] }, t('field.name'))
    },
    findFaults: (problem) =>
      pictureCodes.includes(problem.code)
        ? [{ field: 'avatar', code: problem.code, problem }]
        : getFieldProblems(problem),
    save: ({ changes, options }) => saveProfile(overlaidRow.row.id, changes, options),
    onLeave: onClose,
    texts: { submit: submitLabel, saving: t('form.saving'), unchanged: t('form.unchanged') },
  })
  const { name, avatar } = form.row?.row ?? overlaidRow.row
  return (
    <PageForm {...form.formProps} onCancel={onClose}>
      <EditFormNotes
        form={{ conflict: form.conflict }}
        conflictTitle={t('conflict')}
        fields={['name']}
        formatField={(_field, row) => ({ label: t('field.name'), value: row.name })}
      />
      <PictureField name={name} currentAvatar={avatar} {...form.getValueProps('avatar')} />
      <Field label={t('field.name')} autoComplete="name" maxLength={100} autoFocus {...form.getFieldProps('name')} />
    </PageForm>
  )
}
