import { useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/hooks.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { useTranslation } from 'react-i18next'
import { useTellOf } from '#features/users/useResultToast.ts'
import { move } from '#features/users/slice.ts'

/** Names whom it is about and what is lost; the e-mail and a code are typed (M52). */
export function RemoveUser({
  shown,
  onClose,
  onDone,
}: {
  shown: OverlaidRow<UserRow> | null
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const dispatch = useDispatch()
  const tell = useTellOf()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  if (shown === null) return null
  const { id, name, email } = shown.row

  const close = () => {
    setProblem(null)
    onClose()
  }
  async function remove() {
    setBusy(true)
    const result = await dispatch(move('remove', id))
    setBusy(false)
    if (result?.kind === 'problem') return setProblem(result.problem)
    if (result) tell(users('action.remove'), result)
    setProblem(null)
    onDone()
  }
  return (
    <TypedConfirmation
      open
      title={t('remove.title', { name })}
      value={email}
      label={t('form.email')}
      action={t('remove.confirm')}
      busy={busy}
      problem={problem}
      onConfirm={() => void remove()}
      onClose={close}
    >
      <p>{t('remove.text', { name, email })}</p>
    </TypedConfirmation>
  )
}
