import { useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/use-store.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { useTranslation } from 'react-i18next'
import { useResultToast } from '#features/users/useResultToast.ts'
import { runUserAction } from '#features/users/slice.ts'

/** Names whom it is about and what is lost; the e-mail and a code are typed (M52). */
export function RemoveUserDialog({
  overlaidRow,
  onClose,
  onDone,
}: {
  overlaidRow: OverlaidRow<UserRow> | null
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const dispatch = useDispatch()
  const showResult = useResultToast()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  if (overlaidRow === null) return null
  const { id, name, email } = overlaidRow.row

  const close = () => {
    setProblem(null)
    onClose()
  }
  async function remove() {
    setIsBusy(true)
    const result = await dispatch(runUserAction('remove', id))
    setIsBusy(false)
    if (result?.kind === 'problem') return setProblem(result.problem)
    if (result) showResult(tUsers('action.remove'), result)
    setProblem(null)
    onDone()
  }
  return (
    <TypedConfirmation
      open
      title={t('remove.title', { name })}
      value={email}
      label={t('form.email')}
      actionLabel={t('remove.confirm')}
      isBusy={isBusy}
      problem={problem}
      onConfirm={() => void remove()}
      onClose={close}
    >
      <p>{t('remove.text', { name, email })}</p>
    </TypedConfirmation>
  )
}
