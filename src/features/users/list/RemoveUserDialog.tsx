import type { UserRow } from '#contract/users.ts'
import { formatDone, withDoneToast } from '#patterns/action-toast.ts'
import { useAction } from '#state/use-action.ts'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { useTranslation } from 'react-i18next'
import { sendUserAction } from '#features/users/slice.ts'

interface RemoveUserDialogProps {
  row: UserRow
  onClose: () => void
  onDone: () => void
}

/** Names the user and the data that will be lost. The user must type the e-mail and a code (M52). */
export function RemoveUserDialog({ row: { id, name, email }, onClose, onDone }: RemoveUserDialogProps) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const doneText = formatDone(tUsers('action.remove'))
  const { run, ...removal } = withDoneToast(useAction(sendUserAction), { doneText, onDone })
  return (
    <TypedConfirmation
      open
      title={t('remove.title', { name })}
      value={email}
      label={t('form.email')}
      actionLabel={t('remove.confirm')}
      {...removal}
      onConfirm={() => void run({ action: 'remove', id })}
      onClose={onClose}
    >
      <p>{t('remove.text', { name, email })}</p>
    </TypedConfirmation>
  )
}
