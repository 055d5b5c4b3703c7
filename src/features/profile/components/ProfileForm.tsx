import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useSaveBlocked, useDispatch, useSelector } from '#state/use-store.ts'
import { getFormResult } from '#state/form-thunk.ts'
import { getStatusProblem } from '#state/request-status.ts'
import { createUnsavedForms } from '#state/unsaved-forms.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { Field } from '#ui/form/Field.tsx'
import { navigateUnguarded } from '#ui/navigation-guard/navigation-guard.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem, formatProblem } from '#ui/i18n/problem-messages.ts'
import { PictureField } from '#features/profile/components/PictureField.tsx'
import { usePicture } from '#features/profile/components/usePicture.ts'
import { toProfileChanges, checkName, type PictureChange, type ProfileValues } from '#features/profile/form.ts'
import { formOpened, saveProfile, selectProfile } from '#features/profile/slice.ts'

/** A form whose user has to sign in again goes on where it was. */
const unsavedForms = createUnsavedForms<{ base: OverlaidRow<UserRow>; values: ProfileValues }>()
const formKey = 'profile'

/** What the picture is refused for; everything else stands above the form. */
const pictureCodes = new Set(['IMAGE_TOO_LARGE', 'UNSUPPORTED_TYPE'])

export function ProfileForm({ overlaidRow, onClose }: { overlaidRow: OverlaidRow<UserRow>; onClose: () => void }) {
  const { t } = useTranslation('profile')
  const { t: tUi } = useTranslation('ui')
  const dispatch = useDispatch()
  const restoredForm = unsavedForms.useUnsavedForm(formKey)
  // As it stood when the form was opened: what comes in meanwhile must not change a form under its user's hands.
  const [base, setBase] = useState(restoredForm?.base ?? overlaidRow)
  const [conflict, setConflict] = useState<{ previousRow: UserRow; currentRow: UserRow } | null>(null)
  const [picture, setPicture] = useState<PictureChange>(restoredForm?.values.picture)
  const currentUrl = usePicture(base.row.avatar)
  const { form: status } = useSelector(selectProfile)
  const saveBlock = useSaveBlocked()
  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = saveBlock ? createLocalProblem(saveBlock.code) : getStatusProblem(status)
  const { register, handleSubmit, formState, watch, setValue } = useForm<{ name: string }>({
    defaultValues: { name: restoredForm?.values.name ?? overlaidRow.row.name },
    resolver: (formValues) => {
      const nameProblem = formValues.name === overlaidRow.row.name ? null : checkName(formValues.name)
      if (!nameProblem) return { values: formValues, errors: {} }
      const message =
        nameProblem.code === 'REQUIRED' ? t('form.nameRequired') : formatFieldProblem(nameProblem, t('field.name'))
      return { values: {}, errors: { name: { type: nameProblem.code, message } } }
    },
  })
  useEffect(() => void dispatch(formOpened()), [dispatch])

  const values = { name: watch('name'), picture }
  const changes = toProfileChanges(values, base.row)
  const isDirty = Object.keys(changes).length > 0
  unsavedForms.useKeepUnsavedForm(formKey, isDirty ? { base, values } : null)

  const submit = handleSubmit(async ({ name }) => {
    const result = getFormResult(
      await dispatch(saveProfile({ initialRow: base, changes: toProfileChanges({ name, picture }, base.row) })),
    )
    if (result.kind === 'problem') return handleRefusal(result.problem)
    if (result.kind === 'queued') showToast({ kind: 'note', text: formatQueuedMessage(result) })
    else showToast({ kind: 'done', text: tUi('message.updated') })
    navigateUnguarded(onClose)
  })

  /** Changed elsewhere: the form goes on from the row as it is now, with what was typed here still in it. */
  function handleRefusal({ code, data }: Problem) {
    const serverRow = code === 'VERSION_CONFLICT' ? ((data as { current?: UserRow } | null)?.current ?? null) : null
    setConflict(serverRow && { previousRow: base.row, currentRow: serverRow })
    if (!serverRow) return
    setBase({ row: serverRow, waiting: null })
    if (values.name === base.row.name) setValue('name', serverRow.name)
  }

  const pictureError = problem && pictureCodes.has(problem.code) ? formatProblem(problem) : null
  return (
    <PageForm
      status={status.kind}
      problem={conflict || pictureError ? null : problem}
      failureTitle={saveBlock ? undefined : tUi('message.updateFailed')}
      submitLabel={status.kind === 'sending' ? t('form.saving') : t('form.submit')}
      disabledReason={saveBlock ? tUi(saveBlock.reason) : isDirty ? null : t('form.unchanged')}
      onSubmit={(event) => void submit(event)}
      onCancel={onClose}
      isDirty={isDirty}
    >
      {conflict && <ConflictNote title={t('conflict')} differences={listDifferences(conflict, t('field.name'))} />}
      <PictureField
        name={base.row.name}
        currentUrl={currentUrl}
        newPicture={picture}
        serverError={pictureError}
        onChange={(newPicture) => setPicture(newPicture)}
      />
      <Field
        label={t('field.name')}
        autoComplete="name"
        maxLength={100}
        error={formState.errors.name?.message}
        {...register('name')}
      />
    </PageForm>
  )
}

/** A picture is seen, not told. */
const listDifferences = ({ previousRow, currentRow }: { previousRow: UserRow; currentRow: UserRow }, label: string) =>
  previousRow.name === currentRow.name ? [] : [{ label, value: currentRow.name }]
