import { useState } from 'react'
import { disableTraffic } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { withDoneToast } from '#patterns/action-toast.ts'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { useAction } from '#state/use-action.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { BackupPlan } from '#features/backups/backup-hooks.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface SuspendTrafficProps {
  service: ServiceRow
  plan: BackupPlan | null
  onDone: () => void
}

/** Lets the provider's admins suspend traffic, and end a suspension by staff. A suspension for unpaid traffic ends with the payment. */
export function SuspendTraffic({ service, plan, onDone }: SuspendTrafficProps) {
  const { t } = useTranslation('backups')
  const { caller } = useSignedInSession()
  const disabledReason = useUnsendableReason(t('needsLine'))
  const [pendingAction, setPendingAction] = useState<'suspend' | 'allow' | null>(null)
  if (!isProviderAdmin(caller)) return null
  const action =
    plan?.traffic_disabled_by === 'staff' || (plan === null && service.traffic_disabled) ? 'allow' : 'suspend'
  return (
    <>
      <Button
        icon={action === 'allow' ? 'play' : 'stop'}
        disabledReason={disabledReason}
        aria-haspopup="dialog"
        onClick={() => setPendingAction(action)}
      >
        {t(`traffic.${action}`)}
      </Button>
      {pendingAction && (
        <SuspendDialog
          action={pendingAction}
          service={service}
          onClose={() => setPendingAction(null)}
          onDone={onDone}
        />
      )}
    </>
  )
}

interface SuspendDialogProps extends Omit<SuspendTrafficProps, 'plan'> {
  action: 'suspend' | 'allow'
  onClose: () => void
}

/** Explains the effect before it happens. Before a suspension, the button that closes the dialog has the focus. */
function SuspendDialog({ action, service: { id, code }, onClose, onDone }: SuspendDialogProps) {
  const { t } = useTranslation('backups')
  const disabledReason = useUnsendableReason(t('needsLine'))
  const isSuspension = action === 'suspend'
  const { run, ...call } = withDoneToast(useAction(disableTraffic), {
    doneText: t(isSuspension ? 'traffic.suspended' : 'traffic.allowed', { code }),
    onDone() {
      onClose()
      onDone()
    },
  })
  return (
    <ActionDialog
      title={t(`traffic.${action}Title`, { code })}
      onClose={onClose}
      kind={isSuspension ? 'danger' : 'primary'}
      actionLabel={t(`traffic.${action}`)}
      disabledReason={disabledReason}
      onAction={() => void run({ params: { serviceId: id }, body: { disabled: isSuspension } })}
      {...call}
      problemTitle={t('traffic.suspendFailed')}
    >
      <p>{t(`traffic.${action}Text`)}</p>
    </ActionDialog>
  )
}
