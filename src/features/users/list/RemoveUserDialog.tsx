import type { UserRow } from '#contract/users.ts'
import { useAction } from '#state/use-action.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { useTranslation } from 'react-i18next'
import { useResultToast } from '#features/users/useResultToast.ts'
import { sendUserAction } from '#features/users/slice.ts'

interface RemoveUserDialogProps {
  row: UserRow
  onClose: () => void
  onDone: () => void
}

/** Names the user and what is lost; the e-mail and a code are typed (M52). */
export function RemoveUserDialog({ row: { id, name, email }, onClose, onDone }: RemoveUserDialogProps) {
  const { t } = useTranslation('people')
  const { run, isBusy, problem } = useAction(sendUserAction)
  const showResult = useResultToast()
  async function remove() {
    const result = await run({ action: 'remove', id })
    if (result.kind === 'problem') return
    showResult('remove', result)
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
      onClose={onClose}
    >
      <p>{t('remove.text', { name, email })}</p>
    </TypedConfirmation>
  )
}
