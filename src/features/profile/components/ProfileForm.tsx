import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { UserRow } from '#contract/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useSaveBlocked, useDispatch, useSelector } from '#state/hooks.ts'
import { resultOf } from '#state/form-thunk.ts'
import { problemOf } from '#state/request-status.ts'
import { createUnsaved } from '#state/unsaved-forms.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { Field } from '#ui/form/Field.tsx'
import { goFreely } from '#ui/navigation-guard/NavigationGuard.tsx'
import { PageForm } from '#ui/form/PageForm.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { queuedWords } from '#ui/i18n/queued-messages.ts'
import { useTranslation } from 'react-i18next'
import { fieldWords, problemWords } from '#ui/i18n/problem-messages.ts'
import { PictureField } from '#features/profile/components/PictureField.tsx'
import { usePicture } from '#features/profile/components/usePicture.ts'
import { changesOf, checkName, type Picture, type Typed } from '#features/profile/form.ts'
import { formOpened, save, selectProfile } from '#features/profile/slice.ts'

/** A form whose user has to sign in again goes on where it was. */
const unsaved = createUnsaved<{ base: OverlaidRow<UserRow>; typed: Typed }>()
const place = 'profile'

/** What the picture is refused for; everything else stands above the form. */
const ofPicture = new Set(['IMAGE_TOO_LARGE', 'UNSUPPORTED_TYPE'])

export function ProfileForm({ shown, onClose }: { shown: OverlaidRow<UserRow>; onClose: () => void }) {
  const { t } = useTranslation('profile')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const held = unsaved.useHeld(place)
  // As it stood when the form was opened: what comes in meanwhile must not change a form under its user's hands.
  const [base, setBase] = useState(held?.base ?? shown)
  const [conflict, setConflict] = useState<{ was: UserRow; now: UserRow } | null>(null)
  const [picture, setPicture] = useState<Picture>(held?.typed.picture)
  const present = usePicture(base.row.avatar)
  const { form: status } = useSelector(selectProfile)
  const blocked = useSaveBlocked()
  // Said before anything is typed in vain; what stands there already is held until its user is back.
  const problem = blocked ? localProblem(blocked.code) : problemOf(status)
  const { register, handleSubmit, formState, watch, setValue } = useForm<{ name: string }>({
    defaultValues: { name: held?.typed.name ?? shown.row.name },
    resolver: (values) => {
      const found = values.name === shown.row.name ? null : checkName(values.name)
      if (!found) return { values, errors: {} }
      const message = found.code === 'REQUIRED' ? t('form.nameRequired') : fieldWords(found, t('field.name'))
      return { values: {}, errors: { name: { type: found.code, message } } }
    },
  })
  useEffect(() => void dispatch(formOpened()), [dispatch])

  const typed = { name: watch('name'), picture }
  const changes = changesOf(typed, base.row)
  const dirty = Object.keys(changes).length > 0
  unsaved.useHolding(place, dirty ? { base, typed } : null)

  const submit = handleSubmit(async ({ name }) => {
    const result = resultOf(await dispatch(save({ opened: base, changes: changesOf({ name, picture }, base.row) })))
    if (result.kind === 'problem') return takeBack(result.problem)
    if (result.kind === 'queued') showToast({ kind: 'note', text: queuedWords(result) })
    else showToast({ kind: 'done', text: words('message.updated') })
    goFreely(onClose)
  })

  /** Changed elsewhere: the form goes on from the row as it is now, with what was typed here still in it. */
  function takeBack({ code, data }: Problem) {
    const now = code === 'VERSION_CONFLICT' ? ((data as { current?: UserRow } | null)?.current ?? null) : null
    setConflict(now && { was: base.row, now })
    if (!now) return
    setBase({ row: now, waiting: null })
    if (typed.name === base.row.name) setValue('name', now.name)
  }

  const refused = problem && ofPicture.has(problem.code) ? problemWords(problem) : null
  return (
    <PageForm
      status={status.kind}
      problem={conflict || refused ? null : problem}
      failed={blocked ? undefined : words('message.updateFailed')}
      submit={status.kind === 'sending' ? t('form.saving') : t('form.submit')}
      whyNot={blocked ? words(blocked.reason) : dirty ? null : t('form.unchanged')}
      onSubmit={(event) => void submit(event)}
      onCancel={onClose}
      dirty={dirty}
    >
      {conflict && <ConflictNote title={t('conflict')} found={differences(conflict, t('field.name'))} />}
      <PictureField
        name={base.row.name}
        present={present}
        chosen={picture}
        refused={refused}
        onChoose={(chosen) => setPicture(chosen)}
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
const differences = ({ was, now }: { was: UserRow; now: UserRow }, label: string) =>
  was.name === now.name ? [] : [{ label, now: now.name }]
