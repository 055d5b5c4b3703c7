import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useHeldWay } from '#ui/navigation-guard/NavigationGuard.tsx'
import { useTranslation } from 'react-i18next'

/** Asks before uploads are left alone (M160, D76); the browser asks by itself before the tab goes. */
export function LeaveDialog({ underWay }: { underWay: number }) {
  const { t } = useTranslation('apps')
  const { isAsked, stay, leave } = useHeldWay(underWay > 0)
  if (!isAsked) return null
  return (
    <Dialog
      open
      title={t('leave.title')}
      onClose={stay}
      act={
        <Button kind="danger" onClick={leave}>
          {t('leave.leave')}
        </Button>
      }
      cancel={t('leave.stay')}
    >
      <p>{t('leave.text', { count: underWay })}</p>
    </Dialog>
  )
}
