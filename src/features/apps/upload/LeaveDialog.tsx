import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { useTranslation } from 'react-i18next'

/** Asks before the user leaves running uploads (M160, D76). When the tab is closed, the browser asks instead. */
export function LeaveDialog({ runningCount }: { runningCount: number }) {
  const { t } = useTranslation('apps')
  const { isLeaveQuestionOpen: isOpen, stay, leave } = useNavigationGuard(runningCount > 0)
  if (!isOpen) return null
  return (
    <Dialog
      open
      title={t('leave.title')}
      onClose={stay}
      action={
        <Button kind="danger" onClick={leave}>
          {t('leave.leave')}
        </Button>
      }
      cancel={t('leave.stay')}
    >
      <p>{t('leave.text', { count: runningCount })}</p>
    </Dialog>
  )
}
